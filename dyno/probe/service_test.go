package probe

import (
	"errors"
	"testing"
	"time"
)

// TestServiceBetween: counters are differences, gauges what they are in the end, and what
// could not be read, or begins again, is no difference.
func TestServiceBetween(t *testing.T) {
	at := func(second int, counters, gauges map[string]float64) serviceTotals {
		return serviceTotals{reading: &Reading{counters, gauges}, at: time.Unix(int64(second), 0)}
	}
	p := newServiceProbe(Service{Name: "db"})
	a := at(1, map[string]float64{"commits": 10, "gone": 3}, map[string]float64{"connections": 1})
	b := at(2, map[string]float64{"commits": 25, "late": 2}, map[string]float64{"connections": 7})
	w := p.between(&a, &b)
	if len(w.Counted) != 1 || w.Counted["commits"] != 15 || w.Gauges["connections"] != 7 || w.Length != time.Second || w.Missing != "" {
		t.Errorf("got %+v", w)
	}
	if w := p.between(&b, &a); w.Counted != nil || !w.Again {
		t.Errorf("a counter that fell: %+v", w)
	}
	failed := serviceTotals{err: errors.New("no response")}
	if w := p.between(&a, &failed); w.Counted != nil || w.Missing != "no response" {
		t.Errorf("without a reading: %+v", w)
	}
}

// TestSamplerReadsServices: a service that is slow holds nothing else up, and each has its
// window.
func TestSamplerReadsServices(t *testing.T) {
	n := 0.0
	s := New(Config{Services: []Service{
		{Name: "counting", Read: func(limit time.Duration) (Reading, error) {
			if limit != ScrapeTime {
				t.Errorf("limit %v", limit)
			}
			n += 5
			return Reading{Counters: map[string]float64{"n": n}}, nil
		}},
		{Name: "silent"},
	}})
	defer s.Close()
	a, b := s.Snapshot(), s.Snapshot()
	w := s.Between(a, b)
	if len(w.Services) != 2 || w.Services[0].Counted["n"] != 5 || w.Services[1].Counted != nil || w.Services[1].Missing != "" {
		t.Errorf("got %+v", w.Services)
	}
}

func TestSumSeries(t *testing.T) {
	sums, err := sumSeries([]byte("# TYPE a counter\na{x=\"1\"} 2\na{x=\"}\"} 3.5 1700000000\nb 9\nc 1\n"), []string{"a", "c", "d"})
	if err != nil || len(sums) != 2 || sums["a"] != 5.5 || sums["c"] != 1 {
		t.Errorf("got %v, %v", sums, err)
	}
	if _, err := sumSeries([]byte("a much\n"), []string{"a"}); err == nil {
		t.Error("a value that is no number is taken")
	}
}
