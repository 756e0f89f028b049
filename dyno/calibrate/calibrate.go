package calibrate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/nano/wire/clock"
)

// How long the parts of a calibration take; together under a second.
const (
	settle      = 50 * time.Millisecond
	ceilingTime = 200 * time.Millisecond
	floorTime   = 100 * time.Millisecond
	lagTime     = 300 * time.Millisecond
	hiccupTime  = 100 * time.Millisecond

	lagShare       = 0.8 // of the ceiling: the highest rate at which lag is measured
	lagTries       = 3   // as what disturbs it once is no floor
	mostConnection = 256 // a ceiling needs no more, and opening them takes time
	mostStreams    = 256 // on each of them: what they save is saved by then
)

// Run calibrates the generator that the spec asks for: its engine, threads,
// CPUs, connections, protocol, streams and rate, without TLS. The target is not
// touched. Of calls over gRPC it is that of unary calls with an empty message. It takes
// about a second on a machine with a CPU to spare, and half a second more where requests are
// sent late; it fails over HTTP/3, WebSockets, for server-sent events and for messages of
// streams over gRPC, where there is no null server, or when the machine stood still whenever it
// was tried.
func Run(ctx context.Context, spec *load.Spec) (*measure.Calibration, error) {
	if spec.Link.HTTP3 {
		return nil, errHTTP3
	}
	if spec.Link.WebSocket != nil || spec.Link.Events != nil {
		return nil, errMessages
	}
	if slices.ContainsFunc(spec.Requests, streamsMessages) {
		return nil, errStreams
	}
	began := clock.Now()
	b, err := newBench(ctx, spec)
	if err != nil {
		return nil, err
	}
	defer b.close()
	b.spec.KernelTimestamps = spec.KernelTimestamps // they choose the engine, and cost something
	c := &measure.Calibration{}
	if err := b.ceiling(c, settle, ceilingTime); err != nil {
		return nil, err
	}
	if c.Floor, err = b.floor(floorTime); err != nil {
		return nil, err
	}
	if rate := spec.Profile.TopRate(); rate > 0 {
		c.LagRate = min(rate, lagShare*c.Ceiling)
		if c.Lag, err = leastLag(func() (measure.Times, error) { return b.lag(c.LagRate, lagTime) }); err != nil {
			return nil, err
		}
	}
	if c.Timer, err = timerError(pacingOf(c.Engine, spec.Pacing), firstOf(spec.CPUs), wakeUps); err != nil {
		return nil, err
	}
	if c.Hiccups, err = hiccups(firstOf(spec.CPUs), hiccupTime); err != nil {
		return nil, err
	}
	c.Took = time.Duration(clock.Now() - began)
	return c, nil
}

// errHTTP3 is why a load over HTTP/3 is not calibrated.
var errHTTP3 = errors.New("the null server doesn't speak HTTP/3, so its generator can't be measured against it")

// errMessages is why a load of messages is not calibrated.
var errMessages = errors.New("the null server speaks HTTP/1.1 only: what the generator can do over WebSockets, or with server-sent events, on this machine is not known")

// errStreams is why a load of messages on streams is not calibrated.
var errStreams = errors.New("the null server responds to unary calls: what the generator can do with messages on streams over gRPC on this machine is not known")

// bench is a null server with the generator to be measured against it.
type bench struct {
	ctx    context.Context
	server *process
	spec   load.Spec // what all measurements share
}

// newBench starts a null server for the generator that a spec asks for.
func newBench(ctx context.Context, spec *load.Spec) (*bench, error) {
	threads := max(spec.Threads, len(spec.CPUs), 1)
	null, calls := nullRequest(spec)
	server, url, err := startServer(ctx, threads, spec.CPUs, calls)
	if err != nil {
		return nil, err
	}
	b := &bench{ctx: ctx, server: server, spec: load.Spec{
		Target: url, Requests: []request.Request{null}, Seed: 1, Timeout: 2 * time.Second,
		Engine: spec.Engine, Threads: spec.Threads, CPUs: spec.CPUs, Pacing: spec.Pacing,
		Link: request.Link{Streams: min(spec.Link.Streams, mostStreams)},
	}}
	if spec.Link.ReadRate > 0 {
		b.spec.Engine = "epoll" // which alone reads slowly
	}
	b.spec.Profile = profile.Profile{Mode: profile.Closed, Connections: min(spec.Profile.Connections, mostConnection)}
	return b, nil
}

