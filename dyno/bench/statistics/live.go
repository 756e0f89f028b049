package main

import (
	"fmt"
	"maps"
	"slices"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/stats/statstest"
	"dyno.example/dyno/validity"
)

// live counts, over whole studies as they were run, how often the reference was
// called different from its own twin, and how often trials were doubted, and why.
type live struct {
	studies   int                        // that have a twin
	different map[string]*statstest.Rate // by metric
	runs      int                        // all
	trials    int                        // their finished ones
	doubted   map[finding.Validity]int   // trials worth less than VALID
	flagged   map[finding.Name]int       // trials by the name of a finding that lowers what they are worth
}

func newLive() *live {
	return &live{different: make(map[string]*statstest.Rate), doubted: make(map[finding.Validity]int), flagged: make(map[finding.Name]int)}
}

// add counts a run. Groups that show the twin of another group are not counted
// again.
func (l *live) add(run *archive.Run, a *analysis.Analysis) {
	twins := false
	for i := range a.Groups {
		if g := &a.Groups[i]; g.TwinCell != nil {
			twins = true
			l.compare(g)
		}
	}
	if twins {
		l.studies++
	}
	l.runs++
	var speeds []*archive.Speed
	for i := range run.Trials {
		speeds = append(speeds, run.Trials[i].Speed)
	}
	usual := validity.NewUsualSpeed(speeds)
	for i := range run.Trials {
		if t := &run.Trials[i]; t.Status == archive.Complete {
			l.judge(findings(t, usual))
		}
	}
}

// findings are those of a trial, with the speed of its CPUs held to the whole run
// as a report does.
func findings(t *archive.Trial, usual *validity.UsualSpeed) []finding.Finding {
	list := slices.DeleteFunc(slices.Clone(t.Findings), func(f finding.Finding) bool { return f.Name == finding.CPUSpeed })
	if t.Speed != nil {
		list = append(list, usual.Judge(t.Speed)...)
	}
	return list
}

func (l *live) compare(g *analysis.Group) {
	for _, c := range compared {
		ratio, ok := g.Twin[c.metric]
		if !ok || ratio.Low <= 0 {
			continue
		}
		if l.different[c.metric] == nil {
			l.different[c.metric] = &statstest.Rate{}
		}
		l.different[c.metric].Add(ratio.Low > 1 || ratio.High < 1)
	}
}

func (l *live) judge(list []finding.Finding) {
	l.trials++
	if worth := finding.Worst(list); worth != finding.Valid {
		l.doubted[worth]++
	}
	names := make(map[finding.Name]bool)
	for i := range list {
		if f := &list[i]; f.Weight() != finding.Valid {
			names[f.Name] = true
		}
	}
	for name := range names {
		l.flagged[name]++
	}
}

// results adds the rates to a record.
func (l *live) results(r *Record) {
	studies := fmt.Sprintf("%d live studies", l.studies)
	for _, c := range compared {
		if rate := l.different[c.metric]; rate != nil {
			r.add(Result{What: "live", Series: studies, Figure: c.metric, Rule: "as each study was run", Effect: 1, Wanted: "≤ 5 %", Happened: *rate})
		}
	}
	trials := fmt.Sprintf("trials of %d runs", l.runs)
	for _, level := range []finding.Validity{finding.Suspect, finding.Invalid} {
		r.add(Result{What: "flagged", Series: trials, Figure: string(level), Happened: statstest.Rate{Count: l.doubted[level], Of: l.trials}})
	}
	for _, name := range slices.Sorted(maps.Keys(l.flagged)) {
		r.add(Result{What: "flagged", Series: trials, Figure: string(name), Happened: statstest.Rate{Count: l.flagged[name], Of: l.trials}})
	}
}
