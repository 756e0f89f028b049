package probe

import (
	"context"
	"crypto/tls"
	"errors"
	"slices"
	"time"

	"dyno.example/nano/wire/clock"
)

// Config says what a [Sampler] reads.
type Config struct {
	// PID is the first process of the subject; 0 if it is none of ours, such as
	// a service that was up already.
	PID int
	// Keepers are processes of dyno's that the subject and its upstream run under, and that are
	// the network before it where there is one. What they use is dyno's own.
	Keepers []int
	// Upstream is the first process of what the subject sends requests on to; 0 for none.
	Upstream int
	// CPUs are those whose clock rate is watched: the subject's. Empty for none.
	CPUs []int
	// Runtime is where the subject's helper reports, or its log of collections is; nil
	// if it has neither. The caller closes it.
	Runtime *RuntimeListener
	// Metrics is the URL of the subject's Prometheus endpoint; empty if it has none. It
	// is read at each snapshot, and fills in what isn't known of the process and the
	// runtime otherwise.
	Metrics string
	// Trust says which servers the URL may lead to, if it is https; nil for those
	// with the system's certificates.
	Trust *tls.Config
	// Services are what the subject stands on.
	Services []Service
	// SocketsOf is the port whose sockets are looked at; 0 for none.
	SocketsOf int
}

// Sampler takes snapshots of everything that can be seen of a subject. It
// belongs to one goroutine.
type Sampler struct {
	process  *ProcessProbe
	upstream *ProcessProbe // nil without
	machine  *MachineProbe
	runtime  *RuntimeListener
	metrics  *scraper
	services []*serviceProbe
	sockets  *socketsProbe
	unable   error // why there is no socketsProbe though it is wanted
}

// New makes a sampler. Nothing is read before the first Snapshot.
func New(c Config) *Sampler {
	s := &Sampler{machine: NewMachine(c.PID, c.CPUs...), runtime: c.Runtime}
	var known []int // processes that are no strangers
	for _, one := range c.Services {
		s.services = append(s.services, newServiceProbe(one))
		if one.PID != 0 {
			known = append(known, one.PID)
		}
	}
	if c.PID != 0 {
		s.process = NewProcess(c.PID)
		s.process.WatchPSS()
		known = append(known, c.PID)
		if c.Upstream != 0 {
			s.upstream = NewProcess(c.Upstream)
			known = append(known, c.Upstream)
		}
		s.machine.WatchPrograms(c.Keepers, known...)
	}
	if c.SocketsOf != 0 {
		s.sockets, s.unable = newSockets(c.SocketsOf)
	}
	if c.Metrics != "" {
		s.metrics = newScraper(c.Metrics, ScrapeTime, c.Trust)
	}
	return s
}

// Close releases the files and the connection that are kept open between
// snapshots.
func (s *Sampler) Close() {
	if s.process != nil {
		s.process.Close()
	}
	if s.upstream != nil {
		s.upstream.Close()
	}
	if s.metrics != nil {
		s.metrics.close()
	}
	for _, one := range s.services {
		one.close()
	}
	if s.sockets != nil {
		s.sockets.close()
	}
	s.machine.Close()
}

// Snapshot is what all probes read at one instant. The pointers are nil for what could
// not be read, or is not enabled.
type Snapshot struct {
	Time     int64 // CLOCK_MONOTONIC at the reading of the process, ns
	Process  *ProcessTotals
	Upstream *ProcessTotals
	Machine  *MachineTotals
	Runtime  *RuntimeTotals
	Metrics  *MetricsTotals
	services []serviceTotals
	sockets  *Sockets
	helped   bool // a helper in the subject was connected, or a log there
	errs     []failure
}

// failure is why a probe gave nothing.
type failure struct {
	probe string
	err   error
}

func (f failure) Error() string { return f.probe + ": " + f.err.Error() }
func (f failure) Unwrap() error { return f.err }

const (
	processProbe  = "process"
	upstreamProbe = "upstream"
	machineProbe  = "machine"
	runtimeProbe  = "runtime"
	metricsProbe  = "metrics"
	socketsName   = "sockets"
)

// Err says why an enabled probe gave nothing; nil if none failed. A subject that has
// ended is ErrEnded.
func (s Snapshot) Err() error {
	var errs []error
	for _, f := range s.errs {
		errs = append(errs, f)
	}
	return errors.Join(errs...)
}

// Snapshot reads all probes. It takes well under a millisecond, and up to [HelperTimeout]
// when the subject's helper doesn't get to run. With metrics it takes until their
// response, and up to [ScrapeTime].
func (s *Sampler) Snapshot() Snapshot { return s.snapshot((*ProcessProbe).Snapshot) }

