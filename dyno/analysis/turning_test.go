package analysis_test

import (
	"strings"
	"testing"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/machine/speed"
	"dyno.example/dyno/probe"
	"dyno.example/internal/i18n"
)

// suspected makes a trial suspect by a finding about the machine.
func suspected(t *archive.Trial, name finding.Name) {
	t.Validity = finding.Suspect
	t.Findings = append(t.Findings, finding.Finding{Name: name, Validity: finding.Suspect, Detail: i18n.Verbatim("much of it")})
}

// A doubt weakens a verdict if it could have turned it, and no other. Truth: without what is
// injected b serves 0.85 times what a does, in each of the blocks.
func TestDoubtsThatCouldTurnAVerdict(t *testing.T) {
	in := func(blocks ...int) func(*archive.Trial, string) bool {
		return func(t *archive.Trial, subject string) bool {
			for _, b := range blocks {
				if t.Block == b && subject == "b" {
					return true
				}
			}
			return false
		}
	}
	for name, c := range map[string]struct {
		claim   string
		of      func(*archive.Trial, string) bool // trials with other load
		by      float64                           // which makes them so much slower
		turning bool
	}{
		"it changed nothing to speak of":      {"throughput[b] / throughput[a] < 1", in(1, 3), 1.001, false},
		"the verdict is made by it":           {"throughput[b] / throughput[a] >= 0.5", in(1, 3), 4, true},
		"all trials have it":                  {"throughput[b] / throughput[a] < 1", in(0, 1, 2, 3, 4, 5), 1.001, true},
		"it is of one that isn't claimed of":  {"throughput[c] / throughput[a] < 1", in(0, 1, 2, 3, 4, 5), 4, false},
		"it is great, the effect greater yet": {"throughput[b] / throughput[a] < 10", in(1, 3), 2, false},
	} {
		run := analysistest.Run(4, "a", "again", "b", "c")
		run.Manifest.Claims = []claim.Claim{{ID: "c", Expressions: []string{c.claim}}}
		for i := range run.Trials {
			if tr := &run.Trials[i]; c.of(tr, run.Manifest.Plan.Cells[tr.Cell].Subject) {
				slow(tr, c.by)
				suspected(tr, finding.OtherLoad)
			}
		}
		// One in ten of a run's trials is a remark: these are more.
		for i := range run.Trials {
			if tr := &run.Trials[i]; run.Manifest.Plan.Cells[tr.Cell].Subject == "again" {
				suspected(tr, finding.Steal)
			}
		}
		a := analyse(t, run)
		out := a.Claims[0]
		if a.Validity != finding.Suspect || out.Basis.Validity != "SUSPECT" || !out.Basis.Tried {
			t.Fatalf("%s: the run is %s, %+v", name, a.Validity, out.Basis)
		}
		word := out.Word().String()
		if turning := len(out.Basis.Turning) > 0; turning != c.turning || strings.Contains(word, "SUSPECT run") != c.turning {
			t.Errorf("%s: %s, turning: %v", name, word, out.Basis.Turning)
		}
		said := false
		for _, d := range out.Basis.Turning {
			said = said || strings.Contains(d.String(), string(finding.OtherLoad))
		}
		if said != c.turning {
			t.Errorf("%s: it is not said which: %v", name, out.Basis.Turning)
		}
	}
}

// slowerB is a run of which b's machine was 1.5 times slower, once put has put figures into its
// trials. A claim about it is confirmed; the speed can have turned that, or not.
func slowerB(t *testing.T, claimed string, turning bool, put func(tr *archive.Trial, slower bool)) {
	t.Helper()
	run := analysistest.Run(4, "a", "again", "b", "c")
	run.Manifest.Claims = []claim.Claim{{ID: "c", Expressions: []string{claimed}}}
	for i := range run.Trials {
		tr := &run.Trials[i]
		by := 1.0
		slower := run.Manifest.Plan.Cells[tr.Cell].Subject == "b"
		if slower {
			by = 1.5
		}
		put(tr, slower)
		r := []speed.Reading{{CPU: 1, Chain: 2 / by, Wide: 12 / by}}
		tr.Speed = &archive.Speed{Before: r, After: r}
	}
	a := analyse(t, run)
	out := a.Claims[0]
	if out.Verdict != claim.Confirmed {
		t.Fatalf("%s is %s: %s", claimed, out.Verdict, out.Why)
	}
	if a.Validity != finding.Suspect || (len(out.Basis.Turning) > 0) != turning {
		t.Errorf("%s: the run is %s, turning: %v", claimed, a.Validity, out.Basis.Turning)
	}
}

