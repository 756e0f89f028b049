package load

import (
	"math"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// littleSums are the sums in Little's law, over the windows that count. The law is about the
// requests that ended in them, whenever those were due.
type littleSums struct {
	recorded float64 // sum of the response times, ns
	timed    uint64
	longest  time.Duration
}

func (l *littleSums) add(w *measure.Window) {
	h := w.Hist[measure.Response]
	if h == nil {
		return
	}
	l.recorded += h.Mean() * float64(h.TotalCount())
	l.timed += uint64(h.TotalCount())
	l.longest = max(l.longest, time.Duration(h.Max()))
}

// merge adds the sums of other windows.
func (l *littleSums) merge(o *littleSums) {
	l.recorded += o.recorded
	l.timed += o.timed
	l.longest = max(l.longest, o.longest)
}

// judgeLittle holds the result to Little's law, L = λW (Little 1961), in the form
// that holds for any stretch of time: the time that requests were in flight, all
// together, is the time of those that got a response, of those that failed, and of those
// under way at the ends. So it needs neither many requests nor as many ends as
// beginnings: if it doesn't hold within a histogram's resolution, the record is wrong.
func (r *Result) judgeLittle(add func(finding.Name, finding.Validity, i18n.Message)) {
	t, l := &r.Total, &r.little
	if t.Length <= 0 || l.longest >= time.Duration(measure.Longest) { // what takes longer than ten minutes is recorded as ten
		return
	}
	slack := littleMissed*t.InFlight + float64(l.timed)*measure.Resolution/float64(t.Length)
	told := (l.recorded + float64(t.Unrecorded)) / float64(t.Length)
	if off := math.Abs(told - t.InFlight); off > slack+littleMissed*l.recorded/float64(t.Length) {
		add(finding.Little, finding.Invalid, i18n.New("load.concurrency-contradicts", "%.4g requests were in flight on average, but by their response times it is %.4g (limit %.0f %% apart): the record contradicts itself", t.InFlight, told, 100*littleMissed))
	}
}
