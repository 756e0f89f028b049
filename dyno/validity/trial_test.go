package validity

import (
	"math/rand/v2"
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/probe"
)

// second is what a made-up window of a closed loop shows.
type second struct {
	rate  float64       // requests/s
	p50   time.Duration // response
	cost  time.Duration // of the subject's CPU, per request
	rss   uint64
	heap  uint64
	gc    uint64        // cycles
	loops time.Duration // CPU time of the generator
	clock float64       // MHz
}

// steady is a second of a subject that is well: 10,000 requests/s at 60 µs each,
// on a CPU of its own.
var steady = second{rate: 10_000, p50: time.Millisecond, cost: 60 * time.Microsecond, rss: 50 << 20, loops: 400 * time.Millisecond}

// trialOf makes up a trial: a warm-up window, and measured ones with 1 % of noise.
func trialOf(seed uint64, seconds int, at func(i int) second) []archive.Window {
	random := rand.New(rand.NewPCG(seed, 1))
	noisy := func(x float64) float64 { return x * (1 + 0.01*random.NormFloat64()) }
	var windows []archive.Window
	for i := -1; i < seconds; i++ {
		s := at(i)
		n := noisy(s.rate)
		h := measure.NewHistogram()
		h.RecordValues(int64(noisy(float64(s.p50))), int64(n))
		cpu := time.Duration(n * noisy(float64(s.cost)))
		w := archive.Window{
			Client: measure.Window{Index: i, Length: time.Second, Sent: uint64(n), Completed: uint64(n), CPUUser: s.loops},
			Server: probe.Window{
				Length:  time.Second,
				Process: &probe.Process{CPU: cpu, RSS: s.rss},
				Machine: &probe.Machine{
					CPUs: 2, Busy: cpu + s.loops, Frequency: s.clock, Self: &probe.Self{CPU: s.loops, RunQueue: 20 * time.Millisecond},
					TasksByCPU: []time.Duration{s.loops, cpu}, IRQByCPU: make([]time.Duration, 2), Programs: &probe.Programs{},
				},
			},
		}
		if s.heap > 0 {
			w.Server.Runtime = &probe.Runtime{Heap: s.heap, GCCycles: s.gc}
		}
		w.Client.Hist[measure.Response] = h
		windows = append(windows, w)
	}
	return windows
}

var closedLoop = Conditions{Profile: profile.Profile{Mode: profile.Closed, Connections: 64}, Loops: 1, SubjectCPUs: 1, GeneratorCPUs: []int{0}, ItsCPUs: []int{1}}

// Each trouble is named, and nothing else is.
func TestTroubleIsNamed(t *testing.T) {
	for _, c := range []struct {
		name    finding.Name
		seconds int
		at      func(i int) second
		level   finding.Validity
	}{
		{"", 12, func(int) second { return steady }, ""},
		{finding.StillWarmingUp, 12, func(i int) second {
			s := steady
			if i < 5 {
				s.rate, s.p50, s.cost = 7000, 1400*time.Microsecond, 90*time.Microsecond
			}
			return s
		}, finding.Suspect},
		{finding.StillWarmingUp, 14, func(i int) second {
			s := steady
			if i < 8 {
				s.rate, s.p50 = 8500, 1200*time.Microsecond
			}
			return s
		}, finding.Invalid},
		{finding.Drifting, 12, func(i int) second {
			s := steady
			if i >= 6 {
				s.rate, s.p50, s.cost = 8000, 1250*time.Microsecond, 75*time.Microsecond
			}
			return s
		}, finding.Suspect},
		{finding.Leak, 12, func(i int) second {
			s := steady
			s.rss += uint64(i+1) * 3 << 20
			return s
		}, finding.Suspect},
		{finding.Leak, 12, func(i int) second {
			s := steady
			s.heap, s.gc = 20<<20+uint64(i+1)*2<<20, 5
			return s
		}, finding.Suspect},
		{finding.SubjectNotTheBottleneck, 12, func(int) second {
			s := steady
			s.loops = 980 * time.Millisecond
			return s
		}, finding.Suspect},
		{finding.Frequency, 10, func(i int) second {
			s := steady
			s.clock = 3000
			if i%3 == 0 {
				s.clock = 2600
			}
			return s
		}, finding.Suspect},
	} {
		for seed := range uint64(20) {
			found := Trial(nil, trialOf(seed, c.seconds, c.at), closedLoop)
			switch {
			case c.name == "" && len(found) > 0:
				t.Errorf("seed %d: found %+v in a trial without fault", seed, found)
			case c.name == "":
			case len(found) != 1 || found[0].Name != c.name || found[0].Validity != c.level:
				t.Errorf("seed %d: found %+v, want %s %s", seed, found, c.level, c.name)
			}
		}
	}
}

