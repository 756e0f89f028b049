package measure

// Durations are those of a window, before they become histograms: of requests
// that were timed, and how long those had taken that were given up. A clock without
// counts may have none.
type Durations struct {
	Timed, Waited [NumClocks]*Buckets
}

// Add adds o's to d.
func (d *Durations) Add(o *Durations) {
	addBuckets(&d.Timed, &o.Timed)
	addBuckets(&d.Waited, &o.Waited)
}

// addBuckets adds from to into.
func addBuckets(into, from *[NumClocks]*Buckets) {
	for clock, b := range from {
		if b == nil || b.recorded == 0 {
			continue
		}
		if into[clock] == nil {
			into[clock] = NewBuckets()
		}
		into[clock].add(b)
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
