package regression

import (
	"bytes"
	"errors"
	"regexp"
	"testing"

	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

var english = regexp.MustCompile(`\b[a-z’']{2,} [a-z’']{2,} [a-z’']{2,}\b`)

// The gate's result in Chinese has no English sentence, whatever it says.
func TestResultInChinese(t *testing.T) {
	zh, err := report.TextsIn("zh")
	if err != nil {
		t.Fatal(err)
	}
	worse := func(change float64, failing ...float64) *Result {
		a := twins(t, change, 0.005)
		setErrors(a, 0, failing)
		return JudgePairs(a, both, asked)
	}
	confirmed := worse(1.2)
	confirmed.ConfirmPairs(twins(t, 1.2, 0.005), both, asked)
	unconfirmed := worse(1.2)
	unconfirmed.Unconfirmable(errors.New("no space"))
	dead := twins(t, 1, 0.005)
	dies(&dead.Groups[0].Cells[0], 6)
	noisy := JudgePairs(twins(t, 1, 0.2), both, asked)
	both15 := twins(t, 1, 0.005)
	setErrors(both15, 0, []float64{15})
	setErrors(both15, 1, []float64{14})
	for name, r := range map[string]*Result{
		"ok": worse(1), "failing": worse(1, 15, 14), "confirmed": confirmed, "unconfirmed": unconfirmed, "undecided": noisy,
		"dead": JudgePairs(dead, both, asked), "both fail": JudgePairs(both15, both, asked), "nothing": JudgePairs(both15, nil, asked),
	} {
		r.Old, r.New = i18n.Verbatim("main (0123456789ab)"), i18n.New("regression.changed-tree", "the working tree (%s with changes)", "0123456789ab")
		r.Remarks = dropFixture(r.Remarks)
		var b bytes.Buffer
		if err := errors.Join(r.Text(&b, zh, 0, false), r.Markdown(&b, zh)); err != nil {
			t.Fatal(err)
		}
		if m := english.FindString(b.String()); m != "" {
			t.Errorf("%s: %q in\n%s", name, m, &b)
		}
	}
}

// dropFixture leaves out what the made-up run says in words that the lab does not use.
func dropFixture(remarks []i18n.Message) (kept []i18n.Message) {
	for _, r := range remarks {
		if !regexp.MustCompile(`^\w+: [a-z-]+: `).MatchString(r.String()) {
			kept = append(kept, r)
		}
	}
	return kept
}
