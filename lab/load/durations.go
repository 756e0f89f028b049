package load

// durations are those of a window, before they become histograms: of requests
// that were timed, and how long those had taken that were given up. A clock without
// counts may have none.
type durations struct {
	timed, waited [NumClocks]*buckets
}

// add adds o's to d.
func (d *durations) add(o *durations) {
	addBuckets(&d.timed, &o.timed)
	addBuckets(&d.waited, &o.waited)
}

// addBuckets adds from to into.
func addBuckets(into, from *[NumClocks]*buckets) {
	for clock, b := range from {
		if b == nil || b.recorded == 0 {
			continue
		}
		if into[clock] == nil {
			into[clock] = newBuckets()
		}
		into[clock].add(b)
	}
}

// reset empties d, and keeps its memory.
func (d *durations) reset() {
	for clock := range NumClocks {
		for _, b := range []*buckets{d.timed[clock], d.waited[clock]} {
			if b != nil {
				b.reset()
			}
		}
	}
}

// histograms sets those of w.
func (d *durations) histograms(w *Window) {
	for clock := range NumClocks {
		w.Hist[clock], w.Waited[clock] = d.timed[clock].histogram(), d.waited[clock].histogram()
	}
}
