package analysis

import (
	"cmp"
	"fmt"
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/validity"
	"dyno.example/internal/i18n"
)

// findingSet collects findings over trials: one for each name and level, and for
// failures one for each error.
type findingSet struct {
	list []Finding
	at   map[string]int
}

func (y *findingSet) add(trial int, f finding.Finding) {
	key := fmt.Sprintf("%s\n%s\n%t", f.Name, f.Validity, f.Accepted)
	if f.Name == finding.TrialFailed || f.Name == finding.SubjectFailed {
		key += "\n" + f.Detail.String()
	}
	if y.at == nil {
		y.at = map[string]int{}
	}
	i, seen := y.at[key]
	if !seen {
		i, y.at[key] = len(y.list), len(y.list)
		y.list = append(y.list, Finding{Finding: f})
	}
	found := &y.list[i]
	if !slices.Contains(found.Trials, trial) {
		found.Trials = append(found.Trials, trial)
		return
	}
	found.Windows = append(slices.Clone(found.Windows), f.Windows...)
}

// addTrial takes all that speaks against a trial.
func (y *findingSet) addTrial(t *archive.Trial, used bool) {
	for _, f := range t.Findings {
		y.add(t.Index, f)
	}
	for i := range t.Windows {
		for _, f := range t.Windows[i].Why {
			if !named(t.Findings, f.Name) && !t.Windows[i].Client.Warmup() {
				y.add(t.Index, f)
			}
		}
	}
	switch {
	case t.Fault == archive.OfSubject:
		y.add(t.Index, finding.Finding{Name: finding.SubjectFailed, Validity: finding.Suspect, Detail: t.Error})
	case t.Status == archive.Failed:
		y.add(t.Index, finding.Finding{Name: finding.TrialFailed, Validity: finding.Invalid, Detail: t.Error})
	case t.Status != archive.Complete:
		y.add(t.Index, finding.Finding{Name: finding.TrialInterrupted, Validity: finding.Invalid, Detail: i18n.New("analysis.trial-stopped-early", "the trial was stopped before its time")})
	case !used && !validity.Spoiled(t):
		y.add(t.Index, finding.Finding{Name: finding.NoUsableWindow, Validity: finding.Invalid, Detail: i18n.New("analysis.no-usable-window", "none of the trial's measured windows can be used")})
	}
}

func named(findings []finding.Finding, name finding.Name) bool {
	return slices.ContainsFunc(findings, func(f finding.Finding) bool { return f.Name == name })
}

// addRun says if the run has fewer trials than planned.
func (y *findingSet) addRun(run *archive.Run) {
	m := &run.Manifest
	if m.Status == archive.Complete && len(run.Trials) >= len(m.Plan.Trials) {
		return
	}
	detail := i18n.New("analysis.trials-not-all-started", "%d of %d planned trials were started; the run is %s", len(run.Trials), len(m.Plan.Trials), m.Status)
	if !m.Error.IsZero() {
		detail = i18n.Join(detail, ": ", m.Error)
	}
	y.list = append(y.list, Finding{Finding: finding.Finding{Name: finding.RunIncomplete, Validity: finding.Suspect, Detail: detail}})
}

// sorted returns the findings, worst first. One that concerns several trials
// shows the detail of the first, and no windows, which are each trial's own.
func (y *findingSet) sorted() []Finding {
	list := slices.Clone(y.list)
	for i := range list {
		if more := len(list[i].Trials) - 1; more > 0 && list[i].Name != finding.RestartPlateau && list[i].Name != finding.RestartOutlier { // which name their trials themselves
			list[i].Windows = nil
			list[i].Detail = i18n.Join(list[i].Detail, likewise(more))
		}
	}
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(badness(b.Validity), badness(a.Validity)), cmp.Compare(len(b.Trials), len(a.Trials)))
	})
	return list
}

// likewise says in how many other trials the same was found.
func likewise(more int) i18n.Message {
	if more == 1 {
		return i18n.New("analysis.one-more-trial-likewise", " (and likewise in 1 more trial)")
	}
	return i18n.New("analysis.more-trials-likewise", " (and likewise in %d more trials)", more)
}

// addExhausted says if trials are missing and none could be repeated any more, as the
// plan had as many repetitions as it may.
func (y *findingSet) addExhausted(run *archive.Run, builders []*cellBuilder) {
	p := &run.Manifest.Plan
	planned := p.Originals()
	if p.MayRepeat() || len(p.Trials) == planned {
		return
	}
	used := 0
	for _, s := range builders {
		used += len(s.Trials)
	}
	if used >= planned {
		return
	}
	y.list = append(y.list, Finding{Finding: finding.Finding{Name: finding.RepeatsExhausted, Validity: finding.Suspect, Detail: i18n.New("analysis.repeats-used-up",
		"as many trials were repeated as may be of %d planned (%d), and still so many are missing: %d", planned, len(p.Trials)-planned, planned-used)}})
}

func badness(v finding.Validity) int {
	return slices.Index([]finding.Validity{finding.Valid, finding.Suspect, finding.Invalid}, v)
}
