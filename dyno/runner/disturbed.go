package runner

import (
	"slices"
	"strings"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/study"
	"dyno.example/dyno/validity"
	"dyno.example/internal/i18n"
)

// fewestTrials is how many trials must be of no use before a run ends because of it: one
// or two may be by chance, however many a block has.
const fewestTrials = 3

// DisturbedError says that a run has ended because the machine was disturbed in each
// of its first trials.
type DisturbedError struct {
	Trials  int            // done, all of no use
	Names   []finding.Name // of the findings, sorted
	Reasons []i18n.Message // the findings of the last trial with their evidence, which names who was busy
	Took    time.Duration  // by the trials done
	Left    time.Duration  // that those left would have taken, about
}

// Error says what happened, who was busy, and how to go on.
func (e *DisturbedError) Error() string { return e.Message().String() }

// Message implements [i18n.Messager].
func (e *DisturbedError) Message() i18n.Message {
	return i18n.New("runner.machine-disturbed", "this machine was disturbed: none of the first %d trials can be used, in %v; the run ends here, %v before its end, and keeps what there is\n  %s\nwait until the machine is quiet (dyno machine says who is busy) and run it again, or accept what disturbs (--accept %s), or measure on and see (--keep-going)",
		e.Trials, e.Took.Round(time.Second), e.Left.Round(time.Second), i18n.List("\n  ", e.Reasons...), strings.Join(finding.Words(e.Names), ","))
}

// disturbance keeps count of the first trials that the machine's faults have made
// useless.
type disturbance struct {
	ignored  bool           // the run goes on whatever they are
	usable   bool           // a trial can be used, or not for a reason that is none of the machine's
	robbedBy []finding.Name // names of the findings for which those done can't be
}

// judge takes a trial into account, and returns the error that ends the run: not one
// of a first block of so many trials, and of at least three, can be used, and all for
// the machine's faults.
func (d *disturbance) judge(t *archive.Trial, first int, p *pace) error {
	if d.ignored || d.usable {
		return nil
	}
	names, reasons := robbed(t)
	if names == nil {
		d.usable = true // or of no use for another reason, which is a result
		return nil
	}
	d.robbedBy = append(d.robbedBy, names...)
	if p.done < max(fewestTrials, first) {
		return nil
	}
	slices.Sort(d.robbedBy)
	return &DisturbedError{
		Trials: p.done, Names: slices.Compact(d.robbedBy), Reasons: reasons, Took: p.taken(), Left: p.remaining(),
	}
}

// firstBlock is how many trials a plan's first block has without repetitions.
func firstBlock(plan *study.Plan) (n int) {
	for _, p := range plan.Trials {
		if p.Block == 0 && p.Repeats == nil {
			n++
		}
	}
	return n
}

// robbed returns the names of the machine's faults because of which no window of a trial
// can be used, and the trial's findings that say so; nil if one can be used, or if the
// reason is another.
func robbed(t *archive.Trial) (names []finding.Name, reasons []i18n.Message) {
	if t.Status != archive.Complete || anyUsable(t.Windows) {
		return nil, nil
	}
	for i := range t.Windows {
		for _, f := range t.Windows[i].Why {
			if f.Weight() != finding.Invalid || t.Windows[i].Client.Warmup() {
				continue
			}
			if !validity.OfMachine(f.Name) {
				return nil, nil
			}
			names = append(names, f.Name)
		}
	}
	for _, f := range t.Findings {
		if f.Weight() != finding.Valid && slices.Contains(names, f.Name) {
			reasons = append(reasons, i18n.Join(string(f.Name), ": ", f.Detail))
		}
	}
	return names, reasons
}
