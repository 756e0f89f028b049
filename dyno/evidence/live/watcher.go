package live

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/evidence/collect"
	"dyno.example/dyno/evidence/kernel"
	"dyno.example/nano/wire/clock"
)

// How the kernel's rings are read.
const (
	tick     = 200 * time.Millisecond
	behind   = int64(10e6) // ns: events of an instant are there by then
	before   = int64(5e6)  // ns before a request whose events are taken too
	slowOnes = 4           // requests of a tick that are looked at as they are the slowest
	drawn    = 8           // and at random
)

// Watcher watches a server. It belongs to one goroutine.
type Watcher struct {
	probes  *kernel.Probes
	finder  finder
	scratch []evidence.Event
	random  *rand.Rand
	fault   int64 // what a page fault costs, ns
	gone    func() bool
}

// Watch begins to watch the server that listens on a port, a process with those below it. An
// error says what the kernel or this user lacks.
func Watch(pid, port int) (*Watcher, error) {
	probes, err := kernel.Open(port)
	if err != nil {
		return nil, err
	}
	for _, one := range collect.Trees([]int{pid}) {
		if err := probes.Watch(one); err != nil {
			probes.Close()
			return nil, err
		}
	}
	if err := probes.Attach(); err != nil {
		probes.Close()
		return nil, err
	}
	w := &Watcher{probes: probes, random: rand.New(rand.NewPCG(1, uint64(pid))), fault: kernel.FaultCost()}
	w.finder.upTo = clock.Now()
	w.gone = func() bool { return !alive(pid) }
	return w, nil
}

// Close removes all from the kernel.
func (w *Watcher) Close() { w.probes.Close() }

// ErrGone says that the process has ended.
var ErrGone = errors.New("the process has ended")

// Next watches for a while and says what went on. The error is that of ctx, or [ErrGone].
func (w *Watcher) Next(ctx context.Context, length time.Duration) (View, error) {
	var b builder
	begun := clock.Now()
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	for clock.Now()-begun < int64(length) {
		select {
		case <-ctx.Done():
			return View{}, ctx.Err()
		case <-ticks.C:
		}
		w.look(&b)
		if w.gone() {
			return View{}, ErrGone
		}
	}
	now := clock.Now()
	v := b.view(time.Duration(now - begun))
	n, since := w.finder.open()
	if v.Open = n; n > 0 {
		v.Oldest = time.Duration(now - since)
	}
	return v, nil
}

// look takes what has come since it last did.
func (w *Watcher) look(b *builder) {
	to := clock.Now() - behind
	w.scratch, _ = w.probes.Slice(0, w.finder.upTo, to, w.scratch[:0])
	done := w.finder.take(w.scratch, to, nil)
	b.ended(done)
	slow := slowest(done, slowOnes)
	for i := range slow {
		w.join(&slow[i], b, true)
	}
	for range min(drawn, len(done)) {
		w.join(&done[w.random.IntN(len(done))], b, false)
	}
}

// join looks at one request.
func (w *Watcher) join(s *evidence.Sample, b *builder, slow bool) {
	var whole bool
	w.scratch, whole = w.probes.Slice(0, s.Sent-before, s.Done, w.scratch[:0])
	// What comes at the client, if that is on this machine, is not the server's.
	n := 0
	for _, e := range w.scratch {
		if e.Kind != evidence.ClientReady {
			w.scratch[n] = e
			n++
		}
	}
	r := evidence.Join(s, w.scratch[:n], evidence.Server{Started: s.Sent, FaultCost: w.fault})
	if !whole {
		r.Incomplete = append(r.Incomplete, evidence.Overwritten)
	}
	b.looked(&r, slow)
}