func (b *bench) close() { b.server.stop() }

// errStill is why there may be nothing to tell.
var errStill = errors.New("the machine stood still whenever the generator was tried")

// run measures until the generator was not disturbed, three times at most.
func (b *bench) run(spec load.Spec) (*load.Result, error) {
	for range 3 {
		r, err := load.Run(b.ctx, spec)
		switch {
		case err != nil:
			return nil, err
		case b.ctx.Err() != nil:
			return nil, context.Cause(b.ctx)
		case r.Total.Completed > 0 && r.Total.Hist[measure.Service] != nil:
			return r, nil
		}
	}
	return nil, errStill
}

// ceiling finds what a closed loop reaches.
func (b *bench) ceiling(c *measure.Calibration, warmup, length time.Duration) error {
	spec := b.spec
	spec.Warmup, spec.Duration = warmup, length
	r, err := b.run(spec)
	if err != nil {
		return fmt.Errorf("finding the ceiling: %w", err)
	}
	c.Engine, c.Threads, c.Connections = r.Engine, max(spec.Threads, len(spec.CPUs), 1), spec.Profile.Connections
	c.Protocol, c.Streams = spec.Link.Protocol(), spec.Link.Streams
	if spec.Requests[0].GRPC != nil {
		c.Protocol = "grpc"
	}
	c.Ceiling, c.CPUPerRequest = r.Throughput(), r.CPUPerRequest()
	return nil
}

// floor finds the service time of a single connection with one request at a time.
func (b *bench) floor(length time.Duration) (measure.Times, error) {
	spec := b.spec
	spec.Profile.Connections, spec.Duration = 1, length
	spec.Link.Streams = min(spec.Link.Streams, 1)
	r, err := b.run(spec)
	if err != nil {
		return measure.Times{}, fmt.Errorf("finding the floor: %w", err)
	}
	return timesIn(r.Total.Hist[measure.Service]), nil
}

// lag finds how late requests are sent at a rate.
func (b *bench) lag(rate float64, length time.Duration) (measure.Times, error) {
	spec := b.spec
	spec.Duration = length
	spec.Profile.Mode, spec.Profile.Rate, spec.Profile.Arrivals = profile.Open, rate, profile.Poisson
	r, err := b.run(spec)
	if err != nil {
		return measure.Times{}, fmt.Errorf("finding the lag at %.0f requests/s: %w", rate, err)
	}
	return timesIn(r.Total.Hist[measure.Lag]), nil
}

// leastLag measures the lag until it is within what is called on time, [lagTries] times at
// most, and returns the least. Of a few hundred requests two that the machine held up are their
// p99: that says what happened then, not what the machine can do. What happens during a trial is
// in the lag of its own requests.
func leastLag(once func() (measure.Times, error)) (least measure.Times, err error) {
	for try := range lagTries {
		lag, err := once()
		if err != nil {
			return least, err
		}
		if try == 0 || lag.P99 < least.P99 {
			least = lag
		}
		if least.P99 <= measure.LateAfter {
			break
		}
	}
	return least, nil
}

// timesIn sums up a histogram of ns.
func timesIn(h *hdrhistogram.Histogram) measure.Times {
	if h == nil {
		return measure.Times{}
	}
	return measure.Times{
		Min: time.Duration(h.Min()), P50: time.Duration(h.ValueAtPercentile(50)),
		P99: time.Duration(h.ValueAtPercentile(99)), Max: time.Duration(h.Max()),
	}
}
