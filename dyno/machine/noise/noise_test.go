package noise

import (
	"math"
	"os"
	"runtime"
	"testing"
	"time"

	"dyno.example/dyno/calibrate"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe"
	"dyno.example/internal/i18n"
)

func TestMain(m *testing.M) {
	if calibrate.IsChild(os.Args) {
		calibrate.ChildMain()
	}
	os.Exit(m.Run())
}

func TestMeasure(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no null server on this system")
	}
	p := Plan{Hiccups: 100 * time.Millisecond, Loopback: 100 * time.Millisecond, Starts: 3, Runs: 2, Warmup: 20 * time.Millisecond, Run: 100 * time.Millisecond}
	var said int
	var r *Report
	var err error
	for range 10 { // a machine may stand still whenever something is tried
		said = 0
		if r, err = Measure(t.Context(), p, func(i18n.Message) { said++ }); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(r.CPUs) == 0 || len(r.Timers) != 3 || said != 3+p.Starts || r.Took <= 0 {
		t.Errorf("%+v, said %d things", r, said)
	}
	if len(r.Spreads) != 2 {
		t.Fatalf("spreads: %+v", r.Spreads)
	}
	for _, s := range r.Spreads {
		if !(s.Mean > 0) || s.Components.Starts != 3 || s.Components.Runs != 2 || !(s.Trial > 0) || len(s.Detectable) != len(blocks) {
			t.Errorf("%+v", s)
		}
		for i := range s.Detectable {
			if i > 0 && s.Detectable[i].Difference > s.Detectable[i-1].Difference {
				t.Errorf("more blocks see less: %+v", s.Detectable)
			}
		}
	}
}

func TestSumUp(t *testing.T) {
	var r Report
	r.sumUp([][]run{{{100, 1, true}, {100 * math.Exp(0.02), 1, true}}, {{100 * math.Exp(0.1), 1, false}, {100 * math.Exp(0.12), 1, true}}})
	s := r.Spreads[0]
	// Starts differ by 0.1, runs by 0.02.
	within, between := 0.02*0.02/2, 0.1*0.1/2-0.02*0.02/4
	if r.Unusable != 1 || math.Abs(s.Components.Within-math.Sqrt(within)) > 1e-9 || math.Abs(s.Components.Between-math.Sqrt(between)) > 1e-9 || math.Abs(s.Trial-math.Sqrt(within+between)) > 1e-9 {
		t.Errorf("unusable %d, %+v", r.Unusable, s)
	}
	if math.Abs(s.Mean-100*math.Exp(0.06)) > 1e-9 {
		t.Errorf("mean %v", s.Mean)
	}
	for _, d := range r.Spreads[1].Detectable {
		if d.Difference != 0 {
			t.Errorf("without noise: %+v", d)
		}
	}
}

func TestRunOf(t *testing.T) {
	window := func(index int, completed uint64) measure.Window {
		return measure.Window{Index: index, Length: time.Second, Completed: completed}
	}
	windows := []measure.Window{window(-1, 50), window(0, 100), window(1, 200)}
	usable := &load.Result{Windows: windows, Total: window(0, 200)}
	if one, err := runOf(usable, probe.Process{CPU: 35 * time.Millisecond}); err != nil || one.throughput != 200 || !one.usable || math.Abs(one.cpu-1e-4) > 1e-12 {
		t.Errorf("%+v, %v", one, err)
	}
	if one, err := runOf(&load.Result{Windows: windows}, probe.Process{CPU: time.Second}); err != nil || one.throughput != 150 || one.usable {
		t.Errorf("without a usable second: %+v, %v", one, err)
	}
	if _, err := runOf(&load.Result{}, probe.Process{CPU: time.Second}); err == nil {
		t.Error("no error without responses")
	}
}

func TestEstimates(t *testing.T) {
	if d := Full().Estimate(); d < 90*time.Second || d > 150*time.Second {
		t.Errorf("full takes %v", d)
	}
	if d := Quick().Estimate(); d < 15*time.Second || d > 35*time.Second {
		t.Errorf("quick takes %v", d)
	}
}
