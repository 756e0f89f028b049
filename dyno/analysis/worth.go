package analysis

import (
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/study"
)

// worth decides the run's validity: invalid if a group has no usable trial at all;
// suspect if it is not complete, if a cell has no usable trial or its trials fall on
// separate plateaus, if the reference differs from its twin, if one arm lost more trials
// than the others, or if more than a tenth of the trials are suspect, failed or left
// out. Fewer are remarks. A trial whose place a repetition has taken does not count:
// nothing is missing then. Trials whose CPUs had another speed than those of the whole
// run are suspect too, whatever they were called when they ended.
func worth(run *archive.Run, a *Analysis) finding.Validity {
	verdict := finding.Valid
	if run.Manifest.Status != archive.Complete {
		verdict = finding.Suspect
	}
	replaced := map[int]bool{}
	for i := range a.Groups {
		used := 0
		for _, c := range a.Groups[i].Cells {
			used += len(c.Trials) + len(c.Failed)
			if len(c.Trials) == 0 {
				verdict = verdict.Worse(finding.Suspect)
			}
			noteReplaced(&run.Manifest.Plan, c.Trials, replaced)
		}
		if twin := a.Groups[i].TwinCell; twin != nil {
			noteReplaced(&run.Manifest.Plan, twin.Trials, replaced)
		}
		if used == 0 {
			return finding.Invalid
		}
	}
	verdict = verdict.Worse(doubted(a.Findings))
	doubtful, odd := 0, atOddSpeed(a.Findings)
	for i := range run.Trials {
		if t := &run.Trials[i]; (t.Status != archive.Complete || t.Validity != finding.Valid || odd[t.Index]) && !replaced[t.Index] {
			doubtful++
		}
	}
	if 10*doubtful > len(run.Trials) {
		verdict = verdict.Worse(finding.Suspect)
	}
	return verdict
}

// noteReplaced notes the trials whose place the given ones have taken.
func noteReplaced(p *study.Plan, trials []int, replaced map[int]bool) {
	for _, trial := range trials {
		for trial < len(p.Trials) && p.Trials[trial].Repeats != nil {
			trial = *p.Trials[trial].Repeats
			replaced[trial] = true
		}
	}
}
