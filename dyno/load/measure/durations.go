package measure

// Durations are those of a window, before they become histograms: of requests
// that were timed, and how long those had taken that were given up. A clock without
// counts may have none.
type Durations struct {
	Timed, Waited [NumClocks]*Buckets
}

// Record counts a time on a clock, in ns.
func (d *Durations) Record(clock Clock, ns int64) { recordIn(&d.Timed[clock], ns) }

// GaveUp counts how long a request had taken, in ns, when it was given up.
func (d *Durations) GaveUp(clock Clock, ns int64) { recordIn(&d.Waited[clock], ns) }

// recordIn makes the buckets when the first is counted.
func recordIn(b **Buckets, ns int64) {
	if *b == nil {
		*b = NewBuckets()
	}
	(*b).Record(ns)
}

// Add adds o's to d.
func (d *Durations) Add(o *Durations) {
	addBuckets(&d.Timed, &o.Timed)
	addBuckets(&d.Waited, &o.Waited)
}

// addBuckets adds from to into.
func addBuckets(into, from *[NumClocks]*Buckets) {
	for clock, b := range from {
		addTo(&into[clock], b)
	}
}

func addTo(into **Buckets, b *Buckets) {
	if b == nil || b.recorded == 0 {
		return
	}
	if *into == nil {
		*into = NewBuckets()
	}
	(*into).add(b)
}

// Sub takes o's, which were added before, from d.
func (d *Durations) Sub(o *Durations) {
	for clock := range NumClocks {
		d.Timed[clock].sub(o.Timed[clock])
		d.Waited[clock].sub(o.Waited[clock])
	}
}

// Reset empties d, and keeps its memory.
func (d *Durations) Reset() {
	for clock := range NumClocks {
		for _, b := range []*Buckets{d.Timed[clock], d.Waited[clock]} {
			if b != nil {
				b.reset()
			}
		}
	}
}

// Histograms sets those of w.
func (d *Durations) Histograms(w *Window) {
	for clock := range NumClocks {
		w.Hist[clock], w.Waited[clock] = d.Timed[clock].Histogram(), d.Waited[clock].Histogram()
	}
}

// Of returns those of some clocks, which it shares with d.
func (d *Durations) Of(clocks ...Clock) (some Durations) {
	for _, clock := range clocks {
		some.Timed[clock], some.Waited[clock] = d.Timed[clock], d.Waited[clock]
	}
	return some
}

// MergeInto adds d to the histograms of a window.
func (d *Durations) MergeInto(w *Window) {
	for clock := range NumClocks {
		w.Hist[clock] = merged(w.Hist[clock], d.Timed[clock].Histogram())
		w.Waited[clock] = merged(w.Waited[clock], d.Waited[clock].Histogram())
	}
}
