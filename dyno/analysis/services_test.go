package analysis

import (
	"math"
	"slices"
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe"
)

// TestServices: what a service did is that of its windows, by their lengths.
func TestServices(t *testing.T) {
	var s cellBuilder
	for _, w := range []probe.ServiceWindow{
		{Name: "db", Process: &probe.Process{CPU: 500 * time.Millisecond, RSS: 3}, Counted: map[string]float64{"commits": 100}, Length: time.Second, Gauges: map[string]float64{"connections": 4}},
		{Name: "db", Process: &probe.Process{CPU: 300 * time.Millisecond, RSS: 2}, Counted: map[string]float64{"commits": 50}, Length: 2 * time.Second, Gauges: map[string]float64{"connections": 8}},
		{Name: "db", Process: &probe.Process{CPU: 100 * time.Millisecond, RSS: 1}, Missing: "late"},
		{Name: "up", Counted: map[string]float64{"commands": 7}, Length: time.Second},
	} {
		s.addServices(&archive.Window{Server: probe.Window{Length: time.Second, Services: []probe.ServiceWindow{w}}})
	}
	list := s.servicesOf()
	if len(list) != 2 {
		t.Fatalf("got %+v", list)
	}
	db, up := list[0], list[1]
	if *db.CPU < 0.299 || *db.CPU > 0.301 || *db.RSS != 3 || db.Rates["commits"] != 50 || db.Gauges["connections"] != 6 || db.Missing != 1 || db.Why != "late" {
		t.Errorf("db: %+v, CPU %v", db, *db.CPU)
	}
	if up.CPU != nil || up.RSS != nil || up.Rates["commands"] != 7 || up.Gauges != nil {
		t.Errorf("up: %+v", up)
	}
}

// A service that burns 0.4 of a CPU under 100 requests/s, next to a subject that burns 0.8, is
// shown so, whatever the windows' lengths are.
func TestServicesBesideTheSubject(t *testing.T) {
	var s cellBuilder
	for _, length := range []time.Duration{time.Second, 2 * time.Second, 500 * time.Millisecond} {
		s.addServices(&archive.Window{
			Client: measure.Window{Completed: uint64(length / (10 * time.Millisecond))},
			Server: probe.Window{Length: length, Process: &probe.Process{CPU: length * 8 / 10}, Services: []probe.ServiceWindow{
				{Name: "db", Process: &probe.Process{CPU: length * 4 / 10}},
			}},
		})
	}
	s.addServices(&archive.Window{Server: probe.Window{Length: time.Second, Services: []probe.ServiceWindow{{Name: "up"}}}})
	list := s.servicesOf()
	for name, c := range map[string]struct {
		got  *float64
		want float64
	}{"CPU": {list[0].CPU, 0.4}, "per request": {list[0].PerRequest, 4000}, "the subject's": {list[0].Subject, 0.8}} {
		if c.got == nil || math.Abs(*c.got-c.want) > 1e-9*c.want {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
	if up := list[1]; up.CPU != nil || up.PerRequest != nil || up.Subject != nil {
		t.Errorf("of one without processes: %+v", up)
	}
}

// Of each second there is what each service burnt in it.
func TestServicesOfASecond(t *testing.T) {
	var s Second
	s.addServices(&probe.Window{Length: 500 * time.Millisecond, Services: []probe.ServiceWindow{
		{Name: "up"}, {Name: "db", Process: &probe.Process{CPU: 300 * time.Millisecond}}, {Name: "redis", Process: &probe.Process{}},
	}})
	if want := []ServiceSecond{{"db", 0.6}, {"redis", 0}}; !slices.Equal(s.Services, want) {
		t.Errorf("got %v, want %v", s.Services, want)
	}
}
