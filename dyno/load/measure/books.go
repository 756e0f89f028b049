package measure

import (
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// What is left out of a load's figures are the arrivals that were due in its warm-up, and
// in windows that are left out; not the requests that happened to complete in these. So a
// request that was due in a window that counts is accounted for whatever became of it and
// whenever: also if it completed, or was given up, in a window that is left out or after
// the end. Of the arrivals that count:
//
//	offered = completed − carried + drained + failed + shed + unfinished + cut off
//
// where failed are errors without those that belong to no request.

// Booked is the right side of the books: how many arrivals are accounted for.
func (w *Window) Booked() uint64 {
	return w.Right() + w.Failures() + w.Shed + w.Unfinished + w.CutOff
}

// Right is how many of the arrivals that count got the expected response, whenever.
func (w *Window) Right() uint64 { return w.Completed - w.Carried + w.Drained }

// Ended is how many requests came to an end: as expected, or as errors of whatever kind.
func (w *Window) Ended() uint64 { return w.Right() + w.Errors.Total() }

// Failures is how many requests failed: errors without those that belong to none.
func (w *Window) Failures() uint64 { return w.Errors.Total() - w.ErredApart }

// Leave takes what became of arrivals that don't count out of a total to which the
// window that p is a part of was added. Histograms are the caller's.
func (t *Window) Leave(p *Window) {
	t.Offered -= p.Offered
	t.Carried += p.Completed
	t.Drained -= p.Drained
	t.Unfinished -= p.Unfinished
	t.Unsent -= p.Unsent
	t.CutOff -= p.CutOff
	t.Shed -= p.Shed
	t.Unconnected -= p.Unconnected
	t.Errors.Sub(p.Errors)
	t.Statuses = subCounts(t.Statuses, p.Statuses)
	t.Codes = subCounts(t.Codes, p.Codes)
}

// Keep adds what became of arrivals that count, in a window that is left out, to a total.
// Its completions are in no throughput, as those that drained after the end. Histograms
// are the caller's.
func (t *Window) Keep(p *Window) {
	o := *p
	o.Drained, o.Completed = o.Drained+o.Completed, 0
	t.AddCounts(&o)
}

// Settle drops the parts of w that change nothing: in a window that counts, those of
// other such windows; in one that is left out, those of others that are.
func (w *Window) Settle(itself bool, counts func(window int) bool) {
	w.Parts = slices.DeleteFunc(w.Parts, func(p Window) bool { return counts(p.Index) == itself })
	if len(w.Parts) == 0 {
		w.Parts = nil
	}
}

// Counted returns the part of a window that figures are made of, if all its parts are
// of windows whose arrivals count other than its own: see [Window.Settle]. It shares
// histograms with w where they are the same.
func (w *Window) Counted(itself bool) Window {
	if !itself {
		t := Window{Index: w.Index, Start: w.Start}
		for i := range w.Parts {
			t.Keep(&w.Parts[i])
			for c := range NumClocks {
				t.Hist[c], t.Waited[c] = merged(t.Hist[c], w.Parts[i].Hist[c]), merged(t.Waited[c], w.Parts[i].Waited[c])
			}
		}
		return t
	}
	t := *w
	t.Parts = nil
	for i := range w.Parts {
		t.Leave(&w.Parts[i])
		for c := range NumClocks {
			t.Hist[c], t.Waited[c] = without(t.Hist[c], w.Parts[i].Hist[c]), without(t.Waited[c], w.Parts[i].Waited[c])
		}
	}
	return t
}

// merged is the sum of two histograms, either of which may be nil. It changes neither.
func merged(a, b *hdrhistogram.Histogram) *hdrhistogram.Histogram {
	if a == nil || b == nil {
		return cmpOr(a, b)
	}
	sum := NewHistogram()
	sum.Merge(a)
	sum.Merge(b)
	return sum
}

func cmpOr(a, b *hdrhistogram.Histogram) *hdrhistogram.Histogram {
	if a == nil {
		return b
	}
	return a
}

// without is a without the counts of b, which are among them; nil if none is left.
func without(a, b *hdrhistogram.Histogram) *hdrhistogram.Histogram {
	if a == nil || b == nil || b.TotalCount() == 0 {
		return a
	}
	if a.TotalCount() <= b.TotalCount() {
		return nil
	}
	left, taken := a.Export(), b.Export()
	counts := slices.Clone(left.Counts)
	for i, n := range taken.Counts {
		if i < len(counts) {
			counts[i] = max(counts[i]-n, 0)
		}
	}
	left.Counts = counts
	return hdrhistogram.Import(left)
}
