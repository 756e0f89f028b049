package engine

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/nano/wire/clock"
)

// portable is the engine for systems without epoll: a goroutine and a
// standard-library connection each. It records the same things at several
// times the cost.
type portable struct {
	Share
	mix     *mix
	limit   int64  // end of the measured time
	dialled uint32 // connections tried, for the turn of source addresses
	working sync.WaitGroup

	mu          sync.Mutex // guards what follows, mix, and the workers' conn
	workers     []*worker
	lines       []*line       // over HTTP/2 and HTTP/3: the connections of the workers
	idle        ring[*worker] // open loop: workers that wait for an arrival
	backlog     ring[int64]   // intended starts of arrivals that wait for a worker
	think       profile.Thinker
	rec         *Recorder
	beat        int64  // when the time was last looked at
	next        int64  // the next arrival of the schedule
	settled     int64  // when all that came during the last stall has been seen
	started     uint64 // requests begun, for the quota
	interrupted bool   // reads end at once
	dismissed   bool   // no arrival will come any more
}

func openPortable(sh Share) (Engine, error) {
	p := &portable{
		Share: sh, mix: sh.mix(),
		idle: newRing[*worker](sh.Link.Places(sh.Connections)), backlog: newRing[int64](1024),
		think: sh.Profile.Think.Thinker(sh.Seed, sh.Part),
	}
	for range sh.Connections {
		p.hire()
	}
	return p, nil
}

// hire adds a worker, without a connection yet, or the workers of a connection that
// carries the requests of several.
func (p *portable) hire() []*worker {
	before := len(p.workers)
	if p.Link.Streams == 0 {
		p.workers = append(p.workers, &worker{engine: p, read: make([]byte, 16<<10), due: make(chan struct{}, 1)})
		return p.workers[before:]
	}
	l := newLine(p)
	for range p.Link.Streams {
		p.workers = append(p.workers, &worker{engine: p, line: l, trip: trip{over: make(chan struct{}, 1)}, due: make(chan struct{}, 1)})
	}
	l.workers = p.workers[before:]
	p.lines = append(p.lines, l)
	return l.workers
}

// Close implements Engine.
func (p *portable) Close() {
	for _, l := range p.lines {
		l.mu.Lock()
		l.hangUp()
		l.mu.Unlock()
	}
	p.mu.Lock() // an interruption may still be under way
	defer p.mu.Unlock()
	for _, w := range p.workers {
		w.hangUp()
	}
}

// Usage implements Engine: that of the process.
func (p *portable) Usage() (user, sys time.Duration) { return processUsage() }

// Connect implements engine.
func (p *portable) Connect(ctx context.Context) error {
	inTime, cancel := context.WithTimeout(ctx, min(ConnectPatient, p.Timeout))
	defer cancel()
	slots := make(chan struct{}, 128)
	var dialling sync.WaitGroup
	var up atomic.Bool
	for i, dial := range p.dials() {
		if i > 0 && !p.keepsWarm() {
			break // one is opened to see that the target is there
		}
		dialling.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if err := dial(inTime); err != nil {
				p.Errors.note(measure.ConnectError, ExplainConnect(err))
				return
			}
			up.Store(true)
		})
	}
	dialling.Wait()
	if up.Load() || interrupted(ctx) {
		return nil
	}
	return p.unreachable()
}

// interrupted reports whether ctx has ended, or is about to: attempts to connect have its deadline by
// a clock of their own, and may end a moment before it.
func interrupted(ctx context.Context) bool {
	if by, ok := ctx.Deadline(); ok && !time.Now().Before(by) {
		<-ctx.Done()
	}
	return ctx.Err() != nil
}

// dials are functions that open a connection each.
func (p *portable) dials() (all []func(context.Context) error) {
	for _, l := range p.lines {
		all = append(all, l.open)
	}
	if p.lines != nil {
		return all
	}
	for _, w := range p.workers {
		all = append(all, func(ctx context.Context) error {
			_, err := w.dial(ctx)
			return err
		})
	}
	return all
}

// keepsWarm reports whether connections are open also while nothing is to be
// sent on them.
func (p *portable) keepsWarm() bool {
	return p.Link.Reuse == "" || p.Link.Reuse == request.PerWorker
}

// Load implements engine.
func (p *portable) Load(ctx context.Context, rec *Recorder, begin, end int64) {
	p.rec, p.limit, p.beat, p.next = rec, end, begin, math.MaxInt64
	for _, l := range p.lines {
		l.traffic.in.Store(0)
		l.traffic.out.Store(0)
	}
	rec.watch(0, false)
	time.Sleep(time.Duration(begin - clock.Now()))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, p.interrupt)
	defer stop() // before cancel
	p.mu.Lock()
	for i, w := range p.workers {
		// Workers that think begin spread over their think time.
		rest := p.think.Mean * float64(i) / float64(len(p.workers))
		p.working.Go(func() { w.work(ctx, time.Duration(rest)) })
	}
	p.mu.Unlock()
	finished := make(chan struct{})
	go func() { p.working.Wait(); close(finished) }()
	if p.Profile.Mode == profile.Open {
		p.arrivals(ctx, begin)
	} else {
		p.watch(ctx, finished)
	}
	p.drain(ctx, finished)
	p.interrupt()
	cancel() // connections that are being made count for nothing either
	<-finished
	p.giveUp()
	rec.Finish(p.limit)
}

