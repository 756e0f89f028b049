package profile

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// profiles are one of each shape, and all of them in a row.
func profiles(t testing.TB) map[string]Profile {
	t.Helper()
	texts := []string{
		"constant 333.3 7s", "constant 0 2s", "ramp 0..3000 5s", "ramp 2500..0 4s", "ramp 700..700 3s", "steps 100,0,2000,50.5 1500ms",
		"steps 500..100+100 1s", "spike 200 4000 for 700ms at 1300ms 4s", "spike 0 1000 for 1s at 0s 1s", "soak 400 rise 3s 8s", "soak 150 5s",
		"sine 1000~500 every 2s 7s", "sine 800~800 every 3s angle 270 10s", "sine 300~100 every 900ms angle 45 4s", "sine 50~0 every 1s 3s",
	}
	all := map[string]Profile{"rate": {Mode: Open, Connections: 1, Rate: 777.7}}
	var every []Phase
	for _, text := range texts {
		ph := mustParse(t, text)
		every = append(every, ph)
		all[text] = Profile{Mode: Open, Connections: 1, Phases: []Phase{ph}}
	}
	tr := Phase{Shape: Trace, Duration: 3 * time.Second, Loop: true, Trace: &TraceFile{times: []int64{0, 5e8, 5e8, 9e8}, Length: 12e8}}
	all["trace"] = Profile{Mode: Open, Connections: 1, Phases: []Phase{tr}}
	every = slices.Insert(every, 5, tr)
	for i := range every {
		if i%3 == 1 && every[i].Shape != Trace {
			every[i].Arrivals = Poisson
		}
		if i%3 == 2 && every[i].Shape != Trace {
			every[i].Arrivals = Uniform
		}
	}
	all["every shape"] = Profile{Mode: Open, Connections: 1, Phases: every}
	for name, p := range all {
		if err := p.Check(); err != nil && name != "constant 0 2s" {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return all
}

func mustParse(t testing.TB, text string) Phase {
	t.Helper()
	ph, err := ParsePhase(text)
	if err != nil {
		t.Fatal(err)
	}
	return ph
}

const testWarmup = 1500 * time.Millisecond

// starts returns a part's starts up to 10 s, from the start of the load.
func starts(p Profile, seed uint64, part, parts int) []int64 {
	var all []int64
	s := NewSchedule(&p, testWarmup, seed, part, parts)
	limit := int64(testWarmup + 10*time.Second)
	if n := p.Length(); n > 0 {
		limit = math.MaxInt64
	}
	for at, ok := s.next(); ok && at < limit; at, ok = s.next() {
		all = append(all, at)
	}
	return all
}

// draws is how many of the arrivals are drawn, the warm-up's included.
func (p *Profile) draws() (n float64) {
	for _, s := range p.Timetable(testWarmup).segments {
		if s.poisson {
			n += s.total
		}
	}
	return n
}

func eachProfile(t *testing.T, arrivals Arrivals, test func(t *testing.T, p Profile)) {
	t.Helper()
	for name, p := range profiles(t) {
		p.Arrivals = arrivals
		t.Run(fmt.Sprint(name, " ", arrivals), func(t *testing.T) { test(t, p) })
	}
}

func TestScheduleIsPureAndNeverGoesBack(t *testing.T) {
	for _, arrivals := range []Arrivals{Uniform, Poisson} {
		eachProfile(t, arrivals, func(t *testing.T, p Profile) {
			a, other := starts(p, 7, 0, 1), starts(p, 8, 0, 1)
			if !slices.Equal(a, starts(p, 7, 0, 1)) {
				t.Error("the same seed gave another schedule")
			}
			if slices.Equal(a, other) != (p.draws() == 0) {
				t.Errorf("another seed gives the same starts: %v", slices.Equal(a, other))
			}
			if !slices.IsSorted(a) {
				t.Error("starts decrease")
			}
			end := int64(testWarmup + max(p.Length(), 10*time.Second))
			if n := len(a); n > 0 && (a[0] < 0 || p.Length() > 0 && a[n-1] >= int64(testWarmup+p.Length()) || a[n-1] >= end) {
				t.Errorf("starts from %d to %d", a[0], a[n-1])
			}
		})
	}
}

// TestUniformCountsAreExact counts in many intervals: what is planned, to within
// one arrival.
func TestUniformCountsAreExact(t *testing.T) {
	eachProfile(t, Uniform, func(t *testing.T, p Profile) {
		for i := range p.Phases {
			p.Phases[i].Arrivals = ""
		}
		all, table := starts(p, 1, 0, 1), p.Timetable(testWarmup)
		length := max(p.Length(), 10*time.Second)
		for step := 77 * time.Millisecond; step < 3*time.Second; step *= 3 {
			for from := -testWarmup; from+step <= length; from += step {
				low, _ := slices.BinarySearch(all, int64(testWarmup+from))
				high, _ := slices.BinarySearch(all, int64(testWarmup+from+step))
				planned := table.Planned(from, from+step)
				// A trace begins at the next whole arrival.
				if off := math.Abs(float64(high-low) - planned); off > 1+1e-4 && !(len(p.Phases) > 1 && off < 2) {
					t.Fatalf("%d arrivals from %v to %v, planned %.6f", high-low, from, from+step, planned)
				}
			}
		}
	})
}

// TestUniformPartsMakeTheWhole holds the union of the parts to the schedule of a
// single loop, to the nanosecond.
func TestUniformPartsMakeTheWhole(t *testing.T) {
	eachProfile(t, Uniform, func(t *testing.T, p Profile) {
		for i := range p.Phases {
			p.Phases[i].Arrivals = ""
		}
		for _, parts := range []int{2, 3, 7} {
			var union []int64
			for part := range parts {
				union = append(union, starts(p, 1, part, parts)...)
			}
			slices.Sort(union)
			if whole := starts(p, 1, 0, 1); !slices.Equal(union, whole) {
				t.Errorf("%d parts have %d arrivals, the whole %d", parts, len(union), len(whole))
			}
		}
	})
}

// TestPlannedIsTheIntegralOfTheRate compares the two closed forms.
func TestPlannedIsTheIntegralOfTheRate(t *testing.T) {
	eachProfile(t, Uniform, func(t *testing.T, p Profile) {
		if len(p.Phases) != 1 || p.Phases[0].Shape == Trace {
			return // their stages are in the other cases, or have no rate
		}
		table := p.Timetable(testWarmup)
		for _, stage := range table.Stages() {
			const n = 20_000
			width, sum := float64(stage.To-stage.From)/n, 0.0
			for i := range n {
				sum += table.RateAt(stage.From+time.Duration((float64(i)+0.5)*width)) * width / 1e9
			}
			if got := table.Planned(stage.From, stage.To); math.Abs(got-stage.Planned) > 1e-6*got || math.Abs(sum-got) > 1e-3*got+1e-3 {
				t.Errorf("%s: planned %v, stage says %v, rate sums up to %v", stage.Name, got, stage.Planned, sum)
			}
		}
	})
}

func TestTimetable(t *testing.T) {
	p := Profile{Phases: []Phase{mustParse(t, "steps 100,200 2s"), mustParse(t, "ramp 0..50 4s"), mustParse(t, "spike 10 90 for 1s at 1s 3s")}}
	table := p.Timetable(time.Second)
	for _, c := range []struct {
		at    time.Duration
		phase int
		rate  float64
	}{
		{-2 * time.Second, -1, 0}, {-time.Second, -1, 100}, {0, 0, 100}, {2*time.Second - 1, 0, 100}, {2 * time.Second, 0, 200}, {4 * time.Second, 1, 0},
		{6 * time.Second, 1, 25}, {8 * time.Second, 2, 10}, {9 * time.Second, 2, 90}, {10 * time.Second, 2, 10}, {11 * time.Second, -1, 0}, {time.Hour, -1, 0},
	} {
		if phase, rate := table.PhaseAt(c.at), table.RateAt(c.at); phase != c.phase || math.Abs(rate-c.rate) > 1e-6 {
			t.Errorf("at %v: phase %d, rate %v; want %d, %v", c.at, phase, rate, c.phase, c.rate)
		}
	}
	var names []string
	sum := 0.0
	for _, s := range table.Stages() {
		names = append(names, s.Name)
		sum += s.Planned
	}
	if want := []string{"steps 100", "steps 200", "ramp 0..50", "spike 10", "spike 90", "spike 10"}; !slices.Equal(names, want) {
		t.Errorf("stages %q", names)
	}
	if want := 200 + 400 + 100 + 110.; math.Abs(sum-want) > 1e-6 || math.Abs(table.Planned(0, time.Hour)-want) > 1e-6 || math.Abs(table.Planned(-time.Hour, 0)-100) > 1e-6 {
		t.Errorf("planned %v, %v, warm-up %v", sum, table.Planned(0, time.Hour), table.Planned(-time.Hour, 0))
	}
	if closed := (&Profile{Mode: Closed}).Timetable(0); closed.Planned(0, time.Hour) != 0 || closed.PhaseAt(0) != -1 || closed.RateAt(0) != 0 {
		t.Error("a closed loop plans something")
	}
}

// TestRateIsTheShortFormOfAPhase: the short form is a phase without an end.
func TestRateIsTheShortFormOfAPhase(t *testing.T) {
	short := Profile{Mode: Open, Rate: 1234.5, Arrivals: Uniform}
	long := Profile{Mode: Open, Arrivals: Uniform, Phases: []Phase{mustParse(t, "constant 1234.5 10s")}}
	a, b := starts(short, 1, 0, 1), starts(long, 1, 0, 1)
	if len(a) < 12_345 || len(a) != len(b) {
		t.Fatalf("%d arrivals, as a phase %d", len(a), len(b))
	}
	for i := range a {
		if d := a[i] - b[i]; d < -1 || d > 1 {
			t.Fatalf("arrival %d: %d, as a phase %d", i, a[i], b[i])
		}
	}
}

func TestScheduleDoesNotAllocate(t *testing.T) {
	for name, p := range profiles(t) {
		s := NewSchedule(&p, 0, 1, 0, 1)
		if n := testing.AllocsPerRun(1000, func() { s.next() }); n != 0 {
			t.Errorf("%s: %v allocations per arrival", name, n)
		}
	}
}

func BenchmarkSchedule(b *testing.B) {
	long := "100h"
	for name, p := range map[string]Profile{
		"rate/uniform": {Rate: 1e6, Arrivals: Uniform}, "rate/poisson": {Rate: 1e6},
		"constant": {Phases: []Phase{mustParse(b, "constant 1e6 "+long)}, Arrivals: Uniform},
		"ramp":     {Phases: []Phase{mustParse(b, "ramp 1e5..1e6 "+long)}, Arrivals: Uniform},
		"sine":     {Phases: []Phase{mustParse(b, "sine 1e5~1e5 every 1m "+long)}, Arrivals: Uniform},
	} {
		b.Run(name, func(b *testing.B) {
			s := NewSchedule(&p, 0, 1, 0, 1)
			sum := int64(0)
			for b.Loop() {
				at, _ := s.next()
				sum += at
			}
			if sum == 0 {
				b.Fatal("no arrivals")
			}
		})
	}
}

// TestRatesOfNextToNothing: the second arrival of a rate so low is further away
// than a clock can tell. It must not come at once.
func TestRatesOfNextToNothing(t *testing.T) {
	for _, arrivals := range []Arrivals{Uniform, Poisson} {
		for _, rate := range []float64{1e-12, 5e-324} {
			c := NewSchedule(&Profile{Mode: Open, Connections: 1, Rate: rate, Arrivals: arrivals}, 0, 1, 0, 1)
			c.After(1000)
			if at := c.After(1000); at != math.MaxInt64 {
				t.Errorf("%v/s, %s: the second arrival is at %d", rate, arrivals, at)
			}
		}
	}
}
