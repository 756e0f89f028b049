package load

import (
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
)

// fold puts windows of a second with so many requests sent, each with its response in a
// millisecond times the window's number, through a plan.
func fold(t *testing.T, p profile.Profile, sent ...uint64) *planFold {
	t.Helper()
	f := newPlanFold(&Spec{Profile: p})
	for i, n := range sent {
		w := measure.Window{Index: i, Length: time.Second, Sent: n, Completed: n}
		var all measure.Durations
		all.Timed[measure.Response] = measure.NewBuckets()
		for range n {
			all.Timed[measure.Response].Record(int64(i+1) * 1e6)
		}
		f.add(&w, &all, f.pass(&w))
	}
	f.seal()
	return f
}

func TestStagesFoldWindows(t *testing.T) {
	p := profile.Profile{Mode: profile.Open, Connections: 1, Phases: []profile.Phase{phaseOf(t, "steps 100,200 2500ms"), phaseOf(t, "constant 50 1s")}}
	f := fold(t, p, 100, 100, 150, 200, 200, 50)
	for i, want := range []struct {
		windows int
		planned float64
		sent    uint64
		median  int64 // ms
	}{
		{2, 200, 200, 1}, {2, 400, 400, 4}, {1, 50, 50, 6}, // the third window lies across
	} {
		s := f.stages[i]
		if s.Windows != want.windows || s.Planned != want.planned || s.Total.Sent != want.sent || s.Total.Length != time.Duration(want.windows)*time.Second {
			t.Errorf("%s: %d windows, planned %v, sent %d", s.Name, s.Windows, s.Planned, s.Total.Sent)
		}
		if h := s.Total.Hist[measure.Response]; h == nil || h.TotalCount() != int64(want.sent) || h.ValueAtPercentile(50)/1e6 != want.median {
			t.Errorf("%s: median is not %d ms", s.Name, want.median)
		}
	}
	if f.planned != 800 {
		t.Errorf("planned %v", f.planned)
	}
}

func TestRateMissedNamesTheStage(t *testing.T) {
	long := profile.Profile{Mode: profile.Open, Connections: 1, Phases: []profile.Phase{phaseOf(t, "constant 100000 6s"), phaseOf(t, "constant 1000 1s")}}
	for _, c := range []struct {
		p    profile.Profile
		sent []uint64
		want string // a part of what is said; "" for nothing
	}{
		{profile.Profile{Mode: profile.Open, Connections: 1, Rate: 1000}, []uint64{1000, 930, 1010}, ""}, // chance
		{profile.Profile{Mode: profile.Open, Connections: 1, Rate: 1000}, []uint64{1000, 700, 1000}, "sent 900 requests/s of the planned 1000"},
		{long, []uint64{1e5, 1e5, 1e5, 1e5, 1e5, 1e5, 1000}, ""},
		{long, []uint64{1e5, 1e5, 1e5, 1e5, 1e5, 1e5, 800}, "in phase 2 (constant 1000): sent 800 requests/s of the planned 1000"},
	} {
		f := fold(t, c.p, c.sent...)
		var total measure.Window
		for _, n := range c.sent {
			total.Add(&measure.Window{Length: time.Second, Sent: n})
		}
		if got, _ := f.missed(&total); (got.IsZero()) != (c.want == "") || !strings.HasPrefix(got.String(), c.want) {
			t.Errorf("%v: %q, want %q", c.sent, got, c.want)
		}
	}
}

// TestPhasesEndTheLoad runs phases through the engines: each sends what the
// schedule says and stops where it ends.
func TestPhasesEndTheLoad(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		p := profile.Profile{Mode: profile.Open, Connections: 8, Arrivals: profile.Uniform, Phases: []profile.Phase{phaseOf(t, "ramp 100..500 1s"), phaseOf(t, "steps 200,400 500ms")}}
		s := spec(server(t, replies(okReply)), p)
		s.Engine, s.Timeout, s.Duration = engine, 30*time.Second, 0
		r := ran(t, s)
		var offered, ended uint64
		length := time.Duration(0)
		for i := range r.Windows { // those too that a busy machine made invalid
			w := &r.Windows[i]
			offered += w.Offered
			ended += w.Completed + w.Drained + w.Unfinished + w.Errors.Total()
			length += w.Length
		}
		if offered != 600 || ended != 600 || length != 2*time.Second {
			t.Errorf("offered %d, ended %d of the 600 planned in %v", offered, ended, length)
		}
		stages := r.Stages()
		if len(stages) != 3 || stages[0].Windows == 1 && stages[0].Planned != 300 || stages[1].Windows != 0 {
			t.Errorf("stages %+v", stages)
		}
	})
}

func TestDurationBesidePhases(t *testing.T) {
	s := spec("http://127.0.0.1:1", profile.Profile{Mode: profile.Open, Connections: 1, Phases: []profile.Phase{phaseOf(t, "constant 1 2s")}})
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "phases take 2s") {
		t.Errorf("another duration next to phases: %v", err)
	}
	s.Duration = 2 * time.Second
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// TestALoadThatEndsByItsRequests: nothing is planned after the last of them, while
// responses are waited for.
func TestALoadThatEndsByItsRequests(t *testing.T) {
	for _, c := range []struct {
		sent   []uint64
		missed bool
	}{
		{[]uint64{1000, 500, 0, 0}, false},
		{[]uint64{700, 700, 100, 0}, true},
		{[]uint64{1000, 300}, true}, // the quota was not reached
	} {
		f := newPlanFold(&Spec{Profile: profile.Profile{Mode: profile.Open, Connections: 1, Rate: 1000, Arrivals: profile.Uniform}})
		f.endWith([]engine.Share{{Quota: 800}, {Quota: 700}})
		var total measure.Window
		for i, n := range c.sent {
			w := measure.Window{Index: i, Length: time.Second, Offered: n, Sent: n}
			f.add(&w, new(measure.Durations), f.pass(&w))
			total.Add(&w)
		}
		if got, _ := f.missed(&total); (!got.IsZero()) != c.missed {
			t.Errorf("%v of 1500: %q", c.sent, got)
		}
	}
}

func phaseOf(t testing.TB, text string) profile.Phase {
	t.Helper()
	ph, err := profile.ParsePhase(text)
	if err != nil {
		t.Fatal(err)
	}
	return ph
}
