package analysis

import (
	"testing"
	"time"

	"dyno.example/dyno/archive"
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
