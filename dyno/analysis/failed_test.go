package analysis_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

// failing makes up a run of two subjects in which "b" does wrong in some blocks.
func failing(wrong func(t *archive.Trial), blocks ...int) *archive.Run {
	run := analysistest.Run(1, "a", "c", "b")
	for i := range run.Trials {
		if t := &run.Trials[i]; t.Cell == 2 && slices.Contains(blocks, t.Block) {
			wrong(t)
		}
	}
	return run
}

// misserves makes 15 % of the requests of a trial fail, as the generator would tell it.
func misserves(t *archive.Trial) {
	for i := range t.Windows {
		c := &t.Windows[i].Client
		c.Errors.Status += c.Completed * 15 / 85
	}
	t.Findings = append(t.Findings, finding.Finding{Name: finding.Errors, Validity: finding.Invalid, Detail: i18n.Verbatim("15 % of the requests failed")})
	t.Validity = finding.Invalid
}

// hangs leaves a twentieth of the requests of a trial without a response by its end.
func hangs(t *archive.Trial) {
	for i := range t.Windows {
		c := &t.Windows[i].Client
		c.Unfinished += c.Completed / 19
	}
	t.Findings = append(t.Findings, finding.Finding{Name: finding.Unfinished, Validity: finding.Suspect, Detail: i18n.Verbatim("5 % had no response")})
	t.Validity = finding.Suspect
}

// dies makes the subject end by itself.
func dies(t *archive.Trial) {
	t.Status, t.Fault, t.Error, t.Validity = archive.Failed, archive.OfSubject, i18n.Verbatim("subject b died: exit status 3"), finding.Invalid
}

// spoils makes the machine the one that is to blame.
func spoils(t *archive.Trial) {
	t.Validity = finding.Invalid
	t.Findings = append(t.Findings, finding.Finding{Name: finding.Steal, Validity: finding.Invalid, Detail: i18n.Verbatim("the hypervisor")})
}

// TestFailuresStay: what a subject fails is never dropped, whatever is claimed.
func TestFailuresStay(t *testing.T) {
	for _, c := range []struct {
		name  string
		wrong func(*archive.Trial)
		in    []int
		claim string
		want  []claim.Verdict
	}{
		{"errors in a third of the trials", misserves, []int{1, 3}, "errors[b] < 1%", []claim.Verdict{claim.Undecided, claim.SizeRefuted}},
		{"errors in all", misserves, []int{0, 1, 2, 3, 4, 5}, "errors[b] < 1%", []claim.Verdict{claim.SizeRefuted}},
		{"none", misserves, nil, "errors[b] < 1%", []claim.Verdict{claim.Confirmed}},
		{"errors hide the tail", misserves, []int{0, 1, 2, 3, 4, 5}, "response.p90[b] < 100 * response.p90[a]", []claim.Verdict{claim.SizeRefuted}},
		{"deaths", dies, []int{1, 3, 5}, "throughput[b] > 0.01 * throughput[a]", []claim.Verdict{claim.Undecided}},
		{"deaths, as errors", dies, []int{1, 3, 5}, "errors[b] < 1%", []claim.Verdict{claim.Undecided}},
		{"deaths in all", dies, []int{0, 1, 2, 3, 4, 5}, "response.p50[b] <= 100 * response.p50[a]", []claim.Verdict{claim.SizeRefuted}},
		{"no deaths", dies, nil, "throughput[b] > 0.01 * throughput[a]", []claim.Verdict{claim.Confirmed}},
	} {
		run := failing(c.wrong, c.in...)
		run.Manifest.Claims = []claim.Claim{{ID: "c", Expressions: []string{c.claim}}}
		a := analyse(t, run)
		out := a.Claims[0]
		if !slices.Contains(c.want, out.Verdict) {
			t.Errorf("%s: %s of %+v, want one of %v", c.name, out.Verdict, out.Parts, c.want)
		}
		if len(c.in) > 0 && (len(out.Basis.Doubts) == 0 || a.Validity != finding.Suspect || !strings.Contains(out.Word().String(), "SUSPECT run")) {
			t.Errorf("%s: %s, %+v, the run is %s", c.name, out.Word(), out.Basis, a.Validity)
		}
		if cell := a.Groups[0].Cells[2]; len(cell.Left) > 0 || len(cell.Trials)+len(cell.Failed) != analysistest.Blocks {
			t.Errorf("%s: used %v, failed %v, left out %v", c.name, cell.Trials, cell.Failed, cell.Left)
		}
		if _, err := json.Marshal(a); err != nil {
			t.Errorf("%s: %v in %+v", c.name, err, out.Parts[0])
		}
	}
}

