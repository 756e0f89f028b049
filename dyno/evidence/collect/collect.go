// Package collect gathers evidence during a load: it tells the generator which requests to
// draw, takes what the kernel saw of each out of its rings while that is there, and keeps the
// records. It also measures what that costs, by windows in which the probes are off.
package collect

import (
	"cmp"
	"math/rand/v2"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/evidence/kernel"
	"dyno.example/dyno/load/measure"
	"dyno.example/nano/wire/clock"
)

// Settings of a collection.
const (
	tick        = 10 * time.Millisecond // between two looks at what was drawn: rings hold longer
	mostASecond = 60                    // records; each takes about a millisecond to make
	tailASecond = 25                    // slow requests to keep, but for those far out
	bodyASecond = 15                    // ordinary ones
	slowFrom    = 99.0                  // the percentile from which a request is slow
	farFrom     = 99.9                  // and far out
	context     = int64(5e6)            // ns before a request whose events are taken too
	counting    = int64(5e8)            // ns of the measured time in which the kernel counts what the probes take
	workShare   = 16                    // making records may take one in how many parts of the time
	stale       = int64(1e9)            // ns after which a sample is given up: rings don't hold much longer
)

// Config is what a collection needs to know.
type Config struct {
	Port        int   // where the server listens
	Processes   []int // the server's; those below them and those that read from the port are found
	Connections int   // of the load
	// Missing is what the caller knows that can't be seen, such as with an engine that
	// draws no requests.
	Missing []evidence.Missing
	// Always has the probes on at any rate, but for Cost and Off. Else they are on for a part of
	// the time where there are more requests than are looked at.
	Always bool
	// Cost has the probes off in one window of five.
	Cost bool
	Seed uint64
	// Off, if set, says instead in which windows the probes are off.
	Off func(window int) bool
	// OnSlow, if set, is told of each record of a slow request while the load is on. It must
	// return at once.
	OnSlow func(*evidence.Record)
}

// PortOf is the port of a server's URL; 0 if it can't be told.
func PortOf(at string) int {
	u, err := url.Parse(at)
	if err != nil {
		return 0
	}
	if n, err := strconv.Atoi(u.Port()); err == nil {
		return n
	}
	return map[string]int{"http": 80, "https": 443}[u.Scheme]
}

// Collector collects. Its methods may be called from any goroutine.
type Collector struct {
	config  Config
	sampler *evidence.Sampler
	stop    chan struct{}
	ended   sync.WaitGroup

	mu       sync.Mutex
	probes   *kernel.Probes // nil if there are none here
	header   evidence.Header
	records  []evidence.Record
	numbers  map[number]uint32 // sequences of slow requests' records, by the loop's number
	scratch  []evidence.Event
	inside   inside
	pool     pool
	groups   groups
	code     map[int32]evidence.Codes // that collects garbage, by process
	times    *hdrhistogram.Histogram  // response times so far
	duty     duty
	slow     int64 // requests of the warm-up that were slow; -1 until it is over
	spanOf   []int // place of the span that each record is of
	second   int64 // of the records that are counted
	inSecond int
	mask     uint32
	rate     rate
	cost     cost
	rests    int64 // until when no record is made, so that making them keeps to its share of the time
}

// number is a slow request's among those that its loop drew.
type number struct {
	loop   int
	number uint32
}

// rate is how many events the probes write.
type rate struct {
	at     int64
	events uint64
}

// Start begins a collection for a load that hasn't begun. It always succeeds: what can't be
// seen here is in the header.
func Start(c Config) *Collector {
	k := &Collector{
		config: c, sampler: evidence.NewSampler(), stop: make(chan struct{}), numbers: make(map[number]uint32),
		times: hdrhistogram.New(1, int64(time.Hour), 3), code: make(map[int32]evidence.Codes),
		duty: duty{random: rand.New(rand.NewPCG(c.Seed, 0x64757479)), share: 1}, slow: -1,
	}
	k.header = evidence.Header{Version: evidence.Version, Port: c.Port, Missing: c.Missing}
	k.sampler.Every(1, 1000)
	if p, err := kernel.Open(c.Port); err != nil {
		k.header.Missing = append(k.header.Missing, evidence.Missing{What: "kernel", Why: err.Error()})
	} else {
		k.attach(p)
	}
	k.cost.watch(c.Processes)
	k.sampler.Awake(true)
	k.ended.Go(k.run)
	k.ended.Go(func() { k.inside.run(k.stop) })
	return k
}

