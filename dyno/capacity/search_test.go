package capacity

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

// find searches in time that passes at once.
func find(t *testing.T, s *simulated, change func(*Search)) (r *Result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		search := &Search{Goal: DefaultGoal(), Service: s}
		if change != nil {
			change(search)
		}
		var err error
		if r, err = search.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	return r
}

func TestSearchFindsTheCapacity(t *testing.T) {
	for _, capacity := range []float64{3, 47, 400, 12_345, 2e6} {
		for _, short := range []float64{-0.2, 0, 0.3} {
			for _, start := range []float64{0, 0.01 * capacity, 20 * capacity} {
				s := newSimulated(capacity)
				s.short = short
				r := find(t, s, func(search *Search) { search.Start, search.Goal.MaxTime = start, 0 })
				if !r.Found() || !r.Reached || r.Holds.Rate > capacity || r.Fails.Rate < capacity || r.Width > 0.05 {
					t.Errorf("capacity %v, short trials off by %v, from %v: %+v", capacity, short, start, r)
					continue
				}
				if n := r.Holds.Count(Holds, 5*time.Second); n < 2 {
					t.Errorf("capacity %v: %v is said to hold after %d full trials", capacity, r.Holds.Rate, n)
				}
				if n := r.Fails.Count(Fails, 5*time.Second); n < 2 {
					t.Errorf("capacity %v: %v is said to fail after %d full trials", capacity, r.Fails.Rate, n)
				}
				if s.settled == 0 || len(r.Broke) != 1 || r.Broke[0].Condition != "p99 < 10ms" || r.Broke[0].Failed != r.Broke[0].Of {
					t.Errorf("capacity %v: settled %d times, broke %+v", capacity, s.settled, r.Broke)
				}
			}
		}
	}
}

// Where the objective holds by chance, the bracket is where it holds in half of
// the trials, more or less.
func TestSearchOfAFuzzyCapacity(t *testing.T) {
	const runs = 100
	sum, sumSquares, found := 0.0, 0.0, 0.0
	for seed := range uint64(runs) {
		s := newSimulated(1000)
		s.fuzzy, s.rng = 0.05, rand.New(rand.NewPCG(seed, 0))
		r := find(t, s, nil)
		if !r.Found() {
			t.Errorf("seed %d: no bracket: %s", seed, r.Why)
			continue
		}
		off := math.Log(geometricMean(r.Holds.Rate, r.Fails.Rate) / 1000)
		sum, sumSquares, found = sum+off, sumSquares+off*off, found+1
	}
	mean, spread := sum/found, math.Sqrt(sumSquares/found)
	if math.Abs(mean) > 0.05 || spread > 0.15 {
		t.Errorf("brackets are off by %.1f %% on average, %.1f %% root mean square", 100*mean, 100*spread)
	}
}

func TestSearchLimitedByTheGenerator(t *testing.T) {
	s := newSimulated(1000)
	s.ceiling = 600
	r := find(t, s, nil)
	if r.Found() || r.Holds == nil || r.Limit == nil || r.Fails != nil {
		t.Fatalf("%+v", r)
	}
	if r.Holds.Rate > 600 || r.Holds.Rate < 540 || r.Limit.Rate < 600 || !strings.Contains(r.Why.String(), "generator is the limit: generator-full") {
		t.Errorf("holds at %v, limited at %v: %s", r.Holds.Rate, r.Limit.Rate, r.Why)
	}
	if n := len(r.Limit.Trials); n != maxLimited+1 || !r.Limit.Limited {
		t.Errorf("%d trials beyond the generator's limit", n)
	}
}

func TestSearchAboveWhichAllIsDisturbed(t *testing.T) {
	s := newSimulated(1000)
	s.noisy = 700
	r := find(t, s, nil)
	if r.Found() || r.Holds == nil || r.Limit == nil || r.Limit.Limited || !strings.Contains(r.Why.String(), "was disturbed") || !strings.Contains(i18n.List(" ", r.Hints...).String(), "is quiet") {
		t.Errorf("%+v", r)
	}
}

