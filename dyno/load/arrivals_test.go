package load

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
)

// sendBy feeds a recorder with the schedule as distorted by a function, and
// returns what the collector makes of it. It gives the slots back.
func sendBy(free chan *engine.Slot, p profile.Profile, seed uint64, d time.Duration, distort func(intended int64) int64) *Result {
	p.Connections = 1
	spec := Spec{Profile: p, Seed: seed, Duration: d}
	r := &Result{}
	c := newCollector(&spec, 1, r)
	c.begin(0)
	defer c.health.close()
	out := make(chan *engine.Slot, engine.SlotsPerLoop)
	rec := engine.NewRecorder(0, 0, out, free, func() (user, sys time.Duration) { return 0, 0 })
	rec.SampleEvery(engine.SampleEvery(&p, 1))
	collect := func() {
		for len(out) > 0 {
			s := <-out
			r.Windows = append(r.Windows, measure.Window{Index: s.Index, Start: s.Start, Length: s.Length})
			c.arrivals[0].add(&s.Sends, s.Index)
			s.Clear(0, 0, 0)
			s.Home <- s
		}
	}
	arrivals := profile.NewSchedule(&spec.Profile, spec.Warmup, spec.Seed, 0, 1)
	for at := arrivals.After(0); at < int64(d); at = arrivals.After(0) {
		rec.Advance(at, int64(d))
		collect()
		rec.SentAt(distort(at))
	}
	rec.Finish(int64(d))
	collect()
	r.arrivals = c.arrivals[0].finish(len(r.Windows) - 1)
	r.measured = len(r.Windows)
	r.judgeArrivals(&spec)
	return r
}

func asScheduled(at int64) int64 { return at }

// TestArrivalsLevel: loads that send as scheduled are hardly ever accused. At
// one in a thousand, 2000 seeds have two on average, and more than nine with a
// probability below 1e-4, 500 more than four with one below 2e-4; the seeds are
// fixed, so this does not flicker.
func TestArrivalsLevel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rate  float64
		d     time.Duration
		loads int
		most  int
	}{{40, 3 * time.Second, 2000, 9}, {300, 5 * time.Second, 500, 4}, {20_000, 4 * time.Second, 20, 1}} {
		free, accused := engine.NewSlots(0, 0), 0
		for seed := range uint64(c.loads) {
			r := sendBy(free, profile.Profile{Mode: profile.Open, Rate: c.rate}, seed, c.d, asScheduled)
			if seed == 0 && len(r.arrivals) == 0 {
				t.Fatalf("rate %v: nothing was tested", c.rate)
			}
			if len(r.Findings) > 0 {
				accused++
			}
		}
		if accused > c.most {
			t.Errorf("rate %v: %d of %d loads were accused without reason", c.rate, accused, c.loads)
		}
	}
}

// TestArrivalsPower: what distorts a load is found, and said of its windows.
func TestArrivalsPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		name    string
		p       profile.Profile
		distort func(int64) int64
	}{
		{"bunched every 20 ms", profile.Profile{Rate: 1000}, func(at int64) int64 { return (at/20e6 + 1) * 20e6 }},
		{"even instead of Poisson", profile.Profile{Rate: 500}, evenly(500)},
		{"even instead of Poisson, fast", profile.Profile{Rate: 20_000}, evenly(20_000)},
		{"a ramp held level", profile.Profile{Phases: []profile.Phase{{Shape: profile.Ramp, From: 100, To: 3000, Duration: 5 * time.Second}}}, evenly(1550)},
		{"10 % faster", profile.Profile{Rate: 10_000}, func(at int64) int64 { return at * 10 / 11 }},
		{"uniform, bunched", profile.Profile{Rate: 1000, Arrivals: profile.Uniform}, func(at int64) int64 { return (at/20e6 + 1) * 20e6 }},
		{"uniform, jittered by 2 ms", profile.Profile{Rate: 2000, Arrivals: profile.Uniform}, func(at int64) int64 { return at + rng.Int64N(4e6) - 2e6 }},
	} {
		c.p.Mode = profile.Open
		r := sendBy(engine.NewSlots(0, 0), c.p, 1, 5*time.Second, c.distort)
		if len(r.Findings) != 1 || r.Findings[0].Name != finding.ArrivalsOff || r.Findings[0].Validity != finding.Suspect {
			t.Errorf("%s: found %+v", c.name, r.Findings)
			continue
		}
		if f := r.Windows[1].Findings; len(f) != 1 || f[0].Detail.IsZero() || f[0].Windows[0] != 1 {
			t.Errorf("%s: the window says %+v", c.name, f)
		}
	}
}

// TestArrivalsSayWhoHeldThemUp: a service that holds all connections is not the
// generator, and the other way round.
func TestArrivalsSayWhoHeldThemUp(t *testing.T) {
	windows := map[int]*measure.Window{0: {Offered: 1000}, 1: {Offered: 1000, Queued: 400, Late: 2}, 2: {Offered: 1000, Late: 300, Queued: 20}}
	for window, want := range map[int]string{0: "", 1: "any of the 8 connections, so 400 of 1000", 2: "generator itself took up 300 of 1000"} {
		b := arrivalBatch{first: window, last: window}
		if got := b.cause(windows, 8); !strings.Contains(got.String(), want) || want == "" && !got.IsZero() {
			t.Errorf("window %d: %q", window, got)
		}
	}
	both := arrivalBatch{first: 0, last: 1}
	if got := both.cause(windows, 8); !strings.Contains(got.String(), "400 of 2000") {
		t.Errorf("both: %q", got)
	}
}

