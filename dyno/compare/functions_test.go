package compare

import (
	"bytes"
	"strings"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe/pprof"
	"dyno.example/dyno/report"
	"dyno.example/dyno/study"
)

// profiledRun is a run in memory of three starts of s, whose burn takes so many ns of 100
// requests; work takes 1 ms.
func profiledRun(t *testing.T, burn ...int64) *archive.Run {
	t.Helper()
	run := &archive.Run{}
	run.Manifest.Plan.Cells = []study.Cell{{Subject: "s", Load: "l"}}
	for i, ns := range burn {
		one := archive.Trial{PlannedTrial: study.PlannedTrial{Index: i}, Status: archive.Complete, Validity: finding.Valid}
		one.Windows = []archive.Window{{Client: measure.Window{Completed: 100}, Level: finding.Valid}}
		p := &pprof.Profile{Types: []pprof.Type{pprof.Samples, pprof.CPU}, Samples: []pprof.Sample{
			{Stack: []string{"burn", "main"}, Values: []int64{1, ns}}, {Stack: []string{"work", "main"}, Values: []int64{1, 1e6 + int64(i)}},
		}}
		var b bytes.Buffer
		if err := p.Write(&b); err != nil {
			t.Fatal(err)
		}
		one.Keep(archive.CPUProfile, b.Bytes(), nil, nil)
		run.Trials = append(run.Trials, one)
	}
	return run
}

// The function that costs more is named, next to its noise, and no other.
func TestFunctions(t *testing.T) {
	texts, err := report.TextsIn("en")
	if err != nil {
		t.Fatal(err)
	}
	c := &Comparison{}
	if err := c.AddFunctions(profiledRun(t, 5e6, 5.1e6, 4.9e6), profiledRun(t, 9e6, 9.1e6, 9.2e6)); err != nil {
		t.Fatal(err)
	}
	if len(c.Functions) != 1 || len(c.Functions[0].Rows) != 2 {
		t.Fatalf("%+v", c.Functions)
	}
	burn := c.Functions[0].Rows[0]
	if burn.Function != "burn" || burn.Old != 50 || burn.New != 91 || burn.Noise < 1 || burn.Noise > 10 {
		t.Errorf("%+v", burn)
	}
	var text, markdown strings.Builder
	c.functionsText(&text, texts, 0)
	c.functionsMarkdown(&markdown, texts)
	for _, out := range []string{text.String(), markdown.String()} {
		if strings.Count(out, "more") != 2 || !strings.Contains(out, "burn") || !strings.Contains(out, "50.0 µs") || !strings.Contains(out, "91.0 µs") || !strings.Contains(out, "±") {
			t.Errorf("%s", out)
		}
	}
	none := &Comparison{}
	if err := none.AddFunctions(profiledRun(t, 5e6), &archive.Run{}); err != nil || none.Functions != nil {
		t.Errorf("%+v, %v", none.Functions, err)
	}
	var empty strings.Builder
	if none.functionsText(&empty, texts, 0); empty.Len() > 0 {
		t.Errorf("%q", empty.String())
	}
}
