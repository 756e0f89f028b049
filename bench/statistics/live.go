package main

import (
	"fmt"
	"maps"
	"slices"

	"dyno/lab/analysis"
	"dyno/lab/archive"
	"dyno/lab/load"
	"dyno/lab/stats/statstest"
)

// live counts, over whole studies as they were run, how often the reference was
// called different from its own twin, and how often trials were doubted, and why.
type live struct {
	studies   int
	different map[string]*statstest.Rate // by metric
	trials    int                        // finished ones
	doubted   map[load.Validity]int      // trials worth less than VALID
	flagged   map[string]int             // trials by the name of a finding that lowers what they are worth
}

func newLive() *live {
	return &live{different: make(map[string]*statstest.Rate), doubted: make(map[load.Validity]int), flagged: make(map[string]int)}
}

// add counts a run, if it has a twin. Groups that show the twin of another group
// are not counted again.
func (l *live) add(run *archive.Run, a *analysis.Analysis) {
	twins := false
	for i := range a.Groups {
		if g := &a.Groups[i]; g.TwinCell != nil {
			twins = true
			l.compare(g)
		}
	}
	if !twins {
		return
	}
	l.studies++
	for i := range run.Trials {
		if t := &run.Trials[i]; t.Status == archive.Complete {
			l.judge(t)
		}
	}
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

func (l *live) judge(t *archive.Trial) {
	l.trials++
	if t.Validity != load.Valid {
		l.doubted[t.Validity]++
	}
	names := make(map[string]bool)
	for i := range t.Findings {
		if f := &t.Findings[i]; f.Weight() != load.Valid {
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
	trials := fmt.Sprintf("trials of %d live studies", l.studies)
	for _, level := range []load.Validity{load.Suspect, load.Invalid} {
		r.add(Result{What: "flagged", Series: trials, Figure: string(level), Happened: statstest.Rate{Count: l.doubted[level], Of: l.trials}})
	}
	for _, name := range slices.Sorted(maps.Keys(l.flagged)) {
		r.add(Result{What: "flagged", Series: trials, Figure: name, Happened: statstest.Rate{Count: l.flagged[name], Of: l.trials}})
	}
}
