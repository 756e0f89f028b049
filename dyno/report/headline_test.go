package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// headline is the first answer's text, in English.
func headline(t *testing.T, a *analysis.Analysis, lang string) string {
	t.Helper()
	c, err := openLanguage(lang)
	if err != nil {
		t.Fatal(err)
	}
	return plainSpaces(c.paragraph(answers(a, c)[0].Sentences))
}

// costing makes a cell of a made-up run cost so many times what it did.
func costing(run *archive.Run, cell int, times float64) *archive.Run {
	for i := range run.Trials {
		for w := range run.Trials[i].Windows {
			if p := run.Trials[i].Windows[w].Server.Process; p != nil && run.Trials[i].Cell == cell {
				p.CPU = time.Duration(float64(p.CPU) * times)
			}
		}
	}
	return run
}

// fewRequests leaves so many requests a second in the response times of the cells.
func fewRequests(run *archive.Run, n int, cells ...int) *archive.Run {
	for _, cell := range cells {
		for i := range run.Trials {
			for w := range run.Trials[i].Windows {
				if run.Trials[i].Cell != cell {
					continue
				}
				h := measure.NewHistogram()
				for k := range n {
					if err := h.RecordValue(int64(50e6 + k*1e5)); err != nil {
						panic(err)
					}
				}
				run.Trials[i].Windows[w].Client.Hist[measure.Response] = h
			}
		}
	}
	return run
}

// The headline names a winner where there is one, with how much it wins by.
func TestHeadlineNamesTheKnownWinner(t *testing.T) {
	for seed := uint64(1); seed <= 8; seed++ {
		a := analysed(t, costing(analysistest.Run(seed, "a", "b", "c"), 1, 0.7)) // b costs 0.7 of a, c 1.18 of it
		got := headline(t, a, "en")
		if !strings.HasPrefix(got, "b costs least CPU: 0.7") && !strings.HasPrefix(got, "b costs least CPU: 0.6") || !strings.Contains(got, "of what a costs a request") {
			t.Errorf("seed %d: %s", seed, got)
		}
		lead := a.Groups[0].Leads[cpu]
		if len(lead) != 2 || lead[0].Subject != "a" || !lead[0].Apart || lead[0].Ratio.Estimate < 0.66 || lead[0].Ratio.Estimate > 0.74 {
			t.Errorf("seed %d: %+v", seed, lead)
		}
		for format, text := range everyForm(t, a) {
			if !strings.Contains(text, "b costs least CPU") {
				t.Errorf("seed %d: %s doesn't name the winner", seed, format)
			}
		}
	}
}

// Of two that cost the same none is named best, in any form. One seed in twenty may.
func TestHeadlineNamesNoWinnerOfATie(t *testing.T) {
	named := 0
	for seed := uint64(1); seed <= 20; seed++ {
		a := analysed(t, analysistest.Run(seed, "a", "b"))
		got := headline(t, a, "en")
		if strings.Contains(got, "costs least CPU") {
			named++
			continue
		}
		if !strings.HasPrefix(got, "Can’t tell by CPU per request: ") || !strings.Contains(got, "a and b share") && !strings.Contains(got, "b and a share") || !strings.Contains(got, "× (95 %: ") {
			t.Errorf("seed %d: %s", seed, got)
		}
		if seed > 3 {
			continue
		}
		for format, text := range everyForm(t, a) {
			for _, claim := range []string{"costs least CPU", "serves most", "shortest tail"} {
				if strings.Contains(got, "Can’t tell by CPU per request") && claim == "costs least CPU" && strings.Contains(text, claim) {
					t.Errorf("seed %d: %s names a winner of a tie: %s", seed, format, claim)
				}
			}
		}
	}
	if named > 2 {
		t.Errorf("%d of 20 seeds named a winner of two equals", named)
	}
}

