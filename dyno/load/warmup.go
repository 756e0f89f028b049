package load

import (
	"slices"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
)

// MostWarmUp is the number of windows at a load's beginning that may be left out as warm-up.
// Which are left out is decided only when the load is over, and until then they are kept
// apart: a soak can't keep all of its windows.
const MostWarmUp = 120

// early keeps what windows at the beginning hold until it is known whether they count.
type early struct {
	most    int // windows
	windows []earlyWindow
	parts   []earlyPart
}

// earlyWindow is a window that counts unless the service was warming up in it.
type earlyWindow struct {
	measure.Window
	made    *measure.Packed
	planned float64
	little  littleSums
}

// earlyPart is what became of arrivals that were due in such a window in one that counts
// itself, or is left out; or in another such window.
type earlyPart struct {
	measure.Window // Index is of the window in which they were due
	made           *measure.Packed
	in             int // the window in which it became of them
}

// isEarly reports whether it is open until the end if arrivals that are due in a window
// count.
func (r *Result) isEarly(window int) bool {
	return r.early != nil && window >= 0 && window < r.early.most && !r.out[window]
}

// add keeps a window that counts so far.
func (e *early) add(w *measure.Window, p *partial, planned float64) {
	one := earlyWindow{Window: *w, made: measure.Pack(&p.durations, p.breakdown), planned: planned}
	one.little.add(w)
	one.Window.Hist, one.Window.Waited = measure.Window{}.Hist, measure.Window{}.Waited
	e.windows = append(e.windows, one)
}

func (e *early) addPart(p *engine.Part, in int) {
	e.parts = append(e.parts, earlyPart{p.Window, measure.Pack(&p.Durations, p.Breakdown), in})
}

// leaveWarmUp judges how steady the service was, and leaves the windows in which it was
// warming up out of the figures: they don't show what it does when it is warm. Then all that
// was kept for this decision is added to what it belongs to.
func (r *Result) leaveWarmUp(spec *Spec) {
	r.unsteady = r.seconds.judge(&spec.Profile)
	for i := range r.unsteady {
		f := &r.unsteady[i]
		switch {
		case f.Name != finding.StillWarmingUp:
		case slices.Contains(spec.Accept, f.Name), r.early == nil, f.Windows[len(f.Windows)-1] >= r.early.most:
			f.Detail = i18n.Join(f.Detail, i18n.New("load.figures-end-before", "; the figures hold the seconds before"))
		default:
			f.Detail = i18n.Join(f.Detail, i18n.New("load.seconds-left-out", "; the seconds before are in no figure"))
			r.leaveOut(*f)
		}
	}
	r.addEarly()
	if !spec.KeepParts {
		for i := range r.Windows {
			w := &r.Windows[i]
			w.Settle(!w.Warmup() && !r.out[w.Index], r.counts)
		}
	}
}

// leaveOut makes a finding's windows invalid by it.
func (r *Result) leaveOut(f finding.Finding) {
	f.Validity = finding.Invalid
	for i := range r.Windows {
		w := &r.Windows[i]
		if !slices.Contains(f.Windows, w.Index) {
			continue
		}
		one := f
		one.Windows = []int{w.Index}
		w.Findings = append(slices.Clone(w.Findings), one)
		r.leftOut++
		r.markOut(w.Index)
	}
}

// addEarly adds what was kept, now that it is known what counts.
func (r *Result) addEarly() {
	if r.early == nil {
		return
	}
	kept := r.early
	r.early = nil
	for i := range kept.windows {
		if one := &kept.windows[i]; !r.out[one.Index] {
			p := partial{Window: one.Window, breakdown: measure.NewBreakdown(len(r.breakdown.Kinds))}
			one.made.Thaw(&p.durations, p.breakdown)
			r.count(&one.Window, &p, one.planned)
			r.little.merge(&one.little)
		}
	}
	for i := range kept.parts {
		one := &kept.parts[i]
		p := engine.NewPart(one.Index, len(r.breakdown.Kinds))
		p.Window = one.Window
		one.made.Thaw(&p.Durations, p.Breakdown)
		r.addPart(p, one.in >= 0 && !r.out[one.in])
	}
}
