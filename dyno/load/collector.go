package load

import (
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/measure"
)

// collector merges the loops' slots into windows, in order, and judges them. It
// runs in one goroutine alongside the loops.
type collector struct {
	spec   *Spec
	loops  int
	slots  chan *engine.Slot
	open   map[int]*partial
	spare  []measure.Durations  // empty, to be used again
	apart  []*measure.Breakdown // the same
	pieces []*engine.Part       // the same
	result *Result

	begun bool
	next  int   // the first window that was not delivered
	ended []int // last windows of the loops that have ended

	health   *healthSampler
	arrivals []*arrivalTest // by loop; empty if there is nothing to hold them to
}

// partial is a window that some loops have not delivered yet.
type partial struct {
	measure.Window
	durations measure.Durations
	delivered int
	pending   float64
	breakdown *measure.Breakdown
	parts     []*engine.Part // of earlier windows
}

// addPart adds what a loop has of an earlier window.
func (c *collector) addPart(p *partial, add *engine.Part) {
	var into *engine.Part
	for _, part := range p.parts {
		if part.Index == add.Index {
			into = part
		}
	}
	if into == nil {
		into = c.emptyPart(add.Index, len(add.Breakdown.Kinds))
		p.parts = append(p.parts, into)
	}
	into.AddCounts(&add.Window)
	into.Durations.Add(&add.Durations)
	into.Breakdown.Add(add.Breakdown)
}

// emptyPart returns one of those that were given back, or a new one.
func (c *collector) emptyPart(due, kinds int) *engine.Part {
	n := len(c.pieces)
	if n == 0 {
		return engine.NewPart(due, kinds)
	}
	p := c.pieces[n-1]
	c.pieces = c.pieces[:n-1]
	p.Reset(due)
	return p
}

func newCollector(spec *Spec, loops int, result *Result) *collector {
	return &collector{
		spec: spec, loops: loops, result: result,
		slots: make(chan *engine.Slot, loops*engine.SlotsPerLoop),
		open:  make(map[int]*partial),
	}
}

// begin makes ready for a load that begins at the given instant.
func (c *collector) begin(at int64) {
	c.health = newHealthSampler()
	if c.spec.Others != nil {
		c.spec.Others() // the time before the load belongs to no window
	}
	parts := c.spec.loops() // loops that have nothing to send have a part of the schedule too
	for range parts {
		if t := newArrivalTest(c.spec, parts, at); t != nil {
			c.arrivals = append(c.arrivals, t)
		}
	}
}

// run collects until slots is closed, then delivers what is left.
func (c *collector) run() {
	for s := range c.slots {
		c.take(s)
		s.Free()
	}
	for ; len(c.open) > 0; c.next++ {
		if c.open[c.next] != nil {
			c.deliver(c.next)
		}
	}
	c.health.close()
	for _, t := range c.arrivals {
		c.result.arrivals = append(c.result.arrivals, t.finish(c.next-1)...)
	}
}

// take adds a slot to its window, and delivers the windows that are complete now.
func (c *collector) take(s *engine.Slot) {
	if !c.begun {
		c.next, c.begun = s.Index, true
	}
	c.next = min(c.next, s.Index)
	if s.Last {
		c.ended = append(c.ended, s.Index)
	}
	c.merge(s)
	for c.open[c.next] != nil && c.open[c.next].delivered == c.expected(c.next) {
		c.deliver(c.next)
		c.next++
	}
}

// expected is how many loops deliver a window: not those that ended before it.
func (c *collector) expected(index int) int {
	n := c.loops
	for _, last := range c.ended {
		if last < index {
			n--
		}
	}
	return n
}

// merge adds a slot to its window.
func (c *collector) merge(s *engine.Slot) {
	w := c.open[s.Index]
	if w == nil {
		w = &partial{Window: measure.Window{Index: s.Index, Start: s.Start, Length: s.Length}}
		if n := len(c.spare); n > 0 {
			w.durations, c.spare = c.spare[n-1], c.spare[:n-1]
		}
		w.breakdown = c.emptyBreakdown(len(s.Breakdown.Kinds))
		c.open[s.Index] = w
	}
	w.delivered++
	w.pending += s.Pending
	w.Start = min(w.Start, s.Start)
	w.Length = max(w.Length, s.Length)
	w.Window.AddCounts(&s.Window)
	w.durations.Add(&s.Durations)
	w.breakdown.Add(s.Breakdown)
	for _, p := range s.Parts() {
		c.addPart(w, p)
	}
	if len(c.arrivals) > 0 {
		c.arrivals[s.Loop].add(&s.Sends, s.Index)
	}
}

// emptyBreakdown returns one of those that were given back, or a new one.
func (c *collector) emptyBreakdown(kinds int) *measure.Breakdown {
	n := len(c.apart)
	if n == 0 {
		return measure.NewBreakdown(kinds)
	}
	b := c.apart[n-1]
	c.apart = c.apart[:n-1]
	return b
}

func (c *collector) deliver(index int) {
	p := c.open[index]
	delete(c.open, index)
	w := p.Window
	if w.Length > 0 {
		w.InFlight = p.pending / float64(w.Length)
	}
	p.durations.Histograms(&w)
	w.Statuses, w.Codes = p.breakdown.ByStatus(), p.breakdown.ByCode()
	health := c.health.since()
	if lag := w.Hist[measure.Lag]; lag != nil {
		health.LagP99 = time.Duration(lag.ValueAtPercentile(99))
	}
	if c.spec.Others != nil {
		health.Others = c.spec.Others()
	}
	w.Health = &health
	w.Findings = finding.Accept(judgeWindow(&w, c.spec), c.spec.Accept)
	c.result.add(w, p, c.spec)
	c.pieces = append(c.pieces, p.parts...)
	p.breakdown.Reset()
	c.apart = append(c.apart, p.breakdown)
	p.durations.Reset()
	c.spare = append(c.spare, p.durations)
	if c.spec.OnWindow != nil {
		c.spec.OnWindow(w)
	}
}
