package load

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// most is in how many windows a warm-up is left out here.
const most = 12

// second is a window of some requests of two kinds, some of which were due in the two
// windows before it, with responses as slow as given.
func second(index int, ms float64) (measure.Window, *partial) {
	rng := rand.New(rand.NewPCG(uint64(index+10), 1))
	p := &partial{breakdown: measure.NewBreakdown(2)}
	count := func(w *measure.Window, d *measure.Durations, b *measure.Breakdown, kind int, ns int64, fails bool) {
		k := b.Kind(kind)
		if fails {
			w.Errors.Count(measure.TimeoutError)
			k.Errors.Count(measure.TimeoutError)
			d.GaveUp(measure.Response, ns)
			k.GaveUp(ns)
			return
		}
		w.Completed++
		k.Completed++
		b.Count(200)
		d.Record(measure.Response, ns)
		k.Timed(ns)
	}
	w := measure.Window{Index: index, Length: time.Second, Offered: 100, Sent: 100, InFlight: float64(10 + index)}
	for i := range 100 {
		ns, fails := int64(ms*1e6*(0.99+0.02*rng.Float64())), i%25 == 3
		count(&w, &p.durations, p.breakdown, i%2, ns, fails)
		if due := index - i%20; i%20 == 1 || i%20 == 2 {
			part := engine.NewPart(due, 2)
			count(&part.Window, &part.Durations, part.Breakdown, i%2, ns, fails)
			p.parts = append(p.parts, part)
		}
	}
	p.durations.Histograms(&w)
	w.Statuses = p.breakdown.ByStatus()
	return w, p
}

// secondsOf is a load of which the windows given are invalid as they come, with the first
// cold ones ten times slower.
func secondsOf(spec *Spec, n, cold int, invalid ...int) *Result {
	r := &Result{planned: newPlanFold(spec)}
	if !spec.KeepParts {
		r.early = &early{most: most}
	}
	for i := -1; i < n; i++ {
		ms := 2.0
		if i < cold {
			ms = 20
		}
		w, p := second(i, ms)
		if slices.Contains(invalid, i) {
			w.Findings = []finding.Finding{{Name: finding.OtherLoad, Validity: finding.Invalid, Windows: []int{i}}}
		}
		r.add(w, p, spec)
	}
	r.leaveWarmUp(spec)
	r.seal()
	r.Requests = r.requestResults([]request.Request{{Name: "a"}, {Name: "b"}})
	return r
}

// TestWarmUpIsLeftOut: figures are the same as if the seconds in which the service was
// found to be warming up had been invalid from the beginning, and those of all seconds
// hold them.
func TestWarmUpIsLeftOut(t *testing.T) {
	open := profile.Profile{Mode: profile.Open, Connections: 4, Rate: 100, Arrivals: profile.Uniform}
	for _, c := range []struct {
		n, cold int
		disturb []int
		out     []int // left out at the end
		says    string
	}{
		{16, 4, nil, []int{0, 1, 2, 3}, "in no figure"},
		{16, 4, []int{2, 9}, []int{0, 1, 2, 3, 9}, "in no figure"},
		{16, 0, []int{5}, []int{5}, ""},
		{most + 20, 9, []int{0, 11, most + 1}, nil, "in no figure"},
		{3 * most, most + 4, []int{7}, []int{7}, "hold the seconds"}, // it can't be taken out any more
		{most + 3, 0, []int{most - 1, most}, []int{most - 1, most}, ""},
	} {
		t.Run(fmt.Sprint(c.n, c.cold, c.disturb), func(t *testing.T) {
			out := c.out
			if out == nil {
				for i := range c.cold {
					out = append(out, i)
				}
				out = append(out, c.disturb[1:]...)
			}
			got := secondsOf(&Spec{Profile: open}, c.n, c.cold, c.disturb...)
			want := secondsOf(&Spec{Profile: open, KeepParts: true}, c.n, c.cold, out...)
			same(t, "total", &got.Total, &want.Total)
			same(t, "all", &got.All, &want.All)
			same(t, "outside", &got.Outside, &want.Outside)
			for i := range got.Requests {
				same(t, got.Requests[i].Name, &got.Requests[i].Total, &want.Requests[i].Total)
			}
			if got.leftOut != want.leftOut || got.measured != want.measured || got.planned.planned != want.planned.planned {
				t.Errorf("%d of %d left out, %v planned; want %d of %d, %v", got.leftOut, got.measured, got.planned.planned, want.leftOut, want.measured, want.planned.planned)
			}
			if diff := got.little.recorded/want.little.recorded - 1; diff > 1e-9 || diff < -1e-9 || got.little.timed != want.little.timed || got.little.longest != want.little.longest {
				t.Errorf("for Little's law %+v, want %+v", got.little, want.little)
			}
			if said := fmt.Sprint(got.unsteady); (c.says == "") != (len(got.unsteady) == 0) || !strings.Contains(said, c.says) {
				t.Errorf("said %s, want %q", said, c.says)
			}
			var windows measure.Window
			for i := range got.Windows {
				counted := got.Windows[i].Counted(got.counts(got.Windows[i].Index))
				windows.AddCounts(&counted)
			}
			if windows.Offered != got.Total.Offered || windows.Right() != got.Total.Right() || windows.Failures() != got.Total.Failures() {
				t.Errorf("by window %d offered, %d right, %d failed; in all %d, %d, %d", windows.Offered, windows.Right(), windows.Failures(), got.Total.Offered, got.Total.Right(), got.Total.Failures())
			}
		})
	}
}

// same holds a window to another one.
func same(t *testing.T, name string, got, want *measure.Window) {
	t.Helper()
	a, b := *got, *want
	for clock := range measure.NumClocks {
		for _, h := range [][2]*hdrhistogram.Histogram{{a.Hist[clock], b.Hist[clock]}, {a.Waited[clock], b.Waited[clock]}} {
			if got, want := contents(h[0]), contents(h[1]); !slices.Equal(got, want) {
				t.Errorf("%s: of %s %v, want %v", name, clock, got, want)
			}
		}
	}
	if diff := a.InFlight - b.InFlight; diff > 1e-9 || diff < -1e-9 {
		t.Errorf("%s: %v in flight, want %v", name, a.InFlight, b.InFlight)
	}
	for _, w := range []*measure.Window{&a, &b} {
		w.InFlight, w.Hist, w.Waited = 0, measure.Window{}.Hist, measure.Window{}.Waited
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%s:\n%+v, want\n%+v", name, a, b)
	}
}

// contents are the bars of a histogram that have a height.
func contents(h *hdrhistogram.Histogram) (bars [][2]int64) {
	if h == nil {
		return nil
	}
	for _, bar := range h.Distribution() {
		if bar.Count > 0 {
			bars = append(bars, [2]int64{bar.From, bar.Count})
		}
	}
	return bars
}

// What is accepted stays in figures, and says so.
func TestAcceptedWarmUpStaysInFigures(t *testing.T) {
	spec := &Spec{Profile: profile.Profile{Mode: profile.Closed, Connections: 1}, Accept: []finding.Name{finding.StillWarmingUp}}
	r := secondsOf(spec, 16, 4)
	r.judge(spec)
	if r.leftOut != 0 || r.Total.Length != 16*time.Second || len(r.unsteady) != 1 || !strings.Contains(r.unsteady[0].Detail.String(), "hold the seconds") {
		t.Errorf("%d left out, %v in figures: %+v", r.leftOut, r.Total.Length, r.unsteady)
	}
}
