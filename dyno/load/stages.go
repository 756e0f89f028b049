package load

import (
	"math"
	"time"

	"dyno.example/dyno/load/internal/engine"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/internal/i18n"
)

// StageResult is the result of one stage of a load. A window counts if all of it lies
// within the stage and it is not invalid; stages shorter than a second may have none.
// Responses count in the window in which they came, so that a backlog built up in one
// stage shows in the response times of the next.
type StageResult struct {
	profile.Stage
	Windows int     // that count
	Planned float64 // arrivals, over those windows; Stage.Planned is over the whole stage
	// Total sums those windows, with the histograms of Response, Service and Lag.
	Total measure.Window
}

// Throughput is the rate of complete responses in requests per second; 0 if no window
// counts.
func (s *StageResult) Throughput() float64 {
	return perSecond(float64(s.Total.Completed), s.Total.Length)
}

// Stages returns the result of each stage in order, if the load had more than
// one; otherwise the total says it all. Stages that were not reached, and those
// without a window of their own, are in it with none.
func (r *Result) Stages() []StageResult {
	if r.planned == nil || len(r.planned.stages) < 2 {
		return nil
	}
	return r.planned.stages
}

// planFold compares what was sent with what was planned, as windows come in.
type planFold struct {
	table     *profile.Timetable
	planned   float64       // arrivals, over the measured windows that are not invalid
	stages    []StageResult // empty if there is but one
	quota     uint64        // arrivals after which no more are planned; 0: no end
	offered   uint64        // so far, also while warming up and in windows that are invalid
	current   int
	durations measure.Durations // of the current stage
}

// newPlanFold returns nil for a closed loop, which has no plan.
func newPlanFold(spec *Spec) *planFold {
	if spec.Profile.Mode != profile.Open {
		return nil
	}
	f := &planFold{table: spec.Profile.Timetable(spec.Warmup)}
	if all := f.table.Stages(); len(all) > 1 {
		for _, s := range all {
			f.stages = append(f.stages, StageResult{Stage: s})
		}
	}
	return f
}

// endWith sets how many requests the loops send at most.
func (f *planFold) endWith(shares []engine.Share) {
	if f == nil {
		return
	}
	for i := range shares {
		if shares[i].Quota == 0 {
			f.quota = 0
			return
		}
		f.quota += shares[i].Quota
	}
}

// pass goes on to the next window, whatever it is worth, and returns how many arrivals
// were planned in it.
func (f *planFold) pass(w *measure.Window) float64 {
	if f == nil {
		return 0
	}
	f.offered += w.Offered
	from := time.Duration(w.Index) * time.Second
	planned := f.table.Planned(from, from+w.Length)
	if f.quota > 0 && f.offered >= f.quota { // only responses were waited for
		planned = min(planned, float64(w.Offered))
	}
	return planned
}

// add takes a window that is measured and not invalid.
func (f *planFold) add(w *measure.Window, d *measure.Durations, planned float64) {
	if f == nil {
		return
	}
	f.planned += planned
	i := f.table.StageWithin(time.Duration(w.Index)*time.Second, w.Length)
	if i < 0 || len(f.stages) == 0 {
		return
	}
	if i != f.current {
		f.seal()
		f.current = i
	}
	s := &f.stages[i]
	s.Windows++
	s.Planned += planned
	s.Total.Add(w)
	f.addDurations(d)
}

// keep adds what became, in a window that is left out, of arrivals that were due in one
// that counts to the stage of that window.
func (f *planFold) keep(p *engine.Part) {
	if f == nil {
		return
	}
	i := f.table.StageWithin(time.Duration(p.Index)*time.Second, time.Second)
	if i < 0 || len(f.stages) == 0 {
		return
	}
	t := &f.stages[i].Total
	t.Keep(&p.Window)
	if i == f.current {
		f.addDurations(&p.Durations)
		return
	}
	kept := p.Durations.Of(stageClocks...)
	kept.MergeInto(t)
}

// stageClocks are those of stages.
var stageClocks = []measure.Clock{measure.Response, measure.Service, measure.Lag}

// addDurations adds those of the current stage.
func (f *planFold) addDurations(d *measure.Durations) {
	kept := d.Of(stageClocks...)
	f.durations.Add(&kept)
}

// seal makes the histograms of the current stage. Only one stage at a time has
// durations, which are large.
func (f *planFold) seal() {
	if f == nil || len(f.stages) == 0 {
		return
	}
	f.durations.Histograms(&f.stages[f.current].Total)
	f.durations.Reset()
}

// missed describes by how much less was sent than planned, over the whole load
// or in its worst stage, whose sums it returns; "" if that is within the limit and
// chance.
func (f *planFold) missed(t *measure.Window) (detail i18n.Message, where *measure.Window) {
	if shortfall(f.planned, t) > 0 {
		return sentOf(f.planned, t), t
	}
	worst, most := -1, 0.0
	for i := range f.stages {
		s := &f.stages[i]
		if d := shortfall(s.Planned, &s.Total); d > most {
			worst, most = i, d
		}
	}
	if worst < 0 {
		return i18n.Message{}, nil
	}
	s := &f.stages[worst]
	return i18n.New("load.phase", "in phase %d (%s): %s", s.Phase+1, s.Name, sentOf(s.Planned, &s.Total)), &s.Total
}

// shortfall is the share of what was planned that was not sent, if it is above the
// limit, else 0. A Poisson count spreads by its square root: three of them are
// chance.
func shortfall(planned float64, t *measure.Window) float64 {
	missing := planned - float64(t.Sent-t.SentLate)
	if missing <= rateMissed*planned+3*math.Sqrt(planned) {
		return 0
	}
	return missing / planned
}

func sentOf(planned float64, t *measure.Window) i18n.Message {
	return i18n.New("load.rate-missed", "sent %.0f requests/s of the planned %.0f (limit %.0f %%)", perSecond(float64(t.Sent-t.SentLate), t.Length), perSecond(planned, t.Length), 100*rateMissed)
}

func perSecond(n float64, length time.Duration) float64 {
	if length <= 0 {
		return 0
	}
	return n / length.Seconds()
}
