package report

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

// An English sentence is three words of lower case in a row.
var sentenceOfEnglish = regexp.MustCompile(`\b[a-z’']{2,} [a-z’']{2,} [a-z’']{2,}\b`)

// A Chinese report has no English sentence: neither in the headline nor in reasons,
// findings, verdicts, nor in the tables' notes.
func TestChineseReportsAreChinese(t *testing.T) {
	for name, a := range analysesOfAllKinds(t) {
		var b bytes.Buffer
		if err := HTML(&b, a, "zh"); err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(b.String(), `<script type="application/json"`)
		_, text, _ = strings.Cut(text, `<main`)
		text = regexp.MustCompile(`(?s)<pre.*?</pre>|<code>.*?</code>|<h1>.*?</h1>|<h3><span class="badge.*?</h3>|<details>\s*<summary>研究文件.*?</details>|<[^>]*>`).ReplaceAllString(text, "\n")
		for _, line := range strings.Split(text, "\n") {
			for _, remark := range deliberatelyEnglish(a) {
				line = strings.ReplaceAll(line, remark, "")
			}
			for _, o := range a.Claims {
				line = strings.ReplaceAll(line, o.Published, "")
			}
			if m := sentenceOfEnglish.FindString(line); m != "" {
				t.Errorf("%s: %q in %q", name, m, strings.TrimSpace(line))
			}
		}
	}
}

// analysesOfAllKinds are reports with winners, ties, missing figures, nothing usable,
// accepted findings and claims.
func analysesOfAllKinds(t *testing.T) map[string]*analysis.Analysis {
	t.Helper()
	spoilt := analysistest.Run(4, "a", "b")
	for i := range spoilt.Trials {
		spoilt.Trials[i].Validity = finding.Invalid
		spoilt.Trials[i].Findings = []finding.Finding{{Name: finding.Errors, Validity: finding.Invalid, Detail: i18n.New("load.mostly-failed", "%.2f %% of %d requests failed (limit %.0f %%): this is not the service's work that was measured", 12.0, 900, 10.0)}}
	}
	return map[string]*analysis.Analysis{
		"a winner":         translatable(analysed(t, costing(analysistest.Run(4, "a", "b", "c"), 1, 0.7))),
		"a tie":            translatable(analysed(t, analysistest.Run(4, "a", "b"))),
		"missing figures":  translatable(analysed(t, fewRequests(analysistest.OpenLoop(4, "a", "b", "c"), 300, 1, 2))),
		"a process unseen": translatable(analysed(t, unseen(analysistest.Run(4, "a", "b", "c"), 2))),
		"spoilt":           translatable(analysed(t, spoilt)),
		"claims":           translatable(ruled()),
		"many subjects":    translatable(someOfForty()),
	}
}

// translatable gives a fixture's findings details as the lab writes them.
func translatable(a *analysis.Analysis) *analysis.Analysis {
	for i := range a.Findings {
		a.Findings[i].Detail = i18n.New("load.limit", "%s (limit %v)", i18n.New("load.loop-away", "a load loop was away for %v", "412ms"), "100ms")
	}
	for i := range a.Claims {
		a.Claims[i].Says = ""
		for k := range a.Claims[i].Parts {
			a.Claims[i].Parts[k].Why = i18n.New("claim.undecidable", "the data can't tell")
		}
		a.Claims[i].Why = i18n.Join(i18n.New("claim.undecidable", "the data can't tell"), i18n.New("claim.more-blocks-no-help", ", and more blocks would hardly tell"))
	}
	return a
}