// What had no response when the load was over may have failed, or not: the share of
// failures is known no better than that, and shown as the worst that it can be.
func TestWithoutResponseMayHaveFailed(t *testing.T) {
	for _, c := range []struct {
		claim string
		in    []int
		want  claim.Verdict
	}{
		{"errors[b] < 1%", []int{0, 1, 2, 3, 4, 5}, claim.Undecided},
		{"errors[b] > 1%", []int{0, 1, 2, 3, 4, 5}, claim.Undecided},
		{"errors[b] < 6%", []int{0, 1, 2, 3, 4, 5}, claim.Confirmed},
		{"errors[b] > 6%", []int{0, 1, 2, 3, 4, 5}, claim.SizeRefuted},
		{"errors[b] < 1%", []int{0, 3}, claim.Undecided},
		{"errors[b] < 1%", nil, claim.Confirmed},
	} {
		run := failing(hangs, c.in...)
		run.Manifest.Claims = []claim.Claim{{ID: "c", Expressions: []string{c.claim}}}
		a := analyse(t, run)
		if out := a.Claims[0]; out.Verdict != c.want {
			t.Errorf("%s, without response in %v: %s of %+v, want %s", c.claim, c.in, out.Verdict, out.Parts, c.want)
		}
		for i, share := range a.Groups[0].Cells[2].Values["errors"] {
			if hung := slices.Contains(c.in, i); hung && share < 4.9 || !hung && share != 0 {
				t.Errorf("without response in %v: errors %v %% in block %d", c.in, share, i)
			}
		}
	}
}

// A subject that failed is not ranked by the trials in which it worked.
func TestFailuresAndRanks(t *testing.T) {
	run := analysistest.Run(1, "a", "b", "c")
	for i := range run.Trials {
		if tr := &run.Trials[i]; tr.Cell == 0 && tr.Block%2 == 1 {
			dies(tr)
		}
	}
	g := analyse(t, run).Groups[0]
	for _, p := range g.Ranking["throughput"] {
		if p.Subject == "a" && slices.ContainsFunc(g.Ranking["throughput"], func(o analysis.Place) bool { return o.Rank > p.Rank }) {
			t.Errorf("what failed in half of its trials is before others: %+v", g.Ranking["throughput"])
		}
	}
	if why := g.Cells[0].Omitted["response.p50"]; !strings.Contains(why.String(), "failed in 3 of 6 trials") {
		t.Errorf("p50 is omitted for %q: %+v", why, g.Cells[0].Estimates["response.p50"])
	}
}

// Trials that one arm lost to the machine and the other did not stand next to the
// verdict; those that both lost don't.
func TestTrialsLostUnevenly(t *testing.T) {
	for _, c := range []struct {
		name string
		lost map[int][]int // blocks by cell
		want bool
	}{
		{"one arm", map[int][]int{1: {0, 1, 2, 3, 4}}, true},
		{"both", map[int][]int{0: {0, 1, 2, 3, 4}, 1: {0, 1, 2, 3, 4}}, false},
		{"one trial", map[int][]int{1: {0}}, false},
	} {
		run := analysistest.Run(1, "a", "b")
		for i := range run.Trials {
			if tr := &run.Trials[i]; slices.Contains(c.lost[tr.Cell], tr.Block) {
				spoils(tr)
			}
		}
		run.Manifest.Claims = []claim.Claim{{ID: "c", Expressions: []string{"throughput[b] > 0.01 * throughput[a]"}}}
		a := analyse(t, run)
		found := slices.ContainsFunc(a.Findings, func(f analysis.Finding) bool { return f.Name == finding.LostUnevenly })
		beside := slices.ContainsFunc(a.Claims[0].Basis.Doubts, func(d i18n.Message) bool {
			return strings.Contains(d.String(), "b under saturate, connections=64 lost 5 of 6")
		})
		if found != c.want || beside != c.want {
			t.Errorf("%s: found %t, with the verdict %t: %+v", c.name, found, beside, a.Claims[0].Basis)
		}
	}
}
