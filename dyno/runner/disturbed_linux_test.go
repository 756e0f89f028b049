package runner

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// trialWith is one of two windows with findings that make them invalid.
func trialWith(names ...finding.Name) *archive.Trial {
	t := &archive.Trial{Status: archive.Complete}
	for i := range 2 {
		w := archive.Window{Client: measure.Window{Index: i}, Level: finding.Valid}
		for _, name := range names {
			w.Level = finding.Invalid
			w.Why = append(w.Why, finding.Finding{Name: name, Validity: finding.Invalid})
		}
		t.Windows = append(t.Windows, w)
	}
	for _, name := range names {
		t.Validity = finding.Invalid
		t.Findings = append(t.Findings, finding.Finding{Name: name, Validity: finding.Invalid, Detail: i18n.Verbatim("hog (pid 7) 97 %")})
	}
	return t
}

// A run ends when nothing of its first block can be used, and it is the machine's
// fault; not sooner, not for the subject's faults, and not if told to go on.
func TestARunEndsOnADisturbedMachine(t *testing.T) {
	good, robbed, wrong := trialWith(), trialWith(finding.OtherLoad), trialWith(finding.OtherLoad, finding.Errors)
	dead := trialWith(finding.OtherLoad)
	dead.Status = archive.Failed
	stalled := trialWith(finding.GeneratorStalled)
	for name, c := range map[string]struct {
		block  int // trials in it
		keep   bool
		trials []*archive.Trial
		end    int // after how many trials; 0: not
	}{
		"every trial":             {4, false, []*archive.Trial{robbed, robbed, stalled, robbed}, 4},
		"all but one":             {4, false, []*archive.Trial{robbed, robbed, good, robbed, robbed, robbed}, 0},
		"small blocks":            {1, false, []*archive.Trial{robbed, robbed, robbed}, 3},
		"errors of the subject":   {3, false, []*archive.Trial{robbed, wrong, robbed, robbed}, 0},
		"a subject that died":     {3, false, []*archive.Trial{dead, robbed, robbed, robbed}, 0},
		"told to go on":           {3, true, []*archive.Trial{robbed, robbed, robbed, robbed}, 0},
		"later than in the first": {2, false, []*archive.Trial{good, robbed, robbed, robbed, robbed}, 0},
	} {
		var plan study.Plan
		for i := range 6 * c.block {
			plan.Trials = append(plan.Trials, study.PlannedTrial{Index: i, Block: i / c.block})
		}
		p := &pace{total: len(plan.Trials), began: time.Now()}
		d := disturbance{ignored: c.keep}
		end := 0
		for i, trial := range c.trials {
			p.done++
			err := d.judge(trial, firstBlock(&plan), p)
			if err == nil {
				continue
			}
			end = i + 1
			var disturbed *DisturbedError
			if !errors.As(err, &disturbed) || disturbed.Trials != end || disturbed.Left < 0 {
				t.Fatalf("%s: %v", name, err)
			}
			for _, part := range []string{fmt.Sprintf("none of the first %d trials", end), "hog (pid 7)", "--accept ", "other-load", "--keep-going", "dyno machine"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%s: %q lacks %q", name, err, part)
				}
			}
			break
		}
		if end != c.end {
			t.Errorf("%s: it ended after %d trials, want %d", name, end, c.end)
		}
	}
	// What the study accepts is no fault.
	accepted := trialWith(finding.OtherLoad)
	for i := range accepted.Windows {
		finding.Accept(accepted.Windows[i].Why, []finding.Name{finding.OtherLoad})
		accepted.Windows[i].Level = finding.Valid
	}
	var d disturbance
	if err := d.judge(accepted, 0, &pace{began: time.Now(), done: 10}); err != nil {
		t.Error(err)
	}
}

// A run alongside programs that burn the subject's CPU says so before it begins, ends
// after its first trials, and keeps them.
func TestAHogEndsARun(t *testing.T) {
	_, subj := placed(t)
	hogs := hog(t, 1, subj)
	var lines []string
	run, err := study.Parse("test.yaml", []byte(`study: hogged
subjects: [{name: s, run: `+strconv.Quote(os.Args[0])+`, ready: /, ready_within: 1m, env: {`+troubleVariable+`: ""}}]
requests: [{name: root, get: /}]
loads: [{name: steady, open: {rate: 500, connections: 4}}]
trial: {warmup: 0s, duration: 1s}
blocks: 8
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := study.Expand(run, 1)
	if err != nil {
		t.Fatal(err)
	}
	var r *Runner
	var id string
	var disturbed *DisturbedError
	for range 8 { // with much else going on, a first trial may fail by something else, which is a result
		dir := t.TempDir()
		r = &Runner{Study: run, Plan: plan, Version: "test", StateDir: dir, Store: archive.Store{Dir: dir + "/runs"}}
		lines = nil
		r.Observe = func(e Event) {
			if e.Kind == Busy {
				lines = append(lines, e.Line.String())
			}
		}
		if id, err = r.Run(t.Context()); errors.As(err, &disturbed) {
			break
		}
		if kept, err := r.Store.Open(id); err == nil && len(kept.Trials) > 0 {
			t.Logf("the first trial: %s, %+v", kept.Trials[0].Status, kept.Trials[0].Findings)
		}
	}
	if disturbed == nil || !slices.Contains(disturbed.Names, finding.OtherLoad) {
		t.Fatalf("got %v, want that the machine was disturbed", err)
	}
	if !strings.Contains(err.Error(), "other-load: other programs used ") {
		t.Errorf("got %v", err)
	}
	if len(lines) != 1 || !strings.Contains(lines[0], "this machine is busy") {
		t.Errorf("before the run it says %q", lines)
	}
	kept, err := r.Store.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(kept.Trials, func(trial archive.Trial) bool { return namesAny(&trial, hogs) }) {
		t.Errorf("none of the hogs, processes %v, is named in the trials", hogs)
	}
	if kept.Manifest.Status != archive.Failed || len(kept.Trials) != disturbed.Trials || len(kept.Trials) != fewestTrials {
		t.Errorf("the run is %s, with %d trials: %s", kept.Manifest.Status, len(kept.Trials), kept.Manifest.Error)
	}
}
