package archive

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
)

// histogramLaws hold a trial's windows to the laws that take histograms, one
// window after the other as they are read.
type histogramLaws struct {
	trial   *Trial
	timeout time.Duration // of the cell's requests; 0 if it is not known
	stall   time.Duration // the longest of the trial: no response is seen meanwhile

	// Both sides of Little's law, in request·ns, over all windows. Responses are with
	// the time that is in no response time, such as that of requests that failed.
	inFlight, responses float64
	requests            int64
	edges               float64 // what one side may not have seen
}

func newHistogramLaws(t *Trial, m *Manifest) *histogramLaws {
	l := &histogramLaws{trial: t}
	if t.Cell >= 0 && t.Cell < len(m.Plan.Cells) {
		l.timeout = m.Plan.Cells[t.Cell].Timeout
	}
	for i := range t.Windows {
		l.stall = max(l.stall, t.Windows[i].Client.Stall)
	}
	return l
}

// window checks one window.
func (l *histogramLaws) window(w *measure.Window) *Broken {
	for _, law := range []func(*measure.Window) *Broken{l.counted, l.patience, parts, figures} {
		if b := law(w); b != nil {
			b.Trial, b.Window = l.trial.Index, w.Index
			return b
		}
	}
	l.add(w)
	return nil
}

// counted: the response times are those of all responses that were as expected, but for
// events that couldn't be timed. Older runs have those of wrong responses too.
func (l *histogramLaws) counted(w *measure.Window) *Broken {
	responses := int64(w.Completed+w.Drained) - int64(w.Messages.Untimed)
	for _, clock := range []measure.Clock{measure.Response, measure.Service} {
		if clock == measure.Service && w.Hist[clock] == nil {
			continue
		}
		if n := total(w.Hist[clock]); n != responses && n != responses+int64(w.Errors.Wrong()) {
			return &Broken{Law: lawCounted, Detail: fmt.Sprintf("%d responses came, %d are in the histogram of %s", responses, n, clock)}
		}
	}
	return nil
}

// patience: what takes longer than its time limit is an error and in no
// histogram.
func (l *histogramLaws) patience(w *measure.Window) *Broken {
	h := w.Hist[measure.Service]
	if h == nil || l.timeout <= 0 {
		return nil
	}
	if limit := l.timeout + l.stall + patienceGrace; time.Duration(h.Min()) > limit || time.Duration(h.ValueAtQuantile(99)) > limit {
		return &Broken{Law: lawPatience, Detail: fmt.Sprintf("p99 of the service time is %v, the time limit %v", time.Duration(h.ValueAtQuantile(99)), l.timeout)}
	}
	return nil
}

// parts: of the same requests, no quantile of the service time is above that of the
// response time, nor that of the first byte above that of the whole response, but for
// rounding and 10 µs.
func parts(w *measure.Window) *Broken {
	for _, pair := range [][2]measure.Clock{{measure.Service, measure.Response}, {measure.FirstByte, measure.Service}} {
		part, whole := w.Hist[pair[0]], w.Hist[pair[1]]
		if total(part) == 0 || total(part) != total(whole) {
			continue
		}
		for _, q := range []float64{50, 90, 99, 100} {
			p, h := part.ValueAtQuantile(q), whole.ValueAtQuantile(q)
			if float64(p) > 1.002*float64(h)+1e4 {
				return &Broken{Law: lawParts, Detail: fmt.Sprintf("p%g of %s is %v, of %s %v", q, pair[0], time.Duration(p), pair[1], time.Duration(h))}
			}
		}
	}
	return nil
}

// figures: what a window says in addition to its histograms is what they say.
func figures(w *measure.Window) *Broken {
	h := w.Hist[measure.Lag]
	if w.Health == nil || total(h) == 0 {
		return nil
	}
	said, is := w.Health.LagP99, time.Duration(h.ValueAtPercentile(99))
	if math.Abs(float64(said-is)) > 0.002*float64(is)+64 {
		return &Broken{Law: lawLag, Detail: fmt.Sprintf("p99 of the lag is said to be %v, the histogram has %v", said, is)}
	}
	return nil
}

// add takes a window for Little's law.
func (l *histogramLaws) add(w *measure.Window) {
	l.inFlight += w.InFlight * float64(w.Length)
	l.responses += float64(w.Unrecorded)
	if h := w.Hist[measure.Response]; h != nil {
		l.responses += h.Mean() * float64(h.TotalCount())
		l.requests += h.TotalCount()
		l.edges = max(l.edges, w.InFlight*h.Mean(), float64(h.Max()))
	}
}

// finish checks what takes all windows: Little's law, L = λW, within a factor, while
// the trial itself was checked far more closely. Where responses are missing, or the
// generator was away, it need not hold, as old runs don't say how long requests without
// a response time were in flight; nor in a trial that says itself that it doesn't.
func (l *histogramLaws) finish() *Broken {
	if l.requests < littleRequests || l.stall >= windowLength/10 || l.excused() {
		return nil
	}
	low, high := min(l.inFlight, l.responses), max(l.inFlight, l.responses)
	if high <= littleFactor*low+2*l.edges+0.01*float64(windowLength) {
		return nil
	}
	seconds := float64(windowLength)
	return &Broken{Law: lawLittle, Trial: l.trial.Index, Whole: true,
		Detail: fmt.Sprintf("its windows had %.3g request·seconds in flight, its %d response times, with what they don't hold, add up to %.3g", l.inFlight/seconds, l.requests, l.responses/seconds)}
}

// excused reports whether the trial has what Little's law does not hold with.
func (l *histogramLaws) excused() bool {
	if slices.ContainsFunc(l.trial.Findings, func(f finding.Finding) bool { return f.Name == finding.Little }) {
		return true
	}
	var lost uint64
	for i := range l.trial.Windows {
		w := &l.trial.Windows[i].Client
		lost += w.Unfinished + w.Shed + w.Errors.Total()
	}
	return lost > uint64(l.requests)/100
}

func total(h *hdrhistogram.Histogram) int64 {
	if h == nil {
		return 0
	}
	return h.TotalCount()
}
