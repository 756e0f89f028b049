package explain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/evidence"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/probe/pprof"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// world makes seconds of a service that takes 1 ms, give or take, and is slowed by causes
// whose amounts are in each second.
type world struct {
	rand *rand.Rand
	cell Cell
}

func newWorld(seed uint64) *world { return &world{rand: rand.New(rand.NewPCG(seed, 7))} }

// second adds one: set changes what was recorded, slow of the thousand requests take that
// much longer.
func (w *world) second(trial, index, slow int, by time.Duration, set func(*archive.Window)) {
	responses := stats.Counts{}
	for i := range 1000 {
		took := 1e6 * math.Exp(0.3*w.rand.NormFloat64())
		if i < slow {
			took += float64(by)
		}
		responses = append(responses, stats.Bucket{Value: took / 1e3, Count: 1})
	}
	one := archive.Window{Level: finding.Valid, Client: measure.Window{Index: index, Length: time.Second, Completed: 1000}}
	one.Client.Stall = time.Duration(20+w.rand.IntN(200)) * time.Microsecond
	one.Server = probe.Window{
		Length:  time.Second,
		Process: &probe.Process{RunQueue: w.around(5 * time.Millisecond), FaultsMinor: uint64(w.rand.IntN(50))},
		Machine: &probe.Machine{Steal: time.Duration(w.rand.IntN(2)) * 10 * time.Millisecond, PressureIO: w.around(time.Millisecond), IRQByCPU: []time.Duration{w.around(10 * time.Millisecond)}},
		Runtime: &probe.Runtime{GCPause: w.around(100 * time.Microsecond), GCCPU: w.around(10 * time.Millisecond), AllocBytes: uint64(w.around(1e6)), LockWait: w.around(time.Millisecond), SchedP99: w.around(50 * time.Microsecond)},
	}
	if set != nil {
		set(&one)
	}
	w.cell.Add(trial, &one, responses)
}

func (w *world) around(d time.Duration) time.Duration {
	return time.Duration(float64(d) * math.Exp(0.3*w.rand.NormFloat64()))
}

// names of the causes, the largest first.
func names(e Explanation) (list []Name) {
	for _, c := range e.Causes {
		list = append(list, c.Name)
	}
	return list
}

// Seconds tell a cause that comes and goes, two of them, and one that brings about another.
func TestSecondsTellCausesApart(t *testing.T) {
	cases := map[string]struct {
		trials int
		second func(w *world, trial, i int)
		want   []Name
		with   []Name // that can't be told apart from the first
	}{
		"collections": {1, func(w *world, trial, i int) {
			n := w.rand.IntN(3)
			w.second(trial, i, 15*n, 20*time.Millisecond, func(o *archive.Window) { o.Server.Runtime.GCCPU += time.Duration(n) * 200 * time.Millisecond })
		}, []Name{GC}, nil},
		"a quota, which makes threads wait, too": {1, func(w *world, trial, i int) {
			by := time.Duration(w.rand.IntN(4)) * 100 * time.Millisecond
			w.second(trial, i, int(by/(10*time.Millisecond)), 50*time.Millisecond, func(o *archive.Window) {
				o.Server.Process.Throttled, o.Server.Process.RunQueue = by, by+o.Server.Process.RunQueue
			})
		}, []Name{Throttled}, []Name{CPUWait}},
		"a lock that is held for long": {1, func(w *world, trial, i int) {
			n := w.rand.IntN(3)
			w.second(trial, i, 15*n, 20*time.Millisecond, func(o *archive.Window) { o.Server.Runtime.LockWait += time.Duration(n) * 300 * time.Millisecond })
		}, []Name{Lock}, nil},
		"neighbours on the CPU, without a quota": {1, func(w *world, trial, i int) {
			by := time.Duration(w.rand.IntN(4)) * 100 * time.Millisecond
			w.second(trial, i, int(by/(10*time.Millisecond)), 50*time.Millisecond, func(o *archive.Window) { o.Server.Process.RunQueue += by })
		}, []Name{CPUWait}, nil},
		"two, over restarts": {5, func(w *world, trial, i int) {
			a, b := w.rand.IntN(3), w.rand.IntN(3)
			w.second(trial, i, 25*a+10*b, 30*time.Millisecond, func(o *archive.Window) {
				o.Server.Runtime.GCCPU += time.Duration(a) * 200 * time.Millisecond
				o.Client.Resent = uint64(10 * b)
			})
		}, []Name{GC, Retransmit}, nil},
		"restarts on plateaus of their own, in step with nothing within": {5, func(w *world, trial, i int) {
			w.second(trial, i, 10*trial, 10*time.Millisecond, func(o *archive.Window) { o.Server.Process.RunQueue += time.Duration(trial) * 100 * time.Millisecond })
		}, nil, nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(1)
			for trial := range c.trials {
				for i := range 40 {
					c.second(w, trial, i)
				}
			}
			e := w.cell.Explain()
			if got := names(e); !slices.Equal(got, c.want) {
				t.Fatalf("causes are %v, want %v", got, c.want)
			}
			if len(c.want) == 0 {
				return
			}
			first := e.Causes[0]
			if !slices.Equal(first.Confounded, c.with) {
				t.Errorf("can't be told apart: %v, want %v", first.Confounded, c.with)
			}
			if !first.Interval.Contains(first.Share) || first.Share < 0.3 || first.Share > 1 || first.Lift <= 1 || first.Requests == 0 || e.Source != Seconds {
				t.Errorf("%+v of %s", first, e.Source)
			}
			units := "stretches of time"
			if c.trials > 3 {
				units = "restarts"
			}
			if e.Sampled.Units != units {
				t.Errorf("intervals are over %s, want %s", e.Sampled.Units, units)
			}
		})
	}
}

