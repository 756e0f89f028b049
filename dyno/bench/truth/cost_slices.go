//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/evidence/collect"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/stats"
)

// sliceSeconds is how long the probes are on or off. The first second isn't counted: in it they are
// turned on or off, which takes the kernel a while.
const sliceSeconds = 3

// slice is what a load and its service did in the seconds of a slice that count.
type slice struct {
	requests    float64
	cpu         time.Duration // of the service
	machine     time.Duration // of all programs
	p99, median float64       // ns
	took        time.Duration // between the readings of what was used
}

// even reports whether the readings were taken when the windows began and ended.
func (s *slice) even() bool {
	return math.Abs(s.took.Seconds()-(sliceSeconds-1)) < 0.05
}

// slicePair are two slices that follow each other, in any order.
type slicePair struct{ on, off slice }

// costFigures are what is compared; most are those that there is a limit for.
var costFigures = []struct {
	name string
	of   func(*slice) float64
	most bool
}{
	{"CPU time of the service a request, with the probes", func(s *slice) float64 { return s.cpu.Seconds() / s.requests }, true},
	{"p99, with the probes", func(s *slice) float64 { return s.p99 }, true},
	{"median, with the probes", func(s *slice) float64 { return s.median }, false},
	{"CPU time of the whole machine a request, with the probes", func(s *slice) float64 { return s.machine.Seconds() / s.requests }, false},
}

// slicing says which windows belong to which slice. In each pair it is drawn which comes first.
type slicing struct{ seed uint64 }

func (s slicing) pair(window int) int { return window / (2 * sliceSeconds) }

func (s slicing) on(window int) bool {
	first := window/sliceSeconds%2 == 0
	return first == (rand.New(rand.NewPCG(s.seed, uint64(s.pair(window)))).IntN(2) == 0)
}

func (s slicing) counts(window int) bool { return window%sliceSeconds > 0 }

// ratioOver compares slices with the probes against those without: over starts where there are
// four or more, else over pairs.
func ratioOver(starts [][]slicePair, of func(*slice) float64) (i stats.Interval, over string) {
	var on, off []float64
	if len(starts) >= 4 {
		for _, pairs := range starts {
			logs, n := 0.0, 0
			for k := range pairs {
				if r := of(&pairs[k].on) / of(&pairs[k].off); r > 0 && !math.IsInf(r, 0) {
					logs += math.Log(r)
					n++
				}
			}
			if n > 0 {
				on, off = append(on, math.Exp(logs/float64(n))), append(off, 1)
			}
		}
		return stats.Ratio(on, off, 0.95), "starts"
	}
	for _, pairs := range starts {
		for k := range pairs {
			on, off = append(on, of(&pairs[k].on)), append(off, of(&pairs[k].off))
		}
	}
	return stats.Ratio(on, off, 0.95), "pairs of slices"
}

// gatherer makes pairs of slices of the windows of a load as they end.
type gatherer struct {
	slicing
	service *probe.ProcessProbe
	machine *probe.MachineProbe
	before  struct {
		service probe.ProcessTotals
		machine probe.MachineTotals
		at      time.Time
	}
	now    slice
	times  *hdrhistogram.Histogram
	pairs  []slicePair
	open   slicePair
	uneven int // pairs that don't count, as a window's end was told late
	failed error
}

// window takes one that has ended.
func (g *gatherer) window(w measure.Window) {
	if w.Warmup() || g.failed != nil {
		return
	}
	if g.counts(w.Index) {
		g.now.requests += float64(w.Completed)
		if h := w.Hist[measure.Response]; h != nil {
			g.times.Merge(h)
		}
		if w.Index%sliceSeconds < sliceSeconds-1 {
			return
		}
	}
	service, err := g.service.Snapshot()
	if err != nil {
		g.failed = err
		return
	}
	machine, err := g.machine.Snapshot()
	if err != nil {
		g.failed = err
		return
	}
	now := time.Now()
	if g.counts(w.Index) {
		g.now.took = now.Sub(g.before.at)
		g.now.cpu = service.Since(g.before.service).CPU
		g.now.machine = machine.Since(g.before.machine).Busy
		g.now.p99, g.now.median = float64(g.times.ValueAtPercentile(99)), float64(g.times.ValueAtPercentile(50))
		g.end(w.Index)
	}
	g.before.service, g.before.machine, g.before.at = service, machine, now
	g.now, g.times = slice{}, hdrhistogram.New(1, int64(time.Hour), 3)
}

