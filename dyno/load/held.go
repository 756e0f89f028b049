package load

import (
	"cmp"
	"context"
	"sync"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/internal/processors"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
)

// MostTurn is how long a turn may be.
const MostTurn = time.Second

// turnLead is how long before a turn its loops are notified, so that none is late.
const turnLead = 300 * time.Microsecond

// Held is a load that is sent in turns over connections that stay: several of them, each to
// a server of its own, can take turns of a fraction of a second. In between a load has no
// request under way. It is not safe for concurrent use. Close it.
type Held struct {
	spec    Spec
	loops   []*heldLoop
	ended   sync.WaitGroup
	release func()
	log     *engine.ErrorLog
	kinds   int
	pool    *partial // of the turns since the last window
	result  *Result
}

// heldLoop is a loop that waits for its turns.
type heldLoop struct {
	turns chan heldTurn
	over  chan turnOver
	slots chan *engine.Slot // filled in a turn
}

type heldTurn struct {
	ctx               context.Context // nil: only look after the connections
	from, counts, end int64
	seed              uint64
	read              func() time.Duration // what the server has used, if it is counted at its edges …
	split             int64                // … and where it is between them; 0: it isn't
}

type turnOver struct {
	at    int64 // the last response was in
	edges *engine.Edges
	err   error
}

// Turn is the outcome of one turn. Every request that was sent in it is over: Requests have
// the response they were to have, Failed have not.
type Turn struct {
	Start    int64         // CLOCK_MONOTONIC, ns: from when on what happened counts
	Length   time.Duration // from then to the end of the slice, or until the last response was in
	Requests uint64
	Failed   uint64
	// Used is, of a slice, what was used for as many requests as were over between its ends …
	Used time.Duration
	// … First the part of both at its beginning, if it was to be told apart …
	First Portion
	// … and All how many requests had their response in the turn that it is cut out of.
	All uint64
	// Void says that the generator itself was stopped in it, for [measure.StallSuspect] or
	// longer, so that its times say nothing about the server: it is in no window. Unlike
	// a second of a load that goes on, a turn can be left out.
	Void bool
}

// Portion is a part of a slice: how many requests were over in it, however they ended, and
// what was used for as many. Zero if it isn't known.
type Portion struct {
	Requests uint64
	Used     time.Duration
}

// Cut says how a slice is cut out of a load.
type Cut struct {
	Settle time.Duration // of the load before it
	Length time.Duration // of the slice
	First  time.Duration // of its part that is told apart, less than Length; 0: none is
}

// CanHold says why a load can't be sent in turns; nothing if it can. A load in turns is a
// closed loop or has one rate, and keeps its connections.
func (s *Spec) CanHold() i18n.Message {
	p, k := &s.Profile, &s.Link
	name, _ := engine.Pick(s.Engine, s.needsEpoll())
	switch {
	case name == "portable" || k.HTTP3:
		return i18n.New("load.held-portable", "the portable engine can't hold connections between turns")
	case p.Length() > 0:
		return i18n.New("load.held-phases", "a load with phases can't be cut into turns")
	case p.Think.Mean > 0:
		return i18n.New("load.held-think", "users who think between requests have some under way at any time")
	case k.WebSocket != nil || k.Events != nil || s.streamsMessages():
		return i18n.New("load.held-messages", "a load of messages can't be cut into turns")
	case k.Reuse == request.NoReuse || k.PerConnection > 0 || k.MaxAge > 0:
		return i18n.New("load.held-connections", "turns need connections that last")
	}
	return i18n.Message{}
}