// What an interrupted search has found is not lost.
func TestSearchInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		trials := 0
		search := &Search{Goal: DefaultGoal(), Service: newSimulated(1000), OnTrial: func(*Load) {
			if trials++; trials == 3 {
				cancel()
			}
		}}
		r, err := search.Run(ctx)
		if err != nil || r.Why.String() != errEnded.Error() || len(r.Loads) == 0 || r.Reached {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

func TestSpoiledTrialsAreRepeated(t *testing.T) {
	s := newSimulated(1000)
	s.spoiled = 0.3
	r := find(t, s, func(search *Search) { search.Goal.Repeats = 20 })
	if !r.Found() || r.Holds.Rate > 1000 || r.Fails.Rate < 1000 {
		t.Errorf("%+v", r)
	}
	spoiled := 0
	for i := range r.Loads {
		spoiled += r.Loads[i].Count(Spoiled, 0)
	}
	if spoiled == 0 {
		t.Error("the simulation spoiled nothing: this tests nothing")
	}
}

func TestSearchesWithoutABracket(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*simulated, *Search)
		why    error
		holds  bool
		fails  bool
	}{
		{"even the lowest rate fails", func(s *simulated, search *Search) { s.capacity, search.Start = 0.5, 100 }, errFloor, false, true},
		{"even the highest rate holds", func(_ *simulated, search *Search) { search.Goal.MaxRate = 500 }, errTop, true, false},
		{"always disturbed", func(s *simulated, _ *Search) { s.spoiled = 1 }, errDisturbed, false, false},
		{"disturbed until time is up", func(s *simulated, search *Search) { s.spoiled, search.Goal.MaxTime = 1, 3*time.Second }, errDisturbed, false, false},
		{"no time", func(_ *simulated, search *Search) { search.Goal.MaxTime = time.Millisecond }, errTime, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSimulated(1000)
			r := find(t, s, func(search *Search) { c.change(s, search) })
			if r.Found() || r.Why.String() != c.why.Error() || (r.Holds != nil) != c.holds || (r.Fails != nil) != c.fails {
				t.Errorf("holds %+v, fails %+v: %s", r.Holds, r.Fails, r.Why)
			}
		})
	}
}

// What is said where nothing lies below the lowest rate is so of all its trials.
func TestFloorReason(t *testing.T) {
	disturbed, limited, short, fails := Trial{Decision: Spoiled}, Trial{Decision: Spoiled, Limited: true}, Trial{Decision: Spoiled, Short: true}, Trial{Decision: Fails}
	for _, c := range []struct {
		trials []Trial
		want   error
	}{
		{[]Trial{disturbed, disturbed}, errDisturbed},
		{[]Trial{disturbed, short}, errFew},
		{[]Trial{short, short}, errFew},
		{[]Trial{limited, limited}, errFew},
		{[]Trial{short, fails, short}, errFew},
	} {
		w := &walk{search: &Search{Goal: DefaultGoal()}, loads: []*Load{{Rate: 10, Class: Blocked, Trials: c.trials}}}
		if w.stage = w.search.Goal.final(); w.floorReason() != c.want {
			t.Errorf("%+v: %v, want %v", c.trials, w.floorReason(), c.want)
		}
	}
}

// silent is a service of which a closed loop shows nothing.
type silent struct {
	*simulated
	ceiling Ceiling
}

func (s silent) Ceiling(context.Context) (Ceiling, error) { return s.ceiling, nil }

// A search that can't begin says why, and what that is worth.
func TestSearchWhereNothingResponds(t *testing.T) {
	busy := []finding.Finding{{Name: finding.OtherLoad, Validity: finding.Invalid, Detail: i18n.Verbatim("other programs used 90 %")}}
	for why, c := range map[string]struct {
		ceiling  Ceiling
		said     string
		validity finding.Validity
		findings int
	}{
		"the service": {Ceiling{Why: i18n.Verbatim("status: 404")}, "nothing responded: ", finding.Valid, 0},
		"the machine": {Ceiling{Why: i18n.Verbatim("disturbed"), Disturbed: busy, Useless: true}, "no trial could be used: ", finding.Invalid, 1},
		"no finding":  {Ceiling{Why: i18n.Verbatim("disturbed"), Useless: true}, "no trial could be used: ", finding.Invalid, 0},
	} {
		search := &Search{Goal: DefaultGoal(), Service: silent{newSimulated(1000), c.ceiling}}
		r, err := search.Run(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", why, err)
		}
		if r.Found() || r.Why.String() != c.said+c.ceiling.Why.String() || r.Validity != c.validity || len(r.Findings) != c.findings || r.Loads == nil {
			t.Errorf("%s: %+v", why, r)
		}
	}
}

