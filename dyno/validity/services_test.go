package validity

import (
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/probe"
)

// TestServicesAreNoStrangers: what a database uses on the generator's, the subject's or its
// own CPUs is nobody else's.
func TestServicesAreNoStrangers(t *testing.T) {
	busy := func(cpus ...time.Duration) *archive.Window {
		m := &probe.Machine{CPUs: len(cpus), Self: &probe.Self{CPU: 100 * time.Millisecond}, TasksByCPU: cpus, IRQByCPU: make([]time.Duration, len(cpus)), Programs: &probe.Programs{}}
		return &archive.Window{Server: probe.Window{
			Length: time.Second, Machine: m, Process: &probe.Process{CPU: 200 * time.Millisecond},
			Services: []probe.ServiceWindow{{Name: "db", Process: &probe.Process{CPU: 700 * time.Millisecond}}, {Name: "up"}},
		}}
	}
	const ms = time.Millisecond
	for _, c := range []struct {
		name   string
		window *archive.Window
		cpus   []int
		found  bool
	}{
		{"on the generator's", busy(800*ms, 200*ms, 0), nil, false},
		{"on the subject's", busy(100*ms, 900*ms, 0), []int{1}, false},
		{"on its own", busy(100*ms, 200*ms, 700*ms), []int{2}, false},
		{"a stranger next to it", busy(800*ms, 950*ms, 0), nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := others(c.window, &Conditions{GeneratorCPUs: []int{0}, ItsCPUs: []int{1}, ServiceCPUs: map[string][]int{"db": c.cpus}})
			if o == nil {
				t.Fatal("it can't be told")
			}
			o.Waited = time.Second
			if _, found := o.Finding(0); found != c.found {
				t.Errorf("found %v, want %v: %+v", found, c.found, o)
			}
		})
	}
}