// A database that shares the subject's CPUs keeps them busy as well: full loops are then
// not all that limits. One that leaves them idle changes nothing.
func TestServicesFillTheSubjectsCPUs(t *testing.T) {
	conditions := closedLoop
	conditions.ServiceCPUs = map[string][]int{"db": conditions.ItsCPUs}
	for used, want := range map[time.Duration]int{350 * time.Millisecond: 0, 50 * time.Millisecond: 1} {
		windows := trialOf(1, 12, func(int) second {
			s := steady
			s.loops = 980 * time.Millisecond
			return s
		})
		for i := range windows {
			m := windows[i].Server.Machine
			m.Busy, m.TasksByCPU[1] = m.Busy+used, m.TasksByCPU[1]+used
			windows[i].Server.Services = []probe.ServiceWindow{{Name: "db", Process: &probe.Process{CPU: used}}}
		}
		if found := Trial(nil, windows, conditions); len(found) != want {
			t.Errorf("a database that uses %v a second: %+v", used, found)
		}
	}
}

// What looks like trouble and is none.
func TestNoTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		conditions Conditions
		at         func(i int) second
	}{
		"full loops against a subject that is full": {closedLoop, func(int) second {
			s := steady
			s.loops, s.cost = 980*time.Millisecond, 95*time.Microsecond
			return s
		}},
		"full loops that share the subject's CPUs": {Conditions{Profile: closedLoop.Profile, SubjectCPUs: 2}, func(int) second {
			s := steady
			s.loops = 990 * time.Millisecond
			return s
		}},
		"an idle subject that is not asked for its maximum": {Conditions{Profile: profile.Profile{Mode: profile.Open, Rate: 10_000}, Loops: 1, SubjectCPUs: 1}, func(int) second {
			s := steady
			s.loops = 990 * time.Millisecond
			return s
		}},
		"few connections": {closedLoop, func(int) second {
			s := steady
			s.loops, s.cost = 300*time.Millisecond, 20*time.Microsecond
			return s
		}},
		"memory that settles": {closedLoop, func(i int) second {
			s := steady
			s.rss += uint64(min(i+1, 5)) * 4 << 20
			return s
		}},
		"garbage that was not collected yet": {closedLoop, func(i int) second {
			s := steady
			s.heap, s.rss = 8<<20+uint64(i+1)*2<<20, s.rss+uint64(i+1)*2<<20
			return s
		}},
		"a slight change": {closedLoop, func(i int) second {
			s := steady
			if i < 6 {
				s.rate = 9700
			}
			return s
		}},
	} {
		for seed := range uint64(20) {
			// That loops are full is the generator's own finding, not one of here.
			if found := Trial(nil, trialOf(seed, 12, c.at), c.conditions); len(found) > 0 {
				t.Errorf("%s, seed %d: found %+v", name, seed, found)
			}
		}
	}
}

// A subject that still changes at the end has no steady state, which is a remark.
func TestNeverSteady(t *testing.T) {
	found := Trial(nil, trialOf(3, 24, func(i int) second {
		s := steady
		if i >= 20 {
			s.rate, s.p50, s.cost = 6000, 1600*time.Microsecond, 100*time.Microsecond
		}
		return s
	}), closedLoop)
	if len(found) != 1 || found[0].Name != finding.NeverSteady || found[0].Validity != finding.Valid {
		t.Errorf("found %+v", found)
	}
}

// Loads with phases change by themselves; short trials tell nothing.
func TestWhatIsNotJudged(t *testing.T) {
	slower := func(i int) second {
		s := steady
		s.rate *= 1 - 0.05*float64(i)
		return s
	}
	if found := Trial(nil, trialOf(1, 7, slower), closedLoop); len(found) > 0 {
		t.Errorf("of seven seconds: %+v", found)
	}
	phases := Conditions{Profile: profile.Profile{Mode: profile.Open, Phases: make([]profile.Phase, 2)}}
	costs := func(i int) second {
		s := steady
		s.p50 += time.Duration(i+1) * time.Millisecond
		return s
	}
	if found := Trial(nil, trialOf(1, 12, costs), phases); len(found) > 0 {
		t.Errorf("of a load with phases: %+v", found)
	}
}

// What is accepted is still found, and lowers nothing.
func TestAccepted(t *testing.T) {
	c := closedLoop
	c.Accept = []finding.Name{finding.OtherLoad}
	windows := trialOf(1, 10, func(int) second { return steady })
	for i := range windows {
		disturb(&windows[i], 1, time.Second)
	}
	found := Trial(nil, windows, c)
	if len(found) != 1 || !found[0].Accepted || found[0].Validity != finding.Invalid || finding.Worst(found) != finding.Valid {
		t.Errorf("found %+v", found)
	}
	for _, w := range windows {
		if w.Level != finding.Valid || len(w.Why) != 1 || !w.Why[0].Accepted {
			t.Fatalf("window %d is %s because of %+v", w.Client.Index, w.Level, w.Why)
		}
	}
}