// Where there is no cause, one is named in 5 of 100 at most; here of noise that goes on
// over seconds, too.
func TestSecondsWithoutCause(t *testing.T) {
	for _, lasting := range []float64{0, 0.5} {
		named := 0
		const worlds = 60
		for seed := range uint64(worlds) {
			w := newWorld(seed)
			slow, queue := 0.0, 0.0
			for i := range 30 {
				slow = lasting*slow + w.rand.NormFloat64()
				queue = lasting*queue + w.rand.NormFloat64()
				w.second(0, i, max(0, int(10+4*slow)), 10*time.Millisecond, func(o *archive.Window) {
					o.Server.Process.RunQueue += time.Duration(max(0, 3+queue) * 1e7)
				})
			}
			if len(w.cell.Explain().Causes) > 0 {
				named++
			}
		}
		if named > worlds/10 { // 5 % and what chance may add: 0.2 % by the binomial distribution
			t.Errorf("noise with memory %g: causes were named in %d of %d", lasting, named, worlds)
		}
	}
}

func TestFewSeconds(t *testing.T) {
	w := newWorld(1)
	for i := range secondsLeast - 1 {
		w.second(0, i, 10*(i%2), 20*time.Millisecond, func(o *archive.Window) { o.Client.Resent = uint64(i % 2) })
	}
	if e := w.cell.Explain(); e.Source != Nothing || len(e.Causes) != 0 || e.Unexplained != 1 {
		t.Errorf("%+v", e)
	}
}

// requests adds a trial's evidence: n slow requests, of which excess says what they were
// slow for, and three ordinary ones for each.
func (w *world) requests(trial, n int, excess func(i int) map[evidence.Stage]time.Duration) {
	var list []evidence.Record
	add := func(class evidence.Class, of uint32, window int, more map[evidence.Stage]time.Duration) {
		r := evidence.Record{Sequence: uint32(len(list) + 1), Class: class, Of: of, Weight: 1, Window: window, Connection: "127.0.0.1:4000", Intended: int64(window) * 1e9}
		at := int64(0)
		for _, stage := range evidence.Stages() {
			long := more[stage]
			switch stage {
			case evidence.Network, evidence.Generator:
				long += w.around(20 * time.Microsecond)
			case evidence.OnCPU:
				long += w.around(time.Millisecond)
			}
			if long > 0 {
				r.Intervals = append(r.Intervals, evidence.Interval{Stage: stage, From: at, To: at + int64(long), Reason: "fsync"})
				at += int64(long)
			}
		}
		r.Sent, r.Done = r.Intended, r.Intended+at
		list = append(list, r)
	}
	for i := range n {
		window := i * 30 / n
		add(evidence.Tail, 0, window, excess(i))
		of := uint32(len(list))
		for range 3 {
			add(evidence.Match, of, window, nil)
		}
	}
	w.cell.AddEvidence(trial, &evidence.Header{Version: evidence.Version}, list)
}

