package runner

import (
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/study"
)

// A trial in which the subject responds wrongly is one that it failed: it is not
// repeated.
func TestWhatTheSubjectFailsIsNotRepeated(t *testing.T) {
	t.Parallel()
	var failing atomic.Bool
	r := newRunner(t, server(t, func(w http.ResponseWriter, _ *http.Request) {
		if failing.Load() {
			w.WriteHeader(http.StatusTeapot)
		}
	}), 2)
	r.Repeats = 2
	started := 0
	r.Observe = func(e Event) {
		switch e.Kind {
		case TrialStarted:
			started++
			failing.Store(started == 1)
		case TrialFinished:
			failing.Store(false)
		}
	}
	run := archivedBy(t, r)
	if len(run.Trials) < 2 || run.Trials[0].Status != archive.Failed || run.Trials[0].Fault != archive.OfSubject {
		t.Fatalf("%d trials, the first %s by the fault of %q", len(run.Trials), run.Trials[0].Status, run.Trials[0].Fault)
	}
	for _, trial := range run.Trials { // a busy machine may spoil the second, which is repeated then
		if trial.Repeats != nil && *trial.Repeats == 0 {
			t.Error("it is repeated")
		}
	}
	a, err := analysis.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	c := a.Groups[0].Cells[0]
	if !slices.Equal(c.Failed, []int{0}) || slices.Contains(c.Trials, 0) || slices.Contains(c.Left, 0) {
		t.Errorf("used %v, failed %v, left out %v", c.Trials, c.Failed, c.Left)
	}
	if run.Trials[1].Validity != finding.Invalid && !slices.Equal(c.Trials, []int{1}) {
		t.Errorf("used %v, and the second is %s", c.Trials, run.Trials[1].Validity)
	}
}

func TestRepetitionsAreBounded(t *testing.T) {
	invalid := func(r *execution, index int) bool {
		return r.mayRepeat(&archive.Trial{PlannedTrial: r.plan.Trials[index], Status: archive.Complete, Validity: finding.Invalid})
	}
	s := &study.Study{Subjects: []study.Subject{{Name: "a"}, {Name: "b"}}, Loads: []study.Load{{Name: "l"}}, Blocks: 3}
	plan, err := study.Expand(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := &execution{runner: &Runner{Study: s, Repeats: 2}, plan: plan}
	if !invalid(r, 0) {
		t.Error("an invalid trial is not repeated")
	}
	if usable := []archive.Window{{Level: finding.Valid}}; r.mayRepeat(&archive.Trial{Status: archive.Complete, Validity: finding.Suspect, Windows: usable}) {
		t.Error("a suspect trial is repeated")
	}
	if !r.mayRepeat(&archive.Trial{Status: archive.Complete, Validity: finding.Suspect, Windows: []archive.Window{{Level: finding.Invalid}}}) {
		t.Error("a trial without a usable window is not repeated")
	}
	if r.mayRepeat(&archive.Trial{Status: archive.Failed, Fault: archive.OfSubject, Validity: finding.Invalid}) {
		t.Error("a trial that the subject failed is repeated")
	}
	if r.mayRepeat(&archive.Trial{Status: archive.Interrupted, Validity: finding.Invalid}) {
		t.Error("an interrupted trial is repeated")
	}
	if r.runner.Repeats = 0; invalid(r, 0) {
		t.Error("repeated, though never was asked for")
	}
	r.runner.Repeats = 2
	var again study.PlannedTrial
	r.plan, again = r.plan.Repeat(0)
	if !invalid(r, again.Index) {
		t.Error("a repetition is not repeated once more")
	}
	r.plan, again = r.plan.Repeat(again.Index)
	if invalid(r, again.Index) {
		t.Error("repeated a third time")
	}
	r.plan, _ = r.plan.Repeat(1)
	if invalid(r, len(r.plan.Trials)-1) {
		t.Error("more than half of the planned trials were repeated")
	}
}

// A run that goes on does so block by block until all is decided, its blocks are
// done, or its time is up.
func TestARunGoesOnBlockByBlock(t *testing.T) {
	for _, c := range []struct {
		name   string
		until  study.Until
		enough int // blocks after which the goal is reached
		blocks int
		ended  string
	}{
		{"decided", study.Until{Blocks: 5}, 2, 2, EndDecided},
		{"all its blocks", study.Until{Blocks: 2}, 9, 2, EndBlocks},
		{"time", study.Until{Time: 1500 * time.Millisecond}, 9, 1, EndTime},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t, server(t, respond), 1)
			r.Study.Until = c.until
			looks := 0
			r.Decide = func(run *archive.Run) (Progress, error) {
				looks++
				if len(run.Trials) != looks || run.Manifest.Status != archive.Running {
					t.Errorf("look %d sees %d trials of a run that is %s", looks, len(run.Trials), run.Manifest.Status)
				}
				return Progress{Goals: []Goal{{Name: "goal", Done: looks >= c.enough, Blocks: 1}}}, nil
			}
			run := archivedBy(t, r)
			if len(run.Trials) != c.blocks || looks != c.blocks || run.Manifest.Ended != c.ended || run.Manifest.Status != archive.Complete {
				t.Errorf("%d blocks, %d looks, ended %q, %s", len(run.Trials), looks, run.Manifest.Ended, run.Manifest.Status)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	for name, c := range map[string]struct {
		goals  []Goal
		done   bool
		blocks int
	}{
		"none":       {nil, false, 0},
		"all done":   {[]Goal{{Done: true}, {Done: true}}, true, 0},
		"not known":  {[]Goal{{Done: true}, {Blocks: 0}}, false, 0},
		"the worst":  {[]Goal{{Blocks: 3}, {Blocks: 7}, {Done: true}}, false, 7},
		"one of two": {[]Goal{{Blocks: 3}, {Blocks: 0}}, false, 0},
	} {
		p := Progress{Goals: c.goals}
		if n, _ := p.blocks(); p.Done() != c.done || n != c.blocks {
			t.Errorf("%s: done %t, %d blocks", name, p.Done(), n)
		}
	}
}
