package collect

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"dyno.example/dyno/evidence"
)

func TestShareFor(t *testing.T) {
	ms := int64(time.Millisecond)
	for _, c := range []struct {
		rate float64
		far  int64
		want float64
	}{
		{0, 0, 1}, {50, 20 * ms, 1}, {1500, 20 * ms, 1}, {2000, 20 * ms, 0.5}, {10_000, 20 * ms, 0.1}, {1e6, 20 * ms, leastShare},
		{10_000, 250 * ms, 0.1}, {10_000, 251 * ms, 1}, // windows can't hold these
	} {
		if got := shareFor(c.rate, c.far); got != c.want {
			t.Errorf("%v/s, 1 in 1000 from %v: %v, want %v", c.rate, time.Duration(c.far), got, c.want)
		}
	}
}

// TestRequestsAcrossAWindowsEdge: they are evidence of nothing, and counted.
func TestRequestsAcrossAWindowsEdge(t *testing.T) {
	k := &Collector{duty: duty{spans: []span{
		{after: 0, on: 100, from: 110, to: 210, off: 250},
		{after: 210, on: 900, from: 910, to: 1010, off: 1010}, // turned off before its time
		{after: 1010, on: 2000, from: 2010, to: 2110},
	}}}
	for _, c := range []struct {
		name            string
		due, done       int64
		place           int
		unattended, cut uint64
	}{
		{"before all", 50, 60, -1, 1, 0},
		{"due before the window, ended in it", 90, 150, -1, 1, 0},
		{"due while they were on, and too early", 105, 150, -1, 1, 0},
		{"the first", 110, 111, 0, 0, 0},
		{"due in the window, ended while they were on", 209, 250, 0, 0, 0},
		{"due in the window, ended later", 209, 251, -1, 1, 1},
		{"due when only the others were waited for", 210, 220, -1, 1, 0},
		{"between two", 500, 600, -1, 1, 0},
		{"ended in another window", 200, 950, -1, 1, 1},
		{"due in one that was turned off", 1000, 1015, -1, 1, 0},
		{"in the one that is under way", 2050, 9000, 2, 0, 0},
	} {
		k.header.Counts = evidence.Counts{}
		place := k.attended(&evidence.Sample{Intended: c.due, Done: c.done})
		if n := k.header.Counts; place != c.place || n.Unattended != c.unattended || n.Cut != c.cut {
			t.Errorf("%s: place %d, %d out of reach, %d cut off", c.name, place, n.Unattended, n.Cut)
		}
	}
}

// service is a made-up one: of each request, how long it takes and what that was caused by.
type service func(due int64, r *rand.Rand) (took int64, cause string)

// watched is what a collector makes of a service's requests, three in each millisecond. Times are the
// sums of what they took, by cause; sampled is weighed as explain does.
type watched struct {
	all, sampled     map[string]float64
	requests, weight float64
	share            float64 // of the time
	cut              uint64
}

// watch simulates. The probes are looked after each tick, as the collector does.
func watch(seconds int, share float64, seed uint64, serve service) watched {
	w := watched{all: map[string]float64{}, sampled: map[string]float64{}}
	random := rand.New(rand.NewPCG(seed, 1))
	s := evidence.NewSampler()
	s.Awake(true)
	s.Every(1, 1)
	k := &Collector{sampler: s, duty: duty{random: rand.New(rand.NewPCG(seed, 2)), share: 1}}
	draws := s.Loop(0)
	type request struct {
		due, took int64
		cause     string
	}
	type kept struct {
		request
		place int
	}
	ends := map[int64][]request{} // by millisecond
	var list []kept
	const ms = int64(1e6)
	k.duty.begin(0)
	k.aim()
	length := int64(seconds) * 1000 * ms
	for now := int64(0); now < length; now += ms {
		for i := range int64(3) {
			one := request{due: now + i*ms/3}
			one.took, one.cause = serve(one.due, random)
			draws.Began(one.due)
			at := (one.due + one.took) / ms
			ends[at] = append(ends[at], one)
			w.all[one.cause] += float64(one.took)
			w.requests++
		}
		for _, one := range ends[now/ms] {
			if draws.Wants(1, 0, one.due, one.due+one.took).Class == "" {
				continue
			}
			if place := k.attended(&evidence.Sample{Intended: one.due, Done: one.due + one.took}); place >= 0 {
				list = append(list, kept{one, place})
			}
		}
		delete(ends, now/ms)
		if now%int64(tick) != 0 {
			continue
		}
		if now >= counting {
			k.duty.share = share
		}
		switch k.duty.next(now+ms, s.Settled) {
		case aim:
			k.aim()
		case pause:
			k.duty.end(now + ms)
		case resume:
			k.duty.window(now + ms)
			k.aim()
		}
	}
	k.duty.stop(length)
	for i := range list {
		weight := k.duty.spans[list[i].place].weight()
		w.sampled[list[i].cause] += weight * float64(list[i].took)
		w.weight += weight
	}
	w.share, w.cut = k.duty.looked(0).Share(), k.header.Counts.Cut
	return w
}