// Hold connects a load and sends nothing yet. Duration, Warmup, MaxRequests, OnStart and OnWindow of the
// spec are of no use here.
func Hold(ctx context.Context, spec Spec) (*Held, error) {
	spec.Duration, spec.Warmup, spec.MaxRequests = MostTurn, 0, 0
	spec.OnStart, spec.OnWindow = nil, nil
	if why := spec.CanHold(); !why.IsZero() {
		return nil, i18n.Fail(why)
	}
	ready, err := spec.prepare(ctx)
	if err != nil {
		return nil, err
	}
	for i := range ready.shares {
		if ready.shares[i].Quota > 0 {
			ready.release()
			return nil, i18n.Errorf("load.held-feed", "a feed that ends the load can't be cut into turns")
		}
	}
	h := &Held{spec: spec, result: newResult(&spec, ready.engine), log: ready.shares[0].Errors, kinds: ready.shares[0].Program.Kinds()}
	give := processors.Hold(len(ready.shares))
	h.release = func() { give(); ready.release() }
	h.pool = &partial{breakdown: measure.NewBreakdown(h.kinds)}
	connected := make(chan error, len(ready.shares))
	for _, sh := range ready.shares {
		l := &heldLoop{turns: make(chan heldTurn), over: make(chan turnOver, 1), slots: make(chan *engine.Slot, heldSlots)}
		h.loops = append(h.loops, l)
		h.ended.Go(func() { h.loop(ctx, l, sh, ready.open, connected) })
	}
	var failed error
	for range ready.shares {
		failed = cmp.Or(failed, <-connected)
	}
	if failed == nil && ctx.Err() != nil {
		failed = context.Cause(ctx)
	}
	if failed != nil {
		h.Close()
		return nil, failed
	}
	return h, nil
}

// heldSlots is how many windows a turn can lie in: one while it settles, that which counts,
// which is no longer than one, and one for what drains.
const heldSlots = 3

// loop takes the turns of one loop, from opening its engine to closing it.
func (h *Held) loop(ctx context.Context, l *heldLoop, sh engine.Share, open func(engine.Share) (engine.Engine, error), connected chan<- error) {
	e, err := open(sh)
	if err != nil {
		connected <- err
		return
	}
	defer e.Close()
	if err := e.Connect(ctx); err != nil {
		connected <- err
		return
	}
	turns, ok := engine.TakeTurns(e)
	if !ok {
		connected <- i18n.Errorf("load.held-engine", "this engine can't hold connections between turns")
		return
	}
	free := make(chan *engine.Slot, heldSlots)
	for range heldSlots {
		s := engine.NewSlot(h.kinds)
		s.Home, s.Loop = free, sh.Part
		free <- s
	}
	connected <- nil
	for t := range l.turns {
		if t.ctx == nil {
			turns.Revive()
			l.over <- turnOver{}
			continue
		}
		rec := engine.NewRecorder(t.from, t.counts, l.slots, free, e.Usage)
		var edges *engine.Edges
		if t.read != nil {
			edges = &engine.Edges{Read: t.read, Split: t.split, End: t.end}
			rec.Edges(edges)
		}
		err := turns.Load(t.ctx, rec, t.from, t.end, t.seed)
		l.over <- turnOver{clock.Now(), edges, err}
	}
}

// Turn sends the load for so long, of [MostTurn] at most, and waits for all responses. An
// open loop has the schedule of the seed. What it counts is part of the next window, unless
// counts is false. What a server uses from its beginning to its end is the whole
// cost of its requests. After an error, also that of a context, the load takes no more turns.
func (h *Held) Turn(ctx context.Context, d time.Duration, seed uint64, counts bool) (Turn, error) {
	from, failed := h.next(0, d)
	if failed != nil {
		return Turn{}, failed
	}
	end, _, failed := h.send(heldTurn{ctx: ctx, from: from, counts: from, end: from + int64(d), seed: seed})
	t := Turn{Start: from, Length: time.Duration(end - from)}
	h.take(&t, d, counts && failed == nil, func(*engine.Slot) bool { return true })
	return t, failed
}

// Slice is a turn of a closed loop of which only a part counts, from when it has been loaded for
// as long as it settles: what completes from there to the end, while requests are under way
// all the time. So it is like a piece of a load that goes on: it has neither the first requests after a
// rest nor the last ones before one. Towards both ends, and where the first part of it is over, read is
// called, on the threads that send, for what the server has used so far: see [engine.Edges].
func (h *Held) Slice(ctx context.Context, cut Cut, seed uint64, read func() time.Duration) (Turn, error) {
	d := cut.Length
	from, failed := h.next(cut.Settle, d)
	if failed != nil {
		return Turn{}, failed
	}
	counts := from + int64(cut.Settle)
	order := heldTurn{ctx: ctx, from: from, counts: counts, end: counts + int64(d), seed: seed, read: read}
	if cut.First > 0 && cut.First < d {
		order.split = counts + int64(cut.First)
	}
	_, edges, failed := h.send(order)
	t := Turn{Start: counts, Length: d}
	if failed == nil {
		t.Used = between(edges, endOf).Used
		t.First = firstOf(edges)
	}
	h.take(&t, d, failed == nil, func(s *engine.Slot) bool { return s.Start >= counts && s.Start < counts+int64(d) })
	return t, failed
}

