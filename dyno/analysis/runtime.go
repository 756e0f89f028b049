package analysis

import (
	"cmp"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// inside sums the windows in which the subject's runtime reported figures.
type inside struct {
	windows   int
	length    time.Duration // between its readings
	completed float64       // requests in that time
	sum       probe.Runtime
	lacking   map[string]bool // figures that some window lacks
}

// add takes a window that counts.
func (r *inside) add(w *archive.Window) {
	told := w.Server.Runtime
	if told == nil || w.Server.Length <= 0 {
		return
	}
	// A saturated runtime is read late, and not always equally late. Requests
	// are taken to have come evenly.
	length := cmp.Or(told.Length, w.Server.Length)
	r.windows++
	r.length += length
	r.completed += float64(w.Client.Completed) * float64(length) / float64(w.Server.Length)
	r.sum.AllocCount += told.AllocCount
	r.sum.AllocBytes += told.AllocBytes
	r.sum.GCCycles += told.GCCycles
	r.sum.GCPause += told.GCPause
	r.sum.GCCPU += told.GCCPU
	r.sum.SchedMax = max(r.sum.SchedMax, told.SchedMax)
	for _, f := range runtimeFigures {
		if w.Server.Lacks(f.source) {
			if r.lacking == nil {
				r.lacking = map[string]bool{}
			}
			r.lacking[f.source] = true
		}
	}
}

// runtimeFigures are those that runtimes report, Go's all of them, with what each rests on,
// as [probe.Window.Lacks] names it.
var runtimeFigures = []struct {
	name, unit, source string
	per                share
	of                 func(*probe.Runtime) float64
}{
	{"allocs", "allocs/req", "alloc_objects", perRequest, func(r *probe.Runtime) float64 { return float64(r.AllocCount) }},
	{"alloc.bytes", "bytes/req", "alloc_bytes", perRequest, func(r *probe.Runtime) float64 { return float64(r.AllocBytes) }},
	{"gc.cycles", "cycles/s", "gc_cycles", perSecond, func(r *probe.Runtime) float64 { return float64(r.GCCycles) }},
	{"gc.pause", "µs/s", "gc_pause", perSecond, func(r *probe.Runtime) float64 { return micro(r.GCPause) }},
	{"gc.cpu", "µs/req", "gc_cpu", perRequest, func(r *probe.Runtime) float64 { return micro(r.GCCPU) }},
	{"sched.max", "µs", "sched", asItIs, func(r *probe.Runtime) float64 { return micro(r.SchedMax) }},
}

// share is what a figure is a share of.
type share int

const (
	asItIs share = iota
	perRequest
	perSecond
)

// ofRuntime returns the figures that the subject's runtime reports.
func ofRuntime() []figure {
	var list []figure
	for _, f := range runtimeFigures {
		list = append(list, ranked(f.name, f.unit, stats.Lower, func(s *sums) (float64, i18n.Message) {
			r := &s.inside
			switch {
			case r.windows == 0:
				return 0, i18n.New("analysis.runtime-silent", "the subject's runtime did not tell")
			case r.lacking[f.source]:
				return 0, i18n.New("analysis.runtime-lacks", "the subject's runtime does not tell %s", f.source)
			}
			return r.shared(f.per, f.of(&r.sum))
		}))
	}
	return list
}

// shared divides a sum among requests or seconds.
func (r *inside) shared(per share, sum float64) (value float64, missing i18n.Message) {
	switch {
	case per == perRequest && r.completed == 0:
		return 0, i18n.New("objective.no-request-completed", "no request was completed")
	case per == perRequest:
		return sum / r.completed, i18n.Message{}
	case per == perSecond:
		return sum / r.length.Seconds(), i18n.Message{}
	}
	return sum, i18n.Message{}
}