// Who has no figure is neither beaten nor best, and it is said why.
func TestHeadlineBeatsNobodyWithoutAFigure(t *testing.T) {
	for _, tc := range []struct {
		name  string
		run   *archive.Run
		want  []string
		never []string
	}{
		{"only one has a p99", fewRequests(analysistest.OpenLoop(4, "a", "b", "c"), 300, 1, 2),
			[]string{"No comparison by Response p99: only a has a figure, ", "b and c have no Response p99: too few requests for it."},
			[]string{"shortest tail"}},
		{"one of three lacks it", fewRequests(analysistest.OpenLoop(4, "a", "b", "c"), 300, 2),
			[]string{"c has no Response p99: too few requests for it."},
			[]string{"the p99 of c"}},
		{"a subject without a usable trial", withoutUsable(analysistest.Run(4, "a", "b", "c"), 2),
			[]string{"c is in no place: none of its trials can be used."},
			[]string{"costs least CPU: c", "of what c costs"}},
		{"a subject whose process can't be seen", unseen(analysistest.Run(4, "a", "b", "c"), 2),
			[]string{"c has no CPU per request: the subject's process could not be seen."},
			[]string{"of what c costs"}},
	} {
		a := analysed(t, tc.run)
		for format, text := range everyForm(t, a) {
			for _, want := range tc.want {
				if !strings.Contains(text, want) {
					t.Errorf("%s: %s lacks %q: %s", tc.name, format, want, headline(t, a, "en"))
				}
			}
			for _, never := range tc.never {
				if strings.Contains(text, never) {
					t.Errorf("%s: %s says %q", tc.name, format, never)
				}
			}
		}
	}
}

// Who fails requests may look best by whatever else is measured: that it fails is said next to it.
func TestHeadlineNamesWhoFailsRequests(t *testing.T) {
	for _, share := range []uint64{0, 9} {
		run := costing(analysistest.Run(4, "a", "b"), 1, 0.5)
		for i := range run.Trials {
			for w := range run.Trials[i].Windows {
				if c := &run.Trials[i].Windows[w].Client; run.Trials[i].Cell == 1 {
					c.Errors.Status += c.Completed * share / (100 - share)
				}
			}
		}
		for format, text := range everyForm(t, analysed(t, run)) {
			if said := strings.Contains(text, "b failed 9") && strings.Contains(text, "of its requests"); said != (share > 0) {
				t.Errorf("%s, of %d %% failures: %t", format, share, said)
			}
			if strings.Contains(text, "a failed") {
				t.Errorf("%s: a did not fail", format)
			}
		}
	}
}

// A run of which nothing can be used begins with why, shows what was seen as unusable,
// and has no ranking.
func TestHeadlineOfAnUnusableRun(t *testing.T) {
	a := nothingUsable(t)
	if got := headline(t, a, "en"); !strings.HasPrefix(got, "No conclusion: 12 trials left out, none can be used. What stood in the way: Another program was busy (12 trials).") || !strings.Contains(got, "--accept other-load") {
		t.Error(got)
	}
	if iv := a.Groups[0].Cells[0].Unusable[cpu]; iv.N != 6 || iv.Level != 0 || iv.Low >= iv.High || len(a.Groups[0].Cells[0].Estimates) != 0 {
		t.Errorf("what was seen: %+v", iv)
	}
	forms := everyForm(t, a)
	for format, text := range forms {
		for _, want := range []string{"Seen, but not usable", "INVALID", "Another program was busy (12 trials)"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", format, want)
			}
		}
		for _, never := range []string{"costs least CPU", "serves most", "VALID  Nothing"} {
			if strings.Contains(text, never) {
				t.Errorf("%s says %q", format, never)
			}
		}
	}
	for _, section := range []string{"cost", "percentiles"} {
		if page := forms["page"]; !strings.Contains(page, `<section id="`+section+`" hidden`) || strings.Contains(page, `href="#`+section+`"`) || !strings.Contains(page, `id="hollow"`) {
			t.Errorf("the empty section %s is not folded", section)
		}
	}
	var csv bytes.Buffer
	if err := CSV(&csv, a); err != nil || strings.Count(csv.String(), "\n") != 1 {
		t.Errorf("CSV has rows of trials that can't be used: %v", err)
	}
}

