package load

import (
	"context"
	"sync"
	"time"

	"dyno/internal/clock"
)

// portable is the engine for systems without epoll, and for TLS: a goroutine
// and a standard-library connection each. It records the same things at several
// times the cost.
type portable struct {
	share
	mix     *mix
	workers []*worker
	limit   int64 // end of the measured time
	waiting chan int64

	mu          sync.Mutex // guards what follows, mix, and the workers' conn
	rec         *recorder
	started     uint64 // requests begun, for the quota
	interrupted bool   // reads end at once
}

func openPortable(sh share) (engine, error) {
	p := &portable{share: sh, mix: sh.mix(), waiting: make(chan int64, maxBacklog)}
	for range sh.connections {
		p.workers = append(p.workers, &worker{engine: p, read: make([]byte, 16<<10)})
	}
	return p, nil
}

func (p *portable) close() {
	for _, w := range p.workers {
		w.hangUp()
	}
}

func (p *portable) usage() (user, sys time.Duration) { return processUsage() }

// connect implements engine.
func (p *portable) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, min(connectPatient, p.spec.Timeout))
	defer cancel()
	slots := make(chan struct{}, 128)
	var dialling sync.WaitGroup
	for _, w := range p.workers {
		dialling.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if _, err := w.dial(ctx); err != nil {
				p.errors.note("connect", err.Error())
			}
		})
	}
	dialling.Wait()
	for _, w := range p.workers {
		if w.conn != nil {
			return nil
		}
	}
	return p.unreachable()
}

// load implements engine.
func (p *portable) load(ctx context.Context, rec *recorder, begin, end int64) {
	p.rec, p.limit = rec, end
	time.Sleep(time.Duration(begin - clock.Now()))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, p.interrupt)
	defer stop() // before cancel
	var working sync.WaitGroup
	for _, w := range p.workers {
		working.Go(func() { w.work(ctx) })
	}
	finished := make(chan struct{})
	go func() { working.Wait(); close(finished) }()
	if p.spec.Profile.Mode == Open {
		p.arrivals(ctx, begin)
	} else {
		p.watch(ctx, finished)
	}
	p.endOfTime()
	if p.spec.Profile.Mode == Closed {
		p.interrupt() // answers after the end don't count
	}
	<-finished
	p.mu.Lock()
	defer p.mu.Unlock()
	rec.finish(p.spec.Profile.Mode, min(p.limit, max(clock.Now(), rec.Start)))
}

// arrivals hands out the schedule's arrivals until the end.
func (p *portable) arrivals(ctx context.Context, begin int64) {
	defer close(p.waiting)
	schedule := newSchedule(p.spec, p.part, p.parts)
	for next := schedule.after(begin); next < p.limit; next = schedule.after(begin) {
		for now := clock.Now(); now < next; now = clock.Now() {
			if ctx.Err() != nil {
				return
			}
			p.tick(now)
			time.Sleep(min(time.Duration(next-now), 50*time.Millisecond))
		}
		if p.quota > 0 && p.started >= p.quota {
			return
		}
		p.started++
		p.arrive(next)
	}
	p.watch(ctx, nil)
}

func (p *portable) arrive(intended int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := clock.Now()
	p.rec.advance(now, p.limit)
	p.rec.arrived(intended, now)
	select {
	case p.waiting <- intended:
	default:
		p.rec.inFlight--
		p.rec.Shed++
	}
}

// watch keeps the windows turning until the end, or until done.
func (p *portable) watch(ctx context.Context, done <-chan struct{}) {
	for now := clock.Now(); now < p.limit && ctx.Err() == nil; now = clock.Now() {
		p.tick(now)
		select {
		case <-done:
			return
		case <-ctx.Done():
		case <-time.After(min(time.Duration(p.limit-now), 20*time.Millisecond)):
		}
	}
}

func (p *portable) tick(now int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rec.advance(now, p.limit)
}

// endOfTime gives up the arrivals that still wait and counts what completes
// from now on as drained.
func (p *portable) endOfTime() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limit = min(p.limit, clock.Now())
	unsent := 0
	for range len(p.waiting) {
		select {
		case _, ok := <-p.waiting:
			if ok {
				unsent++
			}
		default:
		}
	}
	p.rec.drain(p.limit, unsent)
}

// interrupt wakes the workers out of their reads.
func (p *portable) interrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.interrupted = true
	for _, w := range p.workers {
		w.setDeadline()
	}
}