// A machine of another speed is put right by the size of it: it weakens what it could have
// made, and not what is larger.
func TestASpeedThatCouldTurnAVerdict(t *testing.T) {
	for claimed, turning := range map[string]bool{
		"cpu[b] / cpu[a] > 1.3": true,  // as measured it is, on a machine as ever it isn't
		"cpu[b] / cpu[a] > 0.5": false, // either way
	} {
		slowerB(t, claimed, turning, func(tr *archive.Trial, slower bool) {
			for w := range tr.Windows {
				if p := tr.Windows[w].Server.Process; p != nil && slower {
					p.CPU = p.CPU * 3 / 2
				}
			}
		})
	}
}

// A collector on slower CPUs may have run more often as well as less. Truth: b's is measured as
// often as a's, on a machine 1.5 times slower; at the usual speed it may run 0.67 to 1.5 times as
// often.
func TestASpeedThatCouldTurnCollections(t *testing.T) {
	for claimed, turning := range map[string]bool{
		"gc.cycles[b] / gc.cycles[a] > 0.8": true,
		"gc.cycles[b] / gc.cycles[a] < 1.3": true,
		"gc.cycles[b] / gc.cycles[a] > 0.5": false,
		"gc.cycles[b] / gc.cycles[a] < 2.5": false,
	} {
		slowerB(t, claimed, turning, func(tr *archive.Trial, _ bool) {
			for w := range tr.Windows {
				tr.Windows[w].Server.Runtime = &probe.Runtime{AllocCount: 1 << 20, AllocBytes: 80 << 20, GCCycles: 40}
			}
		})
	}
}

// What is about the run could turn anything.
func TestARunBrokenOffIsADoubt(t *testing.T) {
	run := analysistest.Run(4, "a", "again", "b", "c")
	run.Manifest.Claims = []claim.Claim{{ID: "c", Expressions: []string{"throughput[b] / throughput[a] < 1"}}}
	run.Manifest.Status = archive.Interrupted
	if out := analyse(t, run).Claims[0]; len(out.Basis.Turning) == 0 || !strings.Contains(out.Word().String(), "SUSPECT run") {
		t.Errorf("%s: %+v", out.Word(), out.Basis)
	}
}

// A Sobol index rests on all samples, and can't be decided again without some: no doubt of a
// trial is dismissed.
func TestDoubtsOfASobolIndexStand(t *testing.T) {
	run := sobolRun(t, 16)
	run.Manifest.Claims = []claim.Claim{{ID: "c", Expressions: []string{"sobol(throughput, env.A) >= 0.5"}}}
	cells := len(run.Trials)
	for i := range cells {
		again := run.Trials[i]
		again.Index, again.Block = cells+i, 1
		run.Manifest.Plan.Trials = append(run.Manifest.Plan.Trials, again.PlannedTrial)
		run.Trials = append(run.Trials, again)
	}
	for i := range run.Trials {
		if i%4 == 0 {
			suspected(&run.Trials[i], finding.OtherLoad)
		}
	}
	a := analyse(t, run)
	if out := a.Claims[0]; a.Validity != finding.Suspect || len(out.Basis.Turning) == 0 || !strings.Contains(out.Word().String(), "SUSPECT run") {
		t.Errorf("the run is %s; %s: %+v", a.Validity, out.Word(), out.Basis)
	}
}