func TestRequestsTellCauses(t *testing.T) {
	only := func(stage evidence.Stage, d time.Duration) map[evidence.Stage]time.Duration {
		return map[evidence.Stage]time.Duration{stage: d}
	}
	cases := map[string]struct {
		excess func(w *world, i int) map[evidence.Stage]time.Duration
		want   []Name
		share  float64 // of the first
	}{
		"one": {func(w *world, i int) map[evidence.Stage]time.Duration {
			return only(evidence.Disk, w.around(20*time.Millisecond))
		}, []Name{Disk}, 1},
		"two": {func(w *world, i int) map[evidence.Stage]time.Duration {
			if i%3 == 0 {
				return only(evidence.Lock, 20*time.Millisecond)
			}
			return only(evidence.Disk, 20*time.Millisecond)
		}, []Name{Disk, Lock}, 0.667},
		"a quota and a neighbour": {func(w *world, i int) map[evidence.Stage]time.Duration {
			return map[evidence.Stage]time.Duration{evidence.Throttled: 30 * time.Millisecond, evidence.CPUWait: 10 * time.Millisecond}
		}, []Name{Throttled, CPUWait}, 0.75},
		"nothing that is known": {func(w *world, i int) map[evidence.Stage]time.Duration {
			return only(evidence.Unexplained, 20*time.Millisecond)
		}, nil, 0},
		"a cause of two requests": {func(w *world, i int) map[evidence.Stage]time.Duration {
			if i < 2 {
				return only(evidence.DNS, 500*time.Millisecond)
			}
			return only(evidence.Poll, 20*time.Millisecond)
		}, nil, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(3)
			for i := range 30 {
				w.second(0, i, 1, 20*time.Millisecond, nil)
			}
			w.requests(0, 60, func(i int) map[evidence.Stage]time.Duration { return c.excess(w, i) })
			e := w.cell.Explain()
			if got := names(e); !slices.Equal(got, c.want) || e.Source != Requests {
				t.Fatalf("by %s: %v, want %v", e.Source, got, c.want)
			}
			sum := e.Unexplained
			for _, cause := range e.Causes {
				sum += cause.Share
				if !cause.Interval.Contains(cause.Share) || cause.Lift < 5 || len(cause.Evidence) < 3 {
					t.Errorf("%+v", cause)
				}
			}
			if math.Abs(sum-1) > 0.06 { // what is too little to be named is left to neither
				t.Errorf("shares and what is unexplained are %.3f", sum)
			}
			if len(c.want) > 0 && math.Abs(e.Causes[0].Share-c.share) > 0.05 {
				t.Errorf("share %.3f, want %.3f", e.Causes[0].Share, c.share)
			}
			slow, parts := 0.0, 0.0
			for _, p := range e.Budget {
				slow += p.Slow - p.Ordinary
				parts++
			}
			if math.Abs(slow-e.Tail.Excess) > 1 || parts < 3 {
				t.Errorf("the budget's excess is %.0f ns of %.0f", slow, e.Tail.Excess)
			}
			if len(e.Slowest) != 60 || e.Slowest[0].Took < e.Slowest[59].Took {
				t.Errorf("%d are drawn", len(e.Slowest))
			}
		})
	}
}

// Time on the CPU that is longer in seconds with more collecting is the collector's; in
// seconds like any others it is the request's own.
func TestStagesOverlaidByTheMachine(t *testing.T) {
	for _, c := range []struct {
		gc   bool
		want Name
	}{{true, GC}, {false, Work}} {
		w := newWorld(5)
		for i := range 30 {
			w.second(0, i, 1, 20*time.Millisecond, func(o *archive.Window) {
				if (i*7)%10 < 5 == c.gc {
					o.Server.Runtime.GCCPU += time.Duration(400+10*i) * time.Millisecond
				}
			})
		}
		w.requests(0, 60, func(i int) map[evidence.Stage]time.Duration {
			if !c.gc || (i/2*7)%10 < 5 {
				return map[evidence.Stage]time.Duration{evidence.OnCPU: 20 * time.Millisecond}
			}
			return map[evidence.Stage]time.Duration{evidence.OnCPU: 2 * time.Millisecond}
		})
		e := w.cell.Explain()
		if len(e.Causes) == 0 || e.Causes[0].Name != c.want {
			t.Errorf("collections %v: %v", c.gc, names(e))
		}
	}
}

