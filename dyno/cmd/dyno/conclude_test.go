package main

import (
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/cmd/dyno/internal/runcmd"
	"dyno.example/dyno/finding"
	"dyno.example/internal/i18n"
)

// A run of which nothing can be used is no success, whoever asks; and its report
// is written all the same.
func TestNothingUsableIsNoSuccess(t *testing.T) {
	home := t.TempDir()
	run := analysistest.Run(5, "good")
	for i := range run.Trials {
		run.Trials[i].Validity = finding.Invalid
		run.Trials[i].Findings = []finding.Finding{{Name: finding.OtherLoad, Validity: finding.Invalid, Detail: i18n.Verbatim("other programs used 60 % of the machine's CPU time (limit 15.0 %)")}}
	}
	spoilt, good := store(t, home, 1, run), archived(t, home, 2, "good")
	lines := map[string]string{}
	for line := range strings.Lines(dyno(t, home, "list").stdout) {
		id, rest, _ := strings.Cut(line, " ")
		lines[id] = rest
	}
	if line := lines[spoilt]; strings.Contains(line, "complete") || !strings.Contains(line, "unusable") || !strings.Contains(line, "0 of 6") {
		t.Errorf("list says of a run without a usable trial: %s", line)
	}
	if line := lines[good]; !strings.Contains(line, "complete") || !strings.Contains(line, "6 of 6") {
		t.Errorf("list says of a good run: %s", line)
	}
	for id, fails := range map[string]bool{spoilt: true, good: false} {
		back, err := archive.Store{Dir: filepath.Join(home, "runs")}.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		err = runcmd.Conclude(back, false, "en")
		if (err != nil) != fails || fails && !strings.Contains(err.Error(), "none of 6 trials can be used") {
			t.Errorf("%s: %v", id, err)
		}
		if page := read(t, filepath.Join(back.Dir, "report.html")); fails != strings.Contains(page, "Seen, but not usable</h3>") && fails != strings.Contains(page, "UNUSABLE") {
			t.Errorf("%s: the report doesn't show what was seen as unusable", id)
		}
	}
	o := dyno(t, home, "report", spoilt, "--markdown")
	o.want(t, 0, o.stdout, "No conclusion: 6 trials left out", "Another program was busy (6 trials)")
}