// Last is the last snapshot, which has what is read too rarely for each: the
// proportional set size. Take it when the load is over.
func (s *Sampler) Last() Snapshot { return s.snapshot((*ProcessProbe).Last) }

// snapshot reads all probes, the subject's process by read.
func (s *Sampler) snapshot(read func(*ProcessProbe) (ProcessTotals, error)) Snapshot {
	var reply func() (MetricsTotals, error)
	if s.metrics != nil {
		reply = s.metrics.request()
	}
	var finish func(context.Context) (RuntimeTotals, error)
	if s.runtime != nil {
		finish = s.runtime.request() // it responds while the files are read
	}
	var collect []func() serviceTotals
	for _, one := range s.services {
		collect = append(collect, one.request())
	}
	snap := Snapshot{Time: clock.Now()}
	if s.process != nil {
		t, err := read(s.process)
		snap.Process = kept(&snap, processProbe, t, err)
	}
	if s.upstream != nil {
		t, err := s.upstream.Snapshot()
		snap.Upstream = kept(&snap, upstreamProbe, t, err)
	}
	if s.sockets != nil {
		t, err := s.sockets.read()
		snap.sockets = kept(&snap, socketsName, t, err)
	} else if s.unable != nil {
		snap.errs = append(snap.errs, failure{socketsName, s.unable})
	}
	t, err := s.machine.Snapshot()
	snap.Machine = kept(&snap, machineProbe, t, err)
	if finish != nil {
		t, err := finish(context.Background())
		snap.Runtime = kept(&snap, runtimeProbe, t, err)
		snap.helped = snap.Runtime != nil || s.runtime.Connected() > 0
	}
	if reply != nil {
		t, err := reply()
		snap.Metrics = kept(&snap, metricsProbe, t, err)
	}
	for _, totals := range collect {
		snap.services = append(snap.services, totals())
	}
	return snap
}

// kept returns totals that were read, or nil with the error noted.
func kept[T any](snap *Snapshot, probe string, totals T, err error) *T {
	if err != nil {
		snap.errs = append(snap.errs, failure{probe, err})
		return nil
	}
	return &totals
}

// Between returns what happened between two snapshots of one sampler, a being
// the earlier. What either lacks is nil in the window.
func (s *Sampler) Between(a, b Snapshot) Window {
	w := Window{Start: a.Time, Length: time.Duration(b.Time - a.Time), Sockets: b.sockets}
	if a.Process != nil && b.Process != nil {
		p := b.Process.Since(*a.Process)
		w.Process = &p
		w.Missing = append(w.Missing, b.Process.missing...)
	}
	if a.Upstream != nil && b.Upstream != nil {
		p := b.Upstream.Since(*a.Upstream)
		w.Upstream = &p
	}
	for i := range min(len(a.services), len(b.services)) {
		w.Services = append(w.Services, s.services[i].between(&a.services[i], &b.services[i]))
	}
	if a.Machine != nil && b.Machine != nil {
		m := b.Machine.Since(*a.Machine)
		w.Machine = &m
		w.Missing = append(w.Missing, b.Machine.missing...)
	}
	if a.Runtime != nil && b.Runtime != nil {
		if r, ok := b.Runtime.Since(*a.Runtime); ok {
			w.Runtime = &r
			w.Missing = append(w.Missing, b.Runtime.unreported()...)
		} else {
			w.Missing = append(w.Missing, runtimeProbe+": not every helper responded in time")
		}
	}
	if a.Metrics != nil && b.Metrics != nil {
		w.fillIn(a, b)
	}
	for _, f := range slices.Concat(b.errs, a.errs) {
		if !w.has(f.probe) && !slices.Contains(w.Missing, f.Error()) {
			w.Missing = append(w.Missing, f.Error())
		}
	}
	return w
}

// fillIn takes from the metrics what was not to be seen otherwise. What was at
// one end of the window only stays missing: metrics would mend the window and
// spoil the comparison with its neighbours.
func (w *Window) fillIn(a, b Snapshot) {
	if b.Metrics.restarted(*a.Metrics) {
		w.Missing = append(w.Missing, metricsProbe+": another process responded than before")
		return
	}
	span := metricsSpan{before: *a.Metrics, after: *b.Metrics}
	if a.Process == nil && b.Process == nil {
		w.Process = span.process()
	}
	if w.Runtime == nil && !a.helped && !b.helped {
		w.Runtime = span.runtime()
	}
	w.Missing = append(w.Missing, span.missing.list()...)
}

// has reports whether the window has the figures of a probe that failed.
func (w *Window) has(probe string) bool {
	return probe == socketsName && w.Sockets != nil || probe == processProbe && w.Process != nil || probe == runtimeProbe && w.Runtime != nil
}