// Stolen time in step with the tail, as what the program computes is stolen from too, holds up no
// request for longer than it was; and where CPUs' clocks were seen it isn't asked of the seconds.
func TestStolenTimeIsNoMoreThanItWas(t *testing.T) {
	for _, c := range []struct {
		name    string
		stolen  time.Duration // in the second of a slow request of 20 ms, or twice that
		clocked bool
		want    Name
	}{
		{"as long as the excess", 60 * time.Millisecond, false, Steal},
		{"a twentieth of it", time.Millisecond, false, Scheduler},
		{"the clocks ticked", 60 * time.Millisecond, true, Scheduler},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(5)
			busy := func(i int) bool { return (i*7)%10 < 5 }
			for i := range 30 {
				w.second(0, i, 1, 20*time.Millisecond, func(o *archive.Window) {
					o.Server.Machine.Steal = 0
					if busy(i) {
						o.Server.Machine.Steal = c.stolen + time.Duration(i)*c.stolen/100
					}
				})
			}
			w.requests(0, 60, func(i int) map[evidence.Stage]time.Duration {
				if busy(i / 2) {
					return map[evidence.Stage]time.Duration{evidence.Scheduler: 20*time.Millisecond + time.Duration(i)*100*time.Microsecond}
				}
				return map[evidence.Stage]time.Duration{evidence.Scheduler: 2 * time.Millisecond}
			})
			w.cell.trials[0].header.Clocked = c.clocked
			e := w.cell.Explain()
			if len(e.Causes) == 0 || e.Causes[0].Name != c.want {
				t.Errorf("%v, want %s first", names(e), c.want)
			}
		})
	}
}

// Too few slow requests leave it to the seconds.
func TestFewRequests(t *testing.T) {
	w := newWorld(3)
	for i := range 30 {
		w.second(0, i, 1, 20*time.Millisecond, nil)
	}
	w.requests(0, slowLeast-1, func(int) map[evidence.Stage]time.Duration {
		return map[evidence.Stage]time.Duration{evidence.Disk: 20 * time.Millisecond}
	})
	if e := w.cell.Explain(); e.Source != Seconds || len(e.Notes) < 2 {
		t.Errorf("by %s: %v", e.Source, e.Notes)
	}
}

// Trials that no figure rests on aren't explained.
// TestGrowing has a load of more than its server takes: each second's requests are slower than those before.
func TestGrowing(t *testing.T) {
	for _, c := range []struct {
		tail uint64
		want bool
	}{{2102, true}, {23, false}} {
		w := newWorld(3)
		w.cell.AddEvidence(0, &evidence.Header{Version: evidence.Version, Counts: evidence.Counts{Requests: 2275, Tail: c.tail}}, nil)
		e := w.cell.Explain()
		if got := slices.ContainsFunc(e.Notes, func(m i18n.Message) bool { return m.ID() == "explain.growing" }); got != c.want {
			t.Errorf("%d slow of 2275: said %v, want %v", c.tail, got, c.want)
		}
	}
}

func TestDrop(t *testing.T) {
	w := newWorld(1)
	for i := range 20 {
		w.second(0, i, 1, time.Millisecond, nil)
		w.second(1, i, 1, time.Millisecond, nil)
	}
	w.cell.Drop(1)
	if e := w.cell.Explain(); e.Sampled.Seconds != 20 {
		t.Errorf("%d seconds are left", e.Sampled.Seconds)
	}
}

// Every stage has a cause that has a meaning.
func TestStagesHaveCauses(t *testing.T) {
	for _, stage := range evidence.Stages() {
		if name, ok := causeOf[stage]; !ok || MeaningOf(name).Means.IsZero() {
			t.Errorf("stage %s has the cause %q", stage, name)
		}
	}
}