// TestWindowsAreFair: what requests took is divided among causes by those in windows as by all, be
// the cause in one in ten, long and rare, periodic as the windows are on average, or in some seconds.
func TestWindowsAreFair(t *testing.T) {
	const share = 0.2
	ms := int64(time.Millisecond)
	period := int64(float64(windowLength) / share)
	cases := map[string]service{
		"in one in ten": func(_ int64, r *rand.Rand) (int64, string) {
			if r.IntN(10) == 0 {
				return 10*ms + r.Int64N(20*ms), "lock"
			}
			return r.Int64N(2 * ms), ""
		},
		"longer than a window": func(_ int64, r *rand.Rand) (int64, string) {
			if r.IntN(500) == 0 {
				return 120*ms + r.Int64N(100*ms), "disk"
			}
			return r.Int64N(2 * ms), ""
		},
		"as periodic as windows": func(due int64, r *rand.Rand) (int64, string) {
			if due%period < 30*ms {
				return 20 * ms, "timer"
			}
			return r.Int64N(2 * ms), ""
		},
		"twice as periodic": func(due int64, r *rand.Rand) (int64, string) {
			if due%(period/2) < 15*ms {
				return 20 * ms, "timer"
			}
			return r.Int64N(2 * ms), ""
		},
	}
	for name, serve := range cases {
		t.Run(name, func(t *testing.T) {
			var logs, squares, requests, in, n float64
			for seed := range uint64(10) {
				w := watch(60, share, seed, serve)
				if w.cut != 0 {
					t.Errorf("seed %d: %d were cut off", seed, w.cut)
				}
				of := func(m map[string]float64) float64 {
					part, all := 0.0, 0.0
					for cause, took := range m {
						if all += took; cause != "" {
							part += took
						}
					}
					return part / all
				}
				x := of(w.sampled)/of(w.all) - 1
				logs, squares, n = logs+x, squares+x*x, n+1
				requests += w.weight / w.requests
				in += w.share
			}
			mean := logs / n
			deviation := math.Sqrt(squares/n-mean*mean) / math.Sqrt(n)
			if math.Abs(mean) > 3*deviation+0.01 || deviation > 0.1 {
				t.Errorf("its share is off by %.3f ± %.3f", mean, deviation)
			}
			if math.Abs(requests/n-1) > 0.02 {
				t.Errorf("records stand for %.3f of all requests", requests/n)
			}
			if in/n < share || in/n > share+0.03 { // with the half second in which all are looked at
				t.Errorf("requests of %.3f of the time are looked at", in/n)
			}
		})
	}
}

// TestAllAreLookedAtWhereThereAreFew: nothing is lost, and each stands for itself.
func TestAllAreLookedAtWhereThereAreFew(t *testing.T) {
	w := watch(10, 1, 1, func(int64, *rand.Rand) (int64, string) { return 1e6, "work" })
	if w.share != 1 || w.cut != 0 {
		t.Errorf("%.3f of the time, %d cut off", w.share, w.cut)
	}
	if lost := w.requests - w.weight; lost > 60 { // before the probes were known to be on, and at the end
		t.Errorf("%v of %v lost", lost, w.requests)
	}
}

// TestWhatNeverEndsIsCutOff: a request that outlasts the wait for it is counted.
func TestWhatNeverEndsIsCutOff(t *testing.T) {
	w := watch(30, 0.1, 3, func(_ int64, r *rand.Rand) (int64, string) {
		if r.IntN(200) == 0 {
			return 2 * mostHold, "stuck"
		}
		return 1e6, ""
	})
	if w.cut == 0 {
		t.Error("nothing is said to have been cut off")
	}
}

// TestStepsOfADuty: the rate falls in a window, and in the wait for its requests: from then on all are
// looked at, or from the next window on.
func TestStepsOfADuty(t *testing.T) {
	d := duty{random: rand.New(rand.NewPCG(1, 1)), share: 0.1}
	settled := false
	at := int64(0)
	expect := func(after int64, want step) {
		t.Helper()
		at += after
		if got := d.next(at, func() bool { return settled }); got != want {
			t.Fatalf("at %v: step %d, want %d", time.Duration(at), got, want)
		}
	}
	d.begin(at)
	expect(lead, aim)
	expect(lead/2, stay) // some that began meanwhile are still due in time
	expect(lead, stay)
	settled = true
	expect(1, pause)
	d.end(at)
	settled = false
	expect(0, stay)
	expect(d.due-at-1, stay)
	expect(1, resume)
	d.window(at)
	d.share = 1
	expect(lead, aim)
	if s := d.current(); s.to != always {
		t.Errorf("requests are looked at until %d", s.to)
	}
	expect(10*windowLength, stay)
	d.share = 0.1
	expect(0, aim)
	expect(2*lead, stay)
	d.share = 1
	expect(mostHold, pause) // though some never ended
	d.end(at)
	expect(1, resume)
	d.window(at)
	if s := d.current(); s.to != always {
		t.Errorf("requests are looked at until %d", s.to)
	}
	d.end(at + lead/2) // before any was due
	if s := &d.spans[len(d.spans)-1]; s.to != s.from || s.weight() != 1 {
		t.Errorf("%+v", *s)
	}
	d.share = 0.1
	d.window(at)
	d.end(at + lead + windowLength + 7)
	d.stop(at + 10*windowLength) // in the pause
	if s := &d.spans[len(d.spans)-1]; s.weight() != float64(at+10*windowLength-s.after)/float64(windowLength) {
		t.Errorf("%+v stands for %v of its requests", *s, s.weight())
	}
}

// TestStoppedTwice: what ends while the probes are off for their cost has no pause of theirs.
func TestStoppedTwice(t *testing.T) {
	d := duty{share: 1}
	d.begin(0)
	d.stop(lead + 1e9)
	d.stop(lead + 3e9)
	if l := d.looked(0); l.Share() != 1 || d.spans[0].weight() != 1 {
		t.Errorf("looked %+v, with a weight of %v", l, d.spans[0].weight())
	}
}