// nothingUsable is a run that another program spoilt from beginning to end.
func nothingUsable(t *testing.T) *analysis.Analysis {
	t.Helper()
	run := analysistest.Run(4, "a", "b")
	for i := range run.Trials {
		run.Trials[i].Validity = finding.Invalid
		run.Trials[i].Findings = []finding.Finding{{Name: finding.OtherLoad, Validity: finding.Invalid, Detail: i18n.Verbatim("other programs used 60 % of a CPU on the 2 CPUs that generator and server use (limit 15 %)")}}
	}
	return analysed(t, run)
}

// A run whose findings were accepted never has a plain VALID.
func TestAcceptedIsNotValid(t *testing.T) {
	run := analysistest.Run(4, "a", "b")
	run.Manifest.Accept = []finding.Name{finding.OtherLoad}
	for i := range run.Trials {
		run.Trials[i].Validity = finding.Valid
		run.Trials[i].Findings = finding.Accept([]finding.Finding{{Name: finding.OtherLoad, Validity: finding.Invalid, Detail: i18n.Verbatim("other programs used 60 %")}}, run.Manifest.Accept)
	}
	a := analysed(t, run)
	if a.Validity != finding.Valid {
		t.Fatalf("the analysis says %s", a.Validity)
	}
	for format, text := range everyForm(t, a) {
		if !strings.Contains(text, "ACCEPTED") || strings.Contains(text, "data: VALID") || strings.Contains(text, ">VALID<") || !strings.Contains(text, "other-load accepted, which otherwise would make it INVALID") {
			t.Errorf("%s: an accepted run shows as valid", format)
		}
	}
	if page := everyForm(t, a)["page"]; strings.Contains(page, `class="badge valid"`) || strings.Contains(page, `class="badge small invalid">`) {
		t.Error("the page has a green badge, or an accepted finding tagged invalid")
	}
}

// The label of the data's quality says what it is about.
func TestBadgeIsLabelled(t *testing.T) {
	forms := everyForm(t, eight().make())
	if !strings.Contains(forms["table.txt"], "data: SUSPECT") && !strings.Contains(forms["table.txt"], "data: VALID") {
		t.Errorf("the terminal's badge has no label")
	}
	if !strings.Contains(forms["page"], "<small>data: </small>") {
		t.Error("the page's badge has no label")
	}
}

// everyForm writes the forms that people read; texts are on one line each.
func everyForm(t *testing.T, a *analysis.Analysis) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range []string{"page", "markdown.md", "table.txt"} {
		var b bytes.Buffer
		if err := formats[name](&b, a); err != nil {
			t.Fatal(err)
		}
		text := plainSpaces(b.String())
		if name == "table.txt" { // which breaks lines
			text += strings.Join(strings.Fields(text), " ")
		}
		if name == "page" { // whose scripts hold all texts
			text, _, _ = strings.Cut(text, `<script type="application/json"`)
			text = strings.NewReplacer("</span>", "", "<span>", "", "</strong>", "", "<strong>", "", "&#39;", "'", "&#43;", "+").Replace(text)
		}
		out[name] = strings.ReplaceAll(text, `\_`, "_")
	}
	return out
}

// withoutUsable makes all trials of a cell invalid.
func withoutUsable(run *archive.Run, cell int) *archive.Run {
	for i := range run.Trials {
		if tr := &run.Trials[i]; tr.Cell == cell {
			tr.Validity = finding.Invalid
			tr.Findings = []finding.Finding{{Name: finding.OtherLoad, Validity: finding.Invalid, Detail: i18n.Verbatim("busy")}}
		}
	}
	return run
}

