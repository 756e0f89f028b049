package load

import (
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// Spec is a whole load: target, requests, rhythm, length and limits.
type Spec struct {
	Target   string            // "http://host:port"; a path in it is ignored
	Requests []request.Request // at least one
	Feeds    []request.Feed    // what the requests' templates take rows from
	Profile  profile.Profile
	Seed     uint64        // for Poisson gaps and the mix; the same seed gives the same schedule
	Warmup   time.Duration // sent but left out of totals; whole seconds are windows of their own
	Duration time.Duration // measured time; 0 means until MaxRequests are done, or as long as the profile's phases take
	// MaxRequests ends the load after so many requests; 0 means no such end.
	MaxRequests uint64
	Timeout     time.Duration // per request, from its sending; default 10 s
	// Drain is how long, after the measured time, requests that were due in it are
	// still sent and responses waited for. 0 means 5 s, or the time limit if that is
	// shorter; below 0 means not at all.
	Drain   time.Duration
	Threads int            // event loops; 0 means one per CPU in CPUs, or 1
	CPUs    []int          // pin loop i to CPUs[i%len]; empty leaves placement to the kernel
	Engine  string         // "", "uring", "epoll" or "portable"; "" picks the best there is
	Pacing  profile.Pacing // open loops of the event loop engines; default auto
	Link    request.Link   // how connections are made and kept
	// Calibration, if set, is what the load is judged by and carries on. Uncalibrated
	// says why there is none though there was to be one; the result has it as a remark.
	Calibration  *measure.Calibration
	Uncalibrated string
	TLS          request.TLS // for https targets
	// Accept names findings that don't lower what the measurement is worth.
	Accept []finding.Name
	// KernelTimestamps lets the kernel note when responses came (the clock
	// ReadDelay): a check on the load loops. Linux, epoll engine.
	KernelTimestamps bool
	// DropHistograms keeps only the totals' histograms in the result, for long
	// loads whose windows are used as they come.
	DropHistograms bool
	// KeepParts keeps all parts of the result's windows, for callers that judge windows
	// by more than the load does, and leave out those in which the service was warming
	// up; else only those are kept that figures need.
	KeepParts bool
	// Sampler, if set, draws requests for which evidence is collected. Linux, the event
	// loop engines; HTTP with a response to each request.
	Sampler *evidence.Sampler
	// Others, if set, is called at the end of each window and returns what programs
	// other than the generator and the server did since the last call, or since the
	// load began; nil if that isn't known. It is called once before the first window,
	// and from one goroutine.
	Others func() *measure.Others
	// Idle, if set, is what the server used before the load, without requests.
	Idle *measure.Idle
	// OnStart, if set, is called once when the connections are up and the load
	// is about to begin. The measured time starts at the given instant of
	// CLOCK_MONOTONIC, in ns; window i starts i seconds later.
	OnStart func(measured int64)
	// OnWindow, if set, is called once per finished window, in order, from one
	// goroutine. The window is the callee's to keep.
	OnWindow func(measure.Window)
}

// DefaultDrain is how long requests are waited for that are under way at the end,
// if their time limit is not shorter.
const DefaultDrain = 5 * time.Second

// drain is how long to wait after the measured time.
func (s *Spec) drain() time.Duration {
	if s.Drain == 0 {
		return min(DefaultDrain, s.Timeout)
	}
	return max(s.Drain, 0)
}

// needsEpoll reports whether the load wants what the epoll engine alone can do.
func (s *Spec) needsEpoll() bool { return s.KernelTimestamps || s.Link.ReadRate > 0 }

// Collector gathers evidence while a load runs; see [Spec.Sampler].
type Collector interface {
	Sampler() *evidence.Sampler
	Begin(measured int64)
	Window(w *measure.Window)
}

// CollectedBy is the load with evidence of it gathered: the collector hears of its
// beginning and its windows before others are.
func (s Spec) CollectedBy(c Collector) Spec {
	began, window := s.OnStart, s.OnWindow
	s.Sampler = c.Sampler()
	s.OnStart = func(measured int64) {
		c.Begin(measured)
		if began != nil {
			began(measured)
		}
	}
	s.OnWindow = func(w measure.Window) {
		c.Window(&w)
		if window != nil {
			window(w)
		}
	}
	return s
}