// evenly forgets when requests were due.
func evenly(rate float64) func(int64) int64 {
	n := 0.0
	return func(int64) int64 { n++; return int64(n * 1e9 / rate) }
}

// Rates that move are tested in the arrivals they plan.
func TestArrivalsOfPhases(t *testing.T) {
	phases := []profile.Phase{
		{Shape: profile.Ramp, From: 100, To: 4000, Duration: 2 * time.Second},
		{Shape: profile.Sine, Rate: 2000, Amplitude: 1500, Period: time.Second, Duration: 2 * time.Second},
		{Shape: profile.Steps, Rates: []float64{500, 0, 3000}, Duration: 3 * time.Second},
	}
	for _, arrivals := range []profile.Arrivals{profile.Poisson, profile.Uniform} {
		r := sendBy(engine.NewSlots(0, 0), profile.Profile{Mode: profile.Open, Phases: phases, Arrivals: arrivals}, 2, 7*time.Second, asScheduled)
		if len(r.Findings) > 0 || len(r.arrivals) < 4 {
			t.Errorf("%s: found %+v in %d batches", arrivals, r.Findings, len(r.arrivals))
		}
	}
	mixed := []profile.Phase{{Shape: profile.Constant, Rate: 10, Duration: time.Second}, {Shape: profile.Constant, Rate: 10, Duration: time.Second, Arrivals: profile.Uniform}}
	if test := newArrivalTest(&Spec{Profile: profile.Profile{Mode: profile.Open, Phases: mixed}}, 1, 0); test != nil {
		t.Error("phases of both kinds are tested as one")
	}
}

// What a loop does in microseconds is not a distortion of the load.
func TestArrivalsForgiveTheLoopsTurn(t *testing.T) {
	for _, arrivals := range []profile.Arrivals{profile.Poisson, profile.Uniform} {
		turn := func(at int64) int64 { return at - at%100_000 + 100_000 }
		if r := sendBy(engine.NewSlots(0, 0), profile.Profile{Mode: profile.Open, Rate: 30_000, Arrivals: arrivals}, 5, 4*time.Second, turn); len(r.Findings) > 0 || len(r.arrivals) < 4 {
			t.Errorf("%s: found %+v in %d batches", arrivals, r.Findings, len(r.arrivals))
		}
	}
}

// Windows that are left out are not judged, nor is the warm-up.
func TestArrivalsOfUnusableWindows(t *testing.T) {
	off := arrivalBatch{first: 0, last: 1, gaps: batchGaps, a2: 99, p: 1e-30}
	for name, windows := range map[string][]measure.Window{
		"invalid": {{Index: 0}, {Index: 1, Findings: []finding.Finding{{Name: finding.GeneratorStalled, Validity: finding.Invalid}}}},
		"warm-up": {{Index: -1}, {Index: 1}},
	} {
		r := &Result{Windows: windows, arrivals: []arrivalBatch{off}, measured: 2}
		if name == "warm-up" {
			r.arrivals[0].first = -1
		}
		if r.judgeArrivals(&Spec{}); len(r.Findings) > 0 {
			t.Errorf("%s: %+v", name, r.Findings)
		}
	}
}

func TestSampleBeyondItsRoom(t *testing.T) {
	s := engine.NewSlot(0)
	rec := engine.Recorder{Slot: s}
	rec.SampleEvery(1)
	for i := range engine.SendsKept + 5 {
		rec.SentAt(int64(i))
	}
	if len(s.Sends.At) != engine.SendsKept || !s.Sends.Lost || rec.Sent != engine.SendsKept+5 {
		t.Fatalf("%d samples, lost %v, sent %d", len(s.Sends.At), s.Sends.Lost, rec.Sent)
	}
	test := newArrivalTest(&Spec{Profile: profile.Profile{Mode: profile.Open, Rate: 1000}}, 1, 0)
	if test.add(&s.Sends, 0); len(test.gaps) != 0 {
		t.Error("gaps next to a hole were kept")
	}
}

func TestSamplingAClosedLoop(t *testing.T) {
	rec := engine.Recorder{Slot: engine.NewSlot(0)}
	rec.SampleEvery(engine.SampleEvery(&profile.Profile{Mode: profile.Closed}, 1))
	if n := testing.AllocsPerRun(1000, func() { rec.SentAt(1) }); n != 0 || len(rec.Sends.At) != 0 {
		t.Errorf("%v allocations, %d samples", n, len(rec.Sends.At))
	}
}

// TestEnginesSampleTheirSendings: what is tested above is fed by every engine.
func TestEnginesSampleTheirSendings(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, engine string) {
		s := spec(server(t, replies(okReply)), profile.Profile{Mode: profile.Open, Connections: 8, Rate: 1000})
		s.Engine, s.Duration = engine, time.Second
		eventually(t, func(wrong func(string, ...any)) {
			if r := mustRun(t, s); len(r.arrivals) == 0 {
				wrong("no batch of gaps in %d requests", r.Total.Sent)
			}
		})
	})
}

// BenchmarkSent is what the sample costs per request, counting included.
func BenchmarkSent(b *testing.B) {
	rec := engine.Recorder{Slot: engine.NewSlot(0)}
	rec.SampleEvery(20)
	for i := int64(0); b.Loop(); i++ {
		if rec.SentAt(i); len(rec.Sends.At) == engine.SendsKept {
			rec.Sends.At = rec.Sends.At[:0]
		}
	}
}