// A closed loop that the machine disturbed all the time shows where to begin.
func TestSearchBeginsByWhatCantBeUsed(t *testing.T) {
	s := silent{newSimulated(1000), Ceiling{Seen: 700, Why: i18n.Verbatim("disturbed"), Useless: true}}
	search := &Search{Goal: DefaultGoal(), Service: s}
	synctest.Test(t, func(t *testing.T) {
		r, err := search.Run(t.Context())
		if err != nil || !r.Found() || r.Closed != 0 || s.asked[0].Rate != 630 {
			t.Errorf("%v, %+v", err, r)
		}
	})
}

// What ends a search is shown by trials of full length.
func TestEndsOfTheRatesAreDecidedByFullTrials(t *testing.T) {
	for name, change := range map[string]func(*simulated, *Search){
		"all hold": func(_ *simulated, search *Search) { search.Goal.MaxRate = 500 },
		"all fail": func(s *simulated, search *Search) { s.capacity, search.Start = 0.5, 100 },
	} {
		r := find(t, newSimulated(1000), func(search *Search) { change(search.Service.(*simulated), search) })
		end := r.Holds
		if end == nil {
			end = r.Fails
		}
		if full := end.Count(Holds, search5s) + end.Count(Fails, search5s); full < 2 {
			t.Errorf("%s: %d trials of full length, %s", name, full, r.Why)
		}
	}
	// What a short trial overrates is found by long ones.
	s := newSimulated(450)
	s.short = 0.3
	if r := find(t, s, func(search *Search) { search.Goal.MaxRate = 500 }); !r.Found() || r.Holds.Rate > 450 {
		t.Errorf("%+v", r)
	}
}

const search5s = 5 * time.Second

// When time is up, what short trials have shown is given, and that it is not all.
func TestSearchGivesWhatItHasWhenTimeIsUp(t *testing.T) {
	r := find(t, newSimulated(1000), func(search *Search) { search.Goal.MaxTime = 12 * time.Second })
	if !r.Found() || r.Reached || r.Why.String() != errTime.Error() || r.Took > 12*time.Second {
		t.Errorf("%+v", r)
	}
}

func TestSearchPassesErrorsOn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	search := &Search{Goal: DefaultGoal(), Service: &Generator{}}
	if _, err := search.Run(ctx); err == nil {
		t.Error("a generator without a target measured something")
	}
	search.Goal.Precision = 0
	if _, err := search.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "precision") {
		t.Errorf("error %v, want one about the precision", err)
	}
}

func TestClassify(t *testing.T) {
	final := stage{5 * time.Second, 15 * time.Second, 0.5, 0.05}
	for _, c := range []struct {
		trials string // h, f: full trials; H, F: short ones; s: spoiled
		exceed float64
		want   Class
	}{
		{"", 0.5, Undecided}, {"h", 0.5, Undecided}, {"f", 0.5, Undecided},
		{"hh", 0.5, Lower}, {"ff", 0.5, Upper}, {"hf", 0.5, Undecided}, {"hfh", 0.5, Lower}, {"hff", 0.5, Upper},
		{"ss", 0.5, Undecided}, {"shsh", 0.5, Lower},
		// Every failure counts with an exceed ratio of 0.
		{"f", 0, Upper}, {"hh", 0, Undecided}, {"hhh", 0, Lower}, {"hhf", 0, Upper},
		// Short trials that held are no proof, but outweigh short ones that failed.
		{"HHHHHHHHH", 0.5, Undecided}, {"FFFFFFF", 0.5, Undecided}, {"FFFFFFFF", 0.5, Upper}, {"FFFFFFFFH", 0.5, Undecided},
		{"HHHHHhh", 0.5, Lower},
	} {
		l := Load{}
		for _, x := range c.trials {
			trial := Trial{Length: 5 * time.Second}
			switch x {
			case 'h', 'H':
				trial.Decision = Holds
			case 'f', 'F':
				trial.Decision = Fails
			case 's':
				trial.Decision = Spoiled
			}
			if x == 'H' || x == 'F' {
				trial.Length = time.Second
			}
			l.Trials = append(l.Trials, trial)
		}
		final.exceed = c.exceed
		if got := l.classify(final); got != c.want {
			t.Errorf("%q with an exceed ratio of %v: %s, want %s", c.trials, c.exceed, got, c.want)
		}
	}
}
