package regression

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"dyno.example/dyno/export"
	"dyno.example/dyno/present"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// shown is a result with each decision in it.
func shown(t *testing.T) *Result {
	t.Helper()
	r := JudgePairs(twins(t, 1.2, 0.005), both, asked)
	undecided := JudgePairs(twins(t, 1, 0.2), both, asked).Checks[0]
	fine := JudgePairs(twins(t, 1, 0.005), both, asked).Checks[0]
	undecided.Group, fine.Group = "odd|group\x1b[31m", "fine"
	r.Checks = append(r.Checks, undecided, fine)
	r.conclude()
	r.Old, r.New, r.Command = i18n.Verbatim("main (0123456789ab)"), i18n.Verbatim("the working tree"), []string{"dyno", "gate", "--against", "main", "--fail", "cpu > +5%"}
	return r
}

// coloured is what colours a text.
var coloured = regexp.MustCompile("\x1b\\[[0-9;]*m")

// The result fits a terminal of 80 columns.
func TestFitsATerminal(t *testing.T) {
	r := shown(t)
	r.Remarks = append(r.Remarks, i18n.Verbatim("suspect: other-load: other programs used 41 % of a CPU on the 2 CPUs that generator and server use (limit 15 %): chromium (pid 4711) 33 % on CPU 1"))
	var b bytes.Buffer
	if err := r.Text(&b, report.English(), 80, true); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := present.Width(coloured.ReplaceAllString(strings.TrimSuffix(line, "\n"), "")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestOutputs(t *testing.T) {
	r := shown(t)
	var text, markdown, document, junit bytes.Buffer
	for _, err := range []error{r.Text(&text, report.English(), 0, false), r.Markdown(&markdown, report.English()), r.JSON(&document), export.JUnit(&junit, r.Suite())} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]struct {
		out   string
		parts []string
	}{
		"text": {text.String(), []string{
			"old  main (0123456789ab)", "FAIL", "can't tell", "cpu > +5%", "WOULD FIND",
			"REGRESSION  2 of 4 checks ok, 1 worse than allowed, 1 undecided; if nothing had changed, it would have alarmed in at most 0.13 % of runs",
		}},
		"markdown": {markdown.String(), []string{
			"### dyno gate: **regression**", "- **regression** x under", "| FAIL | x |", "cpu &gt; +5%", `odd\|group`, "`dyno gate --against main --fail 'cpu > +5%'`", "</details>",
		}},
		"JUnit": {junit.String(), []string{`name="dyno gate"`, `classname="dyno.gate"`, `tests="4" failures="2"`, "would find"}},
	} {
		for _, part := range want.parts {
			if !strings.Contains(want.out, part) {
				t.Errorf("%s lacks %q:\n%s", name, part, want.out)
			}
		}
		if strings.Contains(want.out, "\x1b") && name != "markdown" {
			t.Errorf("an escape code in %s", name)
		}
	}
	var back struct {
		Verdict string
		Checks  []struct{ Threshold, Verdict string }
	}
	if err := json.Unmarshal(document.Bytes(), &back); err != nil || back.Verdict != "regression" || back.Checks[0].Threshold != "cpu > +5%" {
		t.Errorf("%v: %s", err, &document)
	}
}