// attach makes the probes run for the first time.
func (k *Collector) attach(p *kernel.Probes) {
	for _, pid := range Trees(k.config.Processes) {
		if err := p.Watch(pid); err != nil {
			k.header.Missing = append(k.header.Missing, evidence.Missing{What: "kernel", Why: err.Error()})
			continue
		}
		k.header.Processes = append(k.header.Processes, evidence.Process{PID: int32(pid), Comm: comm(pid)})
		k.lookInside(pid)
	}
	k.header.FaultCost = kernel.FaultCost()
	_ = p.Count(true) // a remark in the header, no more
	if err := p.Attach(); err != nil {
		k.header.Missing = append(k.header.Missing, evidence.Missing{What: "kernel", Why: err.Error()})
		p.Close()
		return
	}
	now := clock.Now()
	k.probes = p
	k.header.Clocked = p.Clocked()
	k.inside.wake(true)
	k.duty.begin(now)
	k.aim()
	k.rate = rate{at: now}
}

// Sampler is what the load is given.
func (k *Collector) Sampler() *evidence.Sampler { return k.sampler }

// Begin says when the measured time begins or began, in ns of CLOCK_MONOTONIC.
func (k *Collector) Begin(measured int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.header.Started = measured
}

// bucketsWidth is which part of a time its bucket is wide, at most. A percentile is its bucket's upper
// edge, and where many take just as long, as to a time limit, they are in it: they are as slow.
const bucketsWidth = 1000

// Window takes a window that has ended: what is slow is learnt from it.
func (k *Collector) Window(w *measure.Window) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.cost.window(w)
	h := w.Hist[measure.Response]
	if h == nil || h.TotalCount() == 0 {
		return
	}
	k.times.Merge(h)
	slow, far := k.times.ValueAtPercentile(slowFrom), k.times.ValueAtPercentile(farFrom)
	k.sampler.Slow(slow-slow/bucketsWidth, far)
	a := float64(h.TotalCount()) / max(w.Length.Seconds(), 0.001)
	if k.probes != nil && !k.config.Always {
		k.duty.share = shareFor(a, far)
		a *= k.duty.share
	}
	k.sampler.Every(uint32(a*(100-slowFrom)/100/tailASecond)+1, uint32(a/bodyASecond)+1)
	if n := len(k.header.Learnt); n == 0 || differs(k.header.Learnt[n-1].Slow, slow) {
		k.header.Learnt = append(k.header.Learnt, evidence.Threshold{Since: clock.Now(), Slow: slow})
	}
}

// differs reports whether a threshold is another by more than a twentieth.
func differs(a, b int64) bool { return a-b > a/20 || b-a > a/20 }

// run looks at what was drawn until the collection ends.
func (k *Collector) run() {
	yielding()
	t := time.NewTicker(tick)
	defer t.Stop()
	for {
		select {
		case <-k.stop:
			return
		case <-t.C:
			k.mu.Lock()
			k.look(clock.Now())
			k.mu.Unlock()
		}
	}
}

// look takes what was drawn, and turns the probes on or off as the window wants.
func (k *Collector) look(now int64) {
	k.sampler.Fetch(k.take)
	if k.header.Started == 0 || now < k.header.Started {
		return
	}
	if k.slow < 0 {
		_, slow, _ := k.sampler.Seen()
		k.slow = int64(slow)
	}
	window := int((now - k.header.Started) / int64(time.Second))
	k.cost.read(window)
	if k.probes == nil {
		return
	}
	if on := !k.off(window); on != k.probes.Attached() {
		k.turn(on, window)
	}
	if now >= k.header.Started+counting { // until then the probes stay on: what they take is counted
		_ = k.probes.Count(false)
		k.attend(now)
	}
	k.thinOut(now)
}

// off reports whether the probes are to be off in a window.
func (k *Collector) off(window int) bool {
	if k.config.Off != nil {
		return k.config.Off(window)
	}
	return k.config.Cost && offIn(window, k.config.Seed)
}

// turn attaches the probes or detaches them.
func (k *Collector) turn(on bool, window int) {
	k.sampler.Awake(on)
	k.inside.wake(on)
	if on {
		if err := k.probes.Attach(); err != nil {
			k.header.Missing = append(k.header.Missing, evidence.Missing{What: "kernel", Why: err.Error()})
		}
		_ = k.probes.Resume() // they may have been paused before
		now := clock.Now()
		k.duty.begin(now)
		k.aim()
		k.rate = rate{at: now, events: k.probes.Events()}
		return
	}
	k.duty.stop(clock.Now())
	_ = k.probes.Detach() // what fails here is still attached, and asked again
	k.header.Off = append(k.header.Off, window)
}

// mostEvents is how many events of all CPUs are written in a second before fewer connections
// are traced, where the probes are on all the time; each takes some 200 ns.
const mostEvents = 150_000

// thinOut traces half of the connections that it did if there are too many events. At least
// eight are traced.
func (k *Collector) thinOut(now int64) {
	if now-k.rate.at < int64(time.Second)/2 || k.duty.share < 1 || k.duty.current() == nil {
		return
	}
	events := k.probes.Events()
	perSecond := float64(events-k.rate.events) / (float64(now-k.rate.at) / 1e9)
	k.rate = rate{at: now, events: events}
	const fewest, widest = 8, 63
	next := k.mask<<1 | 1
	if perSecond <= mostEvents || next > widest || k.config.Connections < fewest*int(next+1) {
		return
	}
	if k.probes.Trace(next) == nil {
		k.mask = next
		k.sampler.Trace(next)
	}
}