// end ends the slice whose last window this is.
func (g *gatherer) end(window int) {
	if g.on(window) {
		g.open.on = g.now
	} else {
		g.open.off = g.now
	}
	if window%(2*sliceSeconds) == 2*sliceSeconds-1 {
		if g.uneven++; g.open.on.requests > 0 && g.open.off.requests > 0 && g.open.on.even() && g.open.off.even() {
			g.uneven--
			g.pairs = append(g.pairs, g.open)
		}
		g.open = slicePair{}
	}
}

// costConnections of the loads.
const costConnections = 16

// start starts the service, finds what it can do, and loads it with half of that. It says in
// words what the load was.
func (x costly) start(ctx context.Context, l *lab, seed uint64) (pairs []slicePair, about string, err error) {
	s, err := l.plainly(ctx, x.with)
	if err != nil {
		return nil, "", err
	}
	defer s.stop()
	everywhere, err := keepOff()
	if err != nil {
		return nil, "", err
	}
	defer everywhere()
	spec := load.Spec{
		Target: s.url, Requests: []request.Request{{Name: "get", Method: "GET", Path: "/"}}, Seed: seed, Timeout: 10 * time.Second, CPUs: []int{0},
		Profile: profile.Profile{Mode: profile.Closed, Connections: costConnections}, Warmup: time.Second, Duration: 3 * time.Second,
	}
	r, err := load.Run(ctx, spec)
	if err != nil {
		return nil, "", fmt.Errorf("finding the capacity: %w", err)
	}
	capacity := float64(r.Total.Completed) / r.Total.Length.Seconds()
	cuts := slicing{seed}
	g := gatherer{slicing: cuts, service: probe.NewProcess(s.pid()), machine: probe.NewMachine(0), times: hdrhistogram.New(1, int64(time.Hour), 3)}
	defer g.service.Close()
	defer g.machine.Close()
	c := collect.Start(collect.Config{
		Port: collect.PortOf(s.url), Processes: []int{s.pid()}, Connections: costConnections,
		Off: func(window int) bool { return !x.same && !cuts.on(window) },
	})
	spec.Profile = profile.Profile{Mode: profile.Open, Rate: math.Round(capacity / 2), Arrivals: profile.Poisson, Connections: costConnections}
	spec.Warmup, spec.Duration, spec.OnWindow = 2*time.Second, time.Duration(max(l.seconds, 4*sliceSeconds))*time.Second, g.window
	r, err = load.Run(ctx, spec.CollectedBy(c))
	header, records := c.End()
	switch {
	case err != nil:
		return nil, "", err
	case g.failed != nil:
		return nil, "", g.failed
	case !header.Clocked:
		return nil, "", fmt.Errorf("there are no probes here: %v", header.Missing)
	}
	return g.pairs, costAbout(r, header, len(records), capacity, &g), nil
}

// costAbout says what a load was like, and what its evidence came to.
func costAbout(r *load.Result, h *evidence.Header, records int, capacity float64, g *gatherer) string {
	text := fmt.Sprintf("capacity %.0f/s, load %.0f/s, %s; %d pairs, %d left out as a window ended late; %.1f events a request, %d records, traced 1 in %d, requests due in %.1f %% of the time looked at, %d cut off",
		capacity, float64(r.Total.Completed)/r.Total.Length.Seconds(), r.Validity, len(g.pairs), g.uneven, float64(h.Counts.Events)/max(1, float64(h.Counts.Requests)), records, h.Counts.Every, 100*h.Looked.Share(), h.Counts.Cut)
	for _, f := range r.Findings {
		text += "; " + string(f.Name)
	}
	return text
}