// The other end of a wait has the name of what the run started there, and no other's.
func TestPeersHaveNames(t *testing.T) {
	w := newWorld(3)
	w.requests(0, 40, func(int) map[evidence.Stage]time.Duration {
		return map[evidence.Stage]time.Duration{evidence.Upstream: 200 * time.Millisecond}
	})
	one := &w.cell.trials[0]
	one.header.Peers = map[uint16]string{5432: "postgres"}
	for i := range one.records {
		for v := range one.records[i].Intervals {
			one.records[i].Intervals[v].Peer = "127.0.0.1:5432"
			if i%8 == 0 {
				one.records[i].Intervals[v].Peer = "192.0.2.7:5432"
			}
		}
	}
	e := Records(one.header, one.records)
	if got := names(e); !slices.Equal(got, []Name{Upstream}) {
		t.Fatalf("%v", got)
	}
	if said := fmt.Sprint(e.Causes[0].Evidence); !strings.Contains(said, "postgres, 127.0.0.1:5432 (") || !strings.Contains(said, " 192.0.2.7:5432 (") {
		t.Error(said)
	}
}

// A profile of requests adds up to what they took, and what slow ones had on top is where
// they had it.
func TestProfileOfRequests(t *testing.T) {
	w := newWorld(3)
	w.requests(0, 40, func(int) map[evidence.Stage]time.Duration {
		return map[evidence.Stage]time.Duration{evidence.Disk: 200 * time.Millisecond}
	})
	one := &w.cell.trials[0]
	p := Profile(one.header, one.records, []string{"list"})
	took := int64(0)
	for i := range one.records {
		if r := &one.records[i]; r.Class == evidence.Tail {
			took += r.Response()
		}
	}
	slow, ordinary, more := p.Sum(p.Column("slow")), p.Sum(p.Column("ordinary")), p.Sum(p.Column("more"))
	if rounding := int64(len(p.Samples)); slow > took || slow < took-rounding || slow-ordinary != more {
		t.Errorf("slow %d of %d, ordinary %d, more %d", slow, took, ordinary, more)
	}
	if of := time.Duration(p.Functions(p.Column("more"))[0].Self); of < 7900*time.Millisecond || p.Functions(p.Column("more"))[0].Name != "fsync" {
		t.Errorf("what they had on top: %+v", p.Functions(p.Column("more")))
	}
	at := slices.IndexFunc(p.Samples, func(s pprof.Sample) bool { return slices.Equal(s.Stack, []string{"fsync", "disk", "list"}) })
	if at < 0 || p.Samples[at].Values[0] != 0 || p.Samples[at].Values[2] != int64(40*200*time.Millisecond) {
		t.Errorf("%+v", p.Samples)
	}
	if p := Profile(one.header, one.records[:1], nil); p != nil {
		t.Errorf("of one slow request alone: %+v", p)
	}
}

// An ordinary request is one of those that are drawn for what they stand for, not one that was
// drawn beside a slow one, when everything was slow.
func TestAnOrdinaryRequestIsOfAll(t *testing.T) {
	var list []request
	for i := range 9 {
		list = append(list, request{Record: &evidence.Record{Class: evidence.Match, Weight: 1, Done: int64(500+i) * 1e6}})
	}
	for i := range 3 {
		list = append(list, request{Record: &evidence.Record{Class: evidence.Body, Weight: 100, Done: int64(1+i) * 1e6}})
	}
	if got := medianOf(list); got != 2e6 {
		t.Errorf("%g ms", got/1e6)
	}
}

// The evidence of a single load is explained by itself.
func TestRecords(t *testing.T) {
	w := newWorld(3)
	w.requests(0, 40, func(int) map[evidence.Stage]time.Duration {
		return map[evidence.Stage]time.Duration{evidence.DNS: 200 * time.Millisecond}
	})
	one := &w.cell.trials[0]
	one.header.Counts.Requests = 4000
	e := Records(one.header, one.records)
	if got := names(e); !slices.Equal(got, []Name{DNS}) || math.Abs(e.Tail.Percentile-99) > 0.01 {
		t.Errorf("%v beyond %g", got, e.Tail.Percentile)
	}
}
