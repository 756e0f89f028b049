package explain

import (
	"math"
	"slices"
	"testing"
	"time"

	"dyno.example/dyno/evidence"
)

// What a service said of its time is told beside the budget: of slow requests and of the ordinary
// ones they are held against, what slow ones had most more of first.
func TestServicesTellTheirParts(t *testing.T) {
	w := newWorld(5)
	w.requests(0, 40, func(int) map[evidence.Stage]time.Duration {
		return map[evidence.Stage]time.Duration{evidence.Upstream: 20 * time.Millisecond}
	})
	one := &w.cell.trials[0]
	slow := 0
	for i := range one.records {
		r := &one.records[i]
		r.ServerTiming = []evidence.ServerTiming{{Name: "auth", Took: 2e5}, {Name: "upstream", Took: 1e6, Text: "10.0.0.4:9000"}}
		if r.Class != evidence.Tail {
			continue
		}
		r.ServerTiming[1].Took = 21e6
		if slow++; slow%4 == 0 { // a quarter of them at another endpoint, and with a part that no other has
			r.ServerTiming[1].Text = "10.0.0.5:9000"
			r.ServerTiming = append(r.ServerTiming, evidence.ServerTiming{Name: "retry", Took: 4e6})
		}
	}
	e := Records(one.header, one.records)
	if got := names(e); !slices.Equal(got, []Name{Upstream}) {
		t.Errorf("%v", got)
	}
	want := []ServerTiming{
		{"upstream", "10.0.0.4:9000", 1e6, 21e6, slow},
		{"retry", "", 0, 4e6 * float64(slow/4) / float64(slow), slow / 4},
		{"auth", "", 2e5, 2e5, slow},
	}
	near := func(a, b ServerTiming) bool {
		return a.Name == b.Name && a.Text == b.Text && a.Requests == b.Requests && math.Abs(a.Ordinary-b.Ordinary) < 1 && math.Abs(a.Slow-b.Slow) < 1
	}
	if !slices.EqualFunc(e.ServerTiming, want, near) {
		t.Errorf("%+v\nwant %+v", e.ServerTiming, want)
	}
}
