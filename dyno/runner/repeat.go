package runner

import (
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
)

// mayRepeat reports whether a trial is to be repeated: it is invalid through a fault of
// the machine or the generator, neither it nor the trial that it repeats was repeated too
// often already, and all repetitions together remain below half of the trials that were
// planned. On a machine that disturbs more than that a run would never end. A failure that
// is the subject's own fault is a result: repeating it would select the trials in which
// the subject works.
func (e *execution) mayRepeat(t *archive.Trial) bool {
	if t.InSlices { // alone it would be at another time than those that it is compared with
		return false
	}
	if t.Status == archive.Interrupted || t.Fault == archive.OfSubject || t.Validity != finding.Invalid && anyUsable(t.Windows) {
		return false
	}
	return e.tries(t.Index) < e.runner.Repeats && e.plan.MayRepeat()
}

// anyUsable reports whether figures can rest on any of the windows.
func anyUsable(windows []archive.Window) bool {
	return slices.ContainsFunc(windows, func(w archive.Window) bool {
		return !w.Client.Warmup() && w.Level != finding.Invalid
	})
}

// tries is how many times the trial's cell and block were repeated up to it.
func (e *execution) tries(index int) (n int) {
	for of := e.plan.Trials[index].Repeats; of != nil; of = e.plan.Trials[*of].Repeats {
		n++
	}
	return n
}

// repeat puts a repetition of the trial at the end of its block. The plan is
// archived before the repetition begins, so that every trial in the archive is
// in the plan.
func (e *execution) repeat(w *archive.Writer, t *archive.Trial) error {
	plan, again := e.plan.Repeat(t.Index)
	e.replan(plan)
	if err := w.Update(func(m *archive.Manifest) { m.Plan = e.plan }); err != nil {
		return err
	}
	e.tell(Event{Kind: Repeating, Trial: &again, Cell: &e.plan.Cells[again.Cell], Outcome: t, Remaining: e.pace.remaining()})
	return nil
}
