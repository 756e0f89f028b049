package analysis

import (
	"math"
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
)

// microseconds are steps of values, each once.
func microseconds(values ...int64) *steps {
	h := measure.NewHistogram()
	for _, v := range values {
		h.RecordValue(v * 1000)
	}
	return stepsOf(h)
}

func TestMeanAbove(t *testing.T) {
	s := microseconds(1, 2, 3, 4, 100)
	for p, want := range map[float64]float64{0: 22, 0.8: 100, 0.6: 52, 0.7: (100*0.2 + 4*0.1) / 0.3, 1: 100} {
		if got := s.meanAbove(p) / 1000; math.Abs(got-want) > 0.02*want {
			t.Errorf("beyond %.0f %%: %.3g, want %.3g", 100*p, got, want)
		}
	}
}

// What was sent again kept no more than its own connection waiting: one request of a closed loop's
// on 16 connections waited for 300 ms of 2 s. Truth: without, it takes 1 ms as the others do.
func TestBoundsOfWhatWasSentAgain(t *testing.T) {
	values := make([]int64, 1999)
	for i := range values {
		values[i] = 1000
	}
	d := &disturbed{connections: 16, streams: 1, length: 2 * time.Second, responses: 2000, resent: 1}
	d.process = process{cpu: time.Second, user: 600 * time.Millisecond, sys: 400 * time.Millisecond}
	d.clocks[measure.Response] = microseconds(append(values, 300_000)...)
	for metric, truth := range map[string]float64{
		"throughput":     32 / 31.7, // at most: the connection had the time for more
		"response.mean":  1.0 / 1.1495,
		"response.p50":   1,
		"response.p99.9": 1,
	} {
		b, ok := d.bound(finding.Retransmits, metric)
		if !ok || truth < b.low-1e-3 || truth > b.high+1e-3 || b.high > 1.05 || b.low < 0.8 {
			t.Errorf("%s: from %.4g to %.4g, bounded %v; without it it is %.4g times what was measured", metric, b.low, b.high, ok, truth)
		}
	}
	for name, change := range map[string]func(*disturbed){
		"an archive that doesn't tell":  func(d *disturbed) { d.resent = 0 },
		"most of the requests":          func(d *disturbed) { d.resent = 1500 },
		"many streams on a connection":  func(d *disturbed) { d.resent, d.streams = 20, 100 },
		"requests whose end isn't told": func(d *disturbed) { d.untold = true },
	} {
		other := *d
		change(&other)
		if b, ok := other.bound(finding.Retransmits, "throughput"); ok {
			t.Errorf("%s: from %.3g to %.3g", name, b.low, b.high)
		}
	}
}

// The generator's own lag bounds what its timer can have done, in slices as well, where the
// machine's CPUs aren't looked at: the subject's own CPU time is.
func TestBoundsOfWhatWasSentUnevenly(t *testing.T) {
	run := &archive.Run{}
	run.Manifest.Claims = append(run.Manifest.Claims, claim.Claim{Expressions: []string{"response.p50[a] < 2ms"}})
	run.Manifest.Plan.Cells = append(run.Manifest.Plan.Cells, study.Cell{Profile: profile.Profile{Mode: profile.Open, Connections: 16}})
	w := archive.Window{Level: finding.Valid, Client: measure.Window{Length: 2 * time.Second, Offered: 1000, Completed: 1000},
		Server: probe.Window{Length: 2 * time.Second, Process: &probe.Process{CPU: time.Second}}}
	for sliced, bounded := range map[bool]bool{true: true, false: false} {
		trial := &archive.Trial{}
		if sliced {
			trial.Sliced = &archive.Sliced{}
		}
		d := watch(run, trial)
		d.add(&w, nil)
		d.process = process{cpu: time.Second, sys: 400 * time.Millisecond}
		d.clocks[measure.Response], d.clocks[measure.Lag] = microseconds(1000, 1100, 1200), microseconds(10, 20, 30)
		for _, name := range []finding.Name{finding.LagFloor, finding.ArrivalsOff} {
			b, ok := d.bound(name, "response.p50")
			if ok != bounded || ok && (b.low > 1 || b.low < 0.9) {
				t.Errorf("%s, in slices %v: from %.3g to %.3g, bounded %v", name, sliced, b.low, b.high, ok)
			}
			// 20 µs of lag on gaps of 2 ms: one request in fifty may have come with another.
			if b, ok := d.bound(name, "cpu"); ok != bounded || ok && (b.low > 0.995 || b.low < 0.98) {
				t.Errorf("%s, in slices %v: CPU from %.4g to %.4g, bounded %v", name, sliced, b.low, b.high, ok)
			}
		}
		if _, ok := d.bound(finding.GeneratorStalled, "throughput"); ok {
			t.Error("slices that were left out have a bound")
		}
	}
}

// What a program allocates by request and by the second, on CPUs that were slower. Truth: what it
// allocates for a request at the usual speed.
func TestAllocationsBySpeed(t *testing.T) {
	const byRequest, bySecond, slower = 100.0, 50_000.0, 1.4
	took := 0.001 // s of a request at the usual speed, one at a time
	e := &evidence{builders: []*cellBuilder{{mode: profile.Closed}}}
	for _, background := range []float64{0, bySecond} {
		truth, measured := byRequest+background*took, byRequest+background*took*slower
		by, ok := e.bySpeed("allocs", 0, 0, slower)
		if !ok || truth < measured*by-1e-9 || truth > measured+1e-9 {
			t.Errorf("%.0f allocations a second beside: from %.4g to %.4g, bounded %v; without it %.4g", background, measured*by, measured, ok, truth)
		}
	}
}