// unseen takes the cell's process out of sight.
func unseen(run *archive.Run, cell int) *archive.Run {
	for i := range run.Trials {
		for w := range run.Trials[i].Windows {
			if run.Trials[i].Cell == cell {
				run.Trials[i].Windows[w].Server.Process = nil
			}
		}
	}
	return run
}

// Where medians say the opposite of the ratio, both have the first place, and the headline
// says why.
func TestHeadlineOfMediansAgainstTheRatio(t *testing.T) {
	a := analysed(t, analysistest.Run(2, "a", "b"))
	g := &a.Groups[0]
	first, other := g.Cells[0], g.Cells[1]
	g.Ranking[cpu] = []analysis.Place{{Rank: 1, Last: 2, Subject: "a", Cell: first.Cell}, {Rank: 1, Last: 2, Subject: "b", Cell: other.Cell}}
	g.Leads[cpu] = []analysis.Versus{{Subject: "b", Cell: other.Cell, Ratio: stats.Interval{N: 12, Estimate: 1.2, Low: 1.05, High: 1.37, Level: 0.95}}}
	got := headline(t, a, "en")
	if !strings.Contains(got, "Over all starts b is the better, by the median a") || strings.Contains(got, "may be chance") {
		t.Error(got)
	}
}

// Who is worse than somebody beyond doubt shares no first place, though it can't be told
// apart from the first by itself.
func TestHeadlineOfWhoIsBeaten(t *testing.T) {
	for name, c := range map[string]struct {
		behind map[string][]string // who is better beyond doubt
		room   bool                // intervals leave room for the opposite all the same
		has    []string
		hasnt  []string
	}{
		"by a contender": {map[string][]string{"c": {"b"}}, false,
			[]string{"a and b share the first place", "c can’t be told apart from a."}, []string{"a, b and c"}},
		"by one that the first beats": {map[string][]string{"b": {"a"}, "c": {"b"}}, false,
			[]string{"a costs least CPU", "of what b costs", "c can’t be told apart from a."}, []string{"Can’t tell by CPU"}},
		"by the first, whose interval leaves room": {map[string][]string{"b": {"a"}, "c": {"a"}}, true,
			[]string{"a, b and c share the first place"}, []string{"a costs least CPU"}},
		"by nobody": {nil, false, []string{"a, b and c share the first place"}, []string{"can’t be told apart from a."}},
	} {
		t.Run(name, func(t *testing.T) {
			a := analysed(t, analysistest.Run(3, "a", "b", "c"))
			g := &a.Groups[0]
			cells := map[string]int{}
			for i := range g.Cells {
				if _, ok := cells[g.Cells[i].Subject]; !ok {
					cells[g.Cells[i].Subject] = g.Cells[i].Cell
				}
			}
			g.Ranking[cpu], g.Leads[cpu] = nil, nil
			for _, subject := range []string{"a", "b", "c"} {
				p := analysis.Place{Rank: 1 + len(c.behind[subject]), Last: 3, Subject: subject, Cell: cells[subject]}
				for _, better := range c.behind[subject] {
					p.Behind = append(p.Behind, cells[better])
				}
				g.Ranking[cpu] = append(g.Ranking[cpu], p)
				if subject != "a" {
					g.Leads[cpu] = append(g.Leads[cpu], analysis.Versus{Subject: subject, Cell: p.Cell,
						Ratio: stats.Interval{N: 12, Estimate: 0.9, Low: 0.7, High: 1.1, Level: 0.95}, Apart: !c.room && slices.Contains(c.behind[subject], "a")})
				}
			}
			got := headline(t, a, "en")
			for _, part := range c.has {
				if !strings.Contains(got, part) {
					t.Errorf("%q is missing in %s", part, got)
				}
			}
			for _, part := range c.hasnt {
				if strings.Contains(got, part) {
					t.Errorf("%q is in %s", part, got)
				}
			}
		})
	}
}