// take keeps a sample, or leaves it for later if the collector rests. The longer a record took to
// make, the longer the rest that follows it.
func (k *Collector) take(s *evidence.Sample) bool {
	now := clock.Now()
	if now < k.rests {
		return false
	}
	before := spent()
	k.keep(s, now)
	k.rests = now + workShare*(spent()-before)
	return true
}

// patience is how old a sample may be: while the probes are on for a part of the time, rings hold longer.
func (k *Collector) patience() int64 {
	if k.duty.share > 0 && k.duty.share < 1 {
		return int64(float64(stale) / k.duty.share)
	}
	return stale
}

// keep makes the record of a sample.
func (k *Collector) keep(s *evidence.Sample, now int64) {
	started := k.header.Started
	if started == 0 || s.Intended < started {
		return // of the warm-up
	}
	if second := s.Done / int64(time.Second); second != k.second {
		k.second, k.inSecond = second, 0
	}
	if now-s.Done > k.patience() || k.inSecond == mostASecond || len(k.records) == evidence.MostRecords {
		k.header.Counts.Dropped++
		return
	}
	place := 0
	if k.probes != nil {
		if place = k.attended(s); place < 0 {
			return
		}
	}
	k.inSecond++
	whole := true
	if k.probes != nil {
		sent := cmp.Or(s.Sent, s.Done)
		from := min(sent, s.Intended)
		if s.Waited && s.Before > 0 { // what it waited behind is looked at too
			from = min(from, s.Before)
		}
		from = max(from, sent-evidence.LongestWait)
		k.scratch, whole = k.probes.Slice(k.duty.spans[place].on, from-context, s.Done, k.scratch[:0])
	}
	k.scratch = k.inside.slice(s.Sent, s.Done, k.scratch)
	about := evidence.Server{Started: started, FaultCost: k.header.FaultCost, Pooled: k.pool.is(k.scratch), Loops: k.pool.loops, Collectors: k.code}
	r := evidence.Join(s, k.scratch, about)
	if !whole {
		r.Incomplete = append(r.Incomplete, evidence.Overwritten)
		k.header.Counts.Overwritten++
	}
	k.groups.name(&r)
	k.learn()
	k.add(s, &r)
	k.spanOf = append(k.spanOf, place)
}

// add numbers a record and keeps it.
func (k *Collector) add(s *evidence.Sample, r *evidence.Record) {
	r.Sequence = uint32(len(k.records) + 1)
	switch s.Class {
	case evidence.Tail:
		k.numbers[number{s.Loop, s.Number}] = r.Sequence
	case evidence.Match:
		r.Of = k.numbers[number{s.Loop, s.Of}]
	}
	for _, gap := range r.Incomplete {
		if gap == evidence.NotTraced {
			k.header.Counts.NotTraced++
		}
	}
	if len(r.Incomplete) > 0 {
		k.header.Counts.Incomplete++
	}
	k.records = append(k.records, *r)
	if r.Class == evidence.Tail && k.config.OnSlow != nil {
		k.config.OnSlow(r)
	}
}

// learn notes the processes that turned out to serve the port.
func (k *Collector) learn() {
	for i := range k.scratch {
		e := &k.scratch[i]
		if e.Kind != evidence.ThreadLearnt {
			continue
		}
		known := false
		for _, p := range k.header.Processes {
			known = known || p.PID == e.Process
		}
		if !known {
			k.header.Processes = append(k.header.Processes, evidence.Process{PID: e.Process, Comm: comm(int(e.Process)), Learnt: true})
			k.lookInside(int(e.Process))
		}
	}
}

// End ends the collection: nothing of it is in the kernel any more.
func (k *Collector) End() (*evidence.Header, []evidence.Record) {
	close(k.stop)
	k.ended.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sampler.Fetch(func(s *evidence.Sample) bool {
		k.rests = 0 // the load is over, and nobody's time is taken
		return k.take(s)
	})
	k.sampler.Awake(false)
	c := &k.header.Counts
	var dropped uint64
	c.Requests, c.Tail, dropped = k.sampler.Seen()
	c.Dropped += dropped
	c.Kept, c.Every = uint64(len(k.records)), int(k.mask)+1
	if c.Requests == 0 {
		k.header.Missing = append(k.header.Missing, evidence.Missing{What: "requests", Why: "the generator drew none: only its event loops do (not the portable engine), from requests over HTTP with a response each"})
	}
	if k.probes != nil {
		c.Events = k.probes.Events()
		k.header.Probes = k.probes.Programs()
		k.header.Missing = append(k.header.Missing, k.probes.Missing()...)
		k.duty.stop(clock.Now())
		k.weigh()
		k.probes.Close()
		k.header.Cost = k.cost.result(k.header.Off)
	}
	k.cost.close()
	return &k.header, k.records
}