// next makes connections again that were lost, and returns when a turn of such a length can
// begin.
func (h *Held) next(settle, d time.Duration) (from int64, err error) {
	if d <= 0 || settle < 0 || settle+d > MostTurn+MostTurn/2 || d > MostTurn {
		return 0, i18n.Errorf("load.held-length", "a turn takes up to %v, not %v", MostTurn, d)
	}
	for _, l := range h.loops {
		l.turns <- heldTurn{}
	}
	for _, l := range h.loops {
		<-l.over
	}
	return clock.Now() + int64(turnLead), nil
}

// send has all loops take a turn, and returns when the last response was in.
func (h *Held) send(t heldTurn) (end int64, edges []*engine.Edges, failed error) {
	for _, l := range h.loops {
		l.turns <- t
	}
	end = t.end
	for _, l := range h.loops {
		o := <-l.over
		end, edges, failed = max(end, o.at), append(edges, o.edges), cmp.Or(failed, o.err)
	}
	return end, edges, failed
}

// take collects a turn of which d counts, where what a loop has recorded is of that.
func (h *Held) take(t *Turn, d time.Duration, counts bool, of func(*engine.Slot) bool) {
	var slots []*engine.Slot
	for _, l := range h.loops {
		for len(l.slots) > 0 {
			s := <-l.slots
			slots, t.Void = append(slots, s), t.Void || of(s) && s.Stall >= measure.StallSuspect
		}
	}
	counts = counts && !t.Void
	for _, s := range slots {
		h.collect(s, t, of(s), counts)
	}
	if counts {
		h.pool.Length += d
		if h.pool.Start == 0 {
			h.pool.Start = t.Start
		}
	}
}

// collect takes what a loop has recorded in its turn.
func (h *Held) collect(s *engine.Slot, t *Turn, of, counts bool) {
	right := s.Completed + s.Drained
	t.All += right
	if of {
		t.Requests += right
		t.Failed += s.Errors.Total() + s.Unfinished + s.Shed + s.CutOff
	}
	if of && counts {
		h.pool.AddCounts(&s.Window)
		h.pool.durations.Add(&s.Durations)
		h.pool.breakdown.Add(s.Breakdown)
		h.pool.pending += s.Pending
	}
	s.Free()
}

// Window returns the turns since the last window as one: as long as they were to be
// together, without the times between them and those spent waiting for responses. Its
// Start is that of the first.
func (h *Held) Window() measure.Window {
	p := h.pool
	h.pool = &partial{breakdown: measure.NewBreakdown(h.kinds)}
	w := p.Window
	w.Index = len(h.result.Windows)
	if w.Length > 0 {
		w.InFlight = p.pending / float64(w.Length)
	}
	p.durations.Histograms(&w)
	w.Statuses, w.Codes = p.breakdown.ByStatus(), p.breakdown.ByCode()
	w.Findings = finding.Accept(judgeWindow(&w, &h.spec), h.spec.Accept)
	if h.result.Start == 0 {
		h.result.Start = w.Start
	}
	h.result.add(w, p, &h.spec)
	return w
}

// Result sums up the windows. No turn may follow.
func (h *Held) Result() *Result {
	r := h.result
	r.told(h.log)
	r.seal()
	if r.All.Length > 0 {
		r.Requests = r.requestResults(h.spec.Requests)
	}
	r.judge(&h.spec)
	return r
}

// Close ends the load and closes its connections.
func (h *Held) Close() {
	for _, l := range h.loops {
		close(l.turns)
	}
	h.loops = nil
	h.ended.Wait()
	h.release()
}
