package runner

import (
	"slices"

	"dyno/lab/archive"
	"dyno/lab/finding"
	"dyno/lab/study"
)

// mayRepeat reports whether a trial is to be repeated: it is invalid by a fault of
// the machine or the generator, it or what it repeats was not repeated too often
// already, and all repetitions together remain below half of the trials that were
// planned. A machine that disturbs more than that would be measured for ever. What
// is the subject's own fault is a result: to repeat it would be to choose the trials
// in which it works.
func (r *Runner) mayRepeat(t *archive.Trial) bool {
	if t.Status == archive.Interrupted || t.Fault == archive.OfSubject || t.Validity != finding.Invalid && anyUsable(t.Windows) {
		return false
	}
	return r.tries(t.Index) < r.Repeats && r.Plan.MayRepeat()
}

// anyUsable reports whether figures can rest on any of the windows.
func anyUsable(windows []archive.Window) bool {
	return slices.ContainsFunc(windows, func(w archive.Window) bool {
		return !w.Client.Warmup() && w.Level != finding.Invalid
	})
}

// tries is how many times the trial's cell and block were repeated up to it.
func (r *Runner) tries(index int) (n int) {
	for of := r.Plan.Trials[index].Repeats; of != nil; of = r.Plan.Trials[*of].Repeats {
		n++
	}
	return n
}

// repeat puts a repetition of the trial at the end of its block. The plan is
// archived before the repetition begins: no trial is ever there that isn't in
// the plan.
func (r *Runner) repeat(w *archive.Writer, t *archive.Trial) error {
	var again study.PlannedTrial
	r.Plan, again = r.Plan.Repeat(t.Index)
	if err := w.Update(func(m *archive.Manifest) { m.Plan = r.Plan }); err != nil {
		return err
	}
	r.tell(Event{Kind: Repeating, Trial: &again, Cell: &r.Plan.Cells[again.Cell], Outcome: t, Remaining: r.remaining()})
	return nil
}