// arrivals hands out the schedule's arrivals until the end.
func (p *portable) arrivals(ctx context.Context, begin int64) {
	defer p.dismiss()
	schedule := profile.NewSchedule(p.Profile, p.Warmup, p.Seed, p.Part, p.Parts)
	for next := schedule.After(begin); next < p.limit; next = schedule.After(begin) {
		p.expect(next)
		for now := clock.Now(); now < next; now = clock.Now() {
			if ctx.Err() != nil {
				return
			}
			p.tick(now)
			time.Sleep(min(time.Duration(next-now), beatEvery))
		}
		if p.Quota > 0 && p.started >= p.Quota {
			break
		}
		p.started++
		p.arrive(ctx, next)
	}
	p.expect(math.MaxInt64)
	p.watch(ctx, nil)
}

// expect says when the next arrival is due.
func (p *portable) expect(next int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next = next
}

// dismiss ends the workers that wait for arrivals: there will be no more.
func (p *portable) dismiss() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dismissed = true
	for p.idle.len() > 0 {
		close(p.idle.pop().due)
	}
}

func (p *portable) arrive(ctx context.Context, intended int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := clock.Now()
	p.advance(now)
	p.rec.arrived(intended, now)
	switch overflow := p.Profile.Overflow; {
	case p.idle.len() > 0 && p.Link.Reuse == request.Shared:
		p.idle.popLast().take(intended)
	case p.idle.len() > 0:
		p.idle.pop().take(intended)
	case overflow == profile.OpenMore && len(p.workers) < p.Link.Places(p.Most):
		more := p.hire()
		more[0].take(intended)
		for _, w := range more {
			p.working.Go(func() { w.work(ctx, 0) })
		}
	case overflow == profile.ShedArrival || p.backlog.len() == maxBacklog:
		p.rec.shed(p.mix.unsent(), intended, now)
	default:
		p.rec.Queued++
		p.backlog.push(intended)
	}
}

// watch keeps the windows turning until the end, until done, or until an open
// loop has no request left to wait for.
func (p *portable) watch(ctx context.Context, done <-chan struct{}) {
	for ctx.Err() == nil {
		now := clock.Now()
		inFlight, left := p.tick(now)
		if left <= 0 || inFlight == 0 && done == nil && p.Quota > 0 {
			return
		}
		select {
		case <-done:
			return
		case <-ctx.Done():
		case <-time.After(min(left, beatEvery)):
		}
	}
}

// retryPause is before a failed connection is tried again.
const retryPause = 20 * time.Millisecond

// beatEvery is how often at least the engine reads the clock, also when there is
// nothing else to do.
const beatEvery = 20 * time.Millisecond

// advance takes the ledger up to now. That the time was not looked at for longer
// than the beat is a stall: none of the goroutines has run. mu is held.
func (p *portable) advance(now int64) {
	if late := now - p.beat - int64(beatEvery); late > int64(stallFloor) {
		from := p.beat
		if late < int64(measure.StallSuspect) {
			from += int64(beatEvery)
		}
		p.rec.away(from, now)
		p.settled = now + int64(beatEvery)
	}
	p.beat = max(p.beat, now)
	p.rec.Advance(now, p.limit)
	if p.rec.lasting > 0 {
		p.rec.recover(now, p.next > now && now >= p.settled)
	}
}

// tick closes the windows that have ended and returns the requests in flight, and how
// long it is to the end, which a worker may draw nearer.
func (p *portable) tick(now int64) (inFlight int, left time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.advance(now)
	return p.rec.inFlight, time.Duration(p.limit - now)
}

// endOfTime counts what completes from now on as drained. mu is held.
func (p *portable) endOfTime(now int64) {
	if p.rec.draining {
		return
	}
	p.limit = min(p.limit, max(now, p.rec.Start))
	p.rec.drain(p.limit)
}

// drain waits, after the end, until the workers have sent what was due by then and have
// the responses, for a limited time.
func (p *portable) drain(ctx context.Context, done <-chan struct{}) {
	p.mu.Lock()
	now := clock.Now()
	p.advance(now)
	p.endOfTime(now)
	p.mu.Unlock()
	patience := now + int64(p.Patience)
	for now < patience && ctx.Err() == nil {
		p.tick(now)
		select {
		case <-done:
			return
		case <-ctx.Done():
		case <-time.After(min(time.Duration(patience-now), beatEvery)):
		}
		now = clock.Now()
	}
}

// giveUp ends the requests that are still under way after the drain. All workers have
// stopped.
func (p *portable) giveUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, mode := clock.Now(), p.Profile.Mode
	for p.backlog.len() > 0 {
		p.rec.cut(mode, p.mix.unsent(), p.backlog.pop(), 0, now)
	}
	for _, w := range p.workers {
		if w.asked {
			of := w.request
			if w.sentAt == 0 {
				of = p.mix.unsent()
			}
			p.rec.cut(mode, of, w.intended, w.sentAt, now)
		}
	}
}

// interrupt wakes the workers out of their reads.
func (p *portable) interrupt() {
	p.mu.Lock()
	p.interrupted = true
	for _, w := range p.workers {
		w.setDeadline()
	}
	lines := slices.Clone(p.lines)
	p.mu.Unlock()
	for _, l := range lines { // without mu: see line
		l.wake()
	}
}
