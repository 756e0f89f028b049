package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/evidence"
	"dyno.example/dyno/explain"
	"dyno.example/dyno/stats"
	"dyno.example/internal/i18n"
)

// explainedTails is a report whose first explanation rests on requests, whose second on
// seconds, and whose third found nothing.
func explainedTails() *analysis.Analysis {
	a := eight().make()
	half := stats.Interval{N: 9, Estimate: 0.6, Low: 0.5, High: 0.7, Level: 0.95}
	e := explain.Explanation{
		Subject: "go/<b>", Load: "saturate", Levels: map[string]string{"connections": "64"}, Source: explain.Requests,
		Tail:         explain.Tail{Percentile: 99, Threshold: 9e6, Ordinary: 1e6, Excess: 20e6},
		Causes:       []explain.Cause{{Name: explain.Disk, Share: 0.6, Interval: half, Lift: 150, Requests: 30, Evidence: []i18n.Message{i18n.Verbatim("in fdatasync")}}},
		Budget:       []explain.Part{{Stage: evidence.OnCPU, Ordinary: 1e6, Slow: 2e6}, {Stage: evidence.Disk, Slow: 19e6}},
		ServerTiming: []explain.ServerTiming{{Name: "upstream", Text: "10.0.0.4:9000", Ordinary: 0.25e6, Slow: 18e6, Requests: 60}},
		Sampled:      explain.Sampled{Slow: 60, Ordinary: 180, Units: explain.Stretches, Groups: 9}, Unexplained: 0.4,
		Profiles: []string{"trials/0000/cpu-slow.pb.gz", "trials/0000/off-cpu-slow.pb.gz", "trials/0004/off-cpu-slow.pb.gz", "trials/0008/off-cpu-slow.pb.gz", "trials/0012/off-cpu-slow.pb.gz"},
		Beside:   []explain.Strip{{Name: explain.Steal, Trial: 0, Values: []float64{0, 1, 2, 0, 4, 0, 0, 0, 3, 0}}},
	}
	for i := range 60 {
		took := float64(30-i/3) * 1e6
		e.Slowest = append(e.Slowest, explain.Slow{
			Window: i % 10, At: float64(i%10) + float64(i%7)/200, Took: took, Sequence: uint32(i), Of: fmt.Sprintf("127.0.0.1:%d", 40000+i%16),
			Intervals: []evidence.Interval{{Stage: evidence.OnCPU, To: 2e6}, {Stage: evidence.Disk, From: 2e6, To: int64(took), Reason: "fdatasync"}},
		})
	}
	weaker := explain.Explanation{
		Subject: "node", Load: "saturate", Source: explain.Seconds, Tail: e.Tail, Sampled: explain.Sampled{Seconds: 40, Units: explain.Restarts, Groups: 5},
		Causes: []explain.Cause{{Name: explain.Throttled, Share: 1, Interval: stats.Interval{N: 2, Estimate: 1, Low: 1, High: 1}, Lift: 3, Requests: 9, Confounded: []explain.Name{explain.CPUWait}}},
	}
	nothing := explain.Explanation{Subject: "rust", Load: "saturate", Source: explain.Seconds, Unexplained: 1}
	a.Explained = []explain.Explanation{e, weaker, nothing, {Subject: "little", Source: explain.Nothing, Unexplained: 1}}
	return a
}

func TestExplainedInTheTerminal(t *testing.T) {
	var out bytes.Buffer
	if err := Explained(&out, explainedTails().Explained, "en", 80, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"go/<b> · saturate, connections=64", "The slowest 1 % took 9.00 ms or more, half of all 1.00 ms or less.", "disk          60 %   50–70 %  > 100×",
		"unexplained   40 %", "- in fdatasync", "slow seconds", "can't be told apart here from: cpu-wait", "no cause found", "over 9 stretches of time", "over 5 restarts",
		"There is too little to say anything", "the service said (Server-Timing)",
		"upstream 10.0.0.4:9000 ", "+17.8 ms",
		"trials/0000/off-cpu-slow.pb.gz, ", "trials/0008/off-cpu-slow.pb.gz, and 1 more. dyno profile adds up",
	} {
		if !strings.Contains(strings.ReplaceAll(out.String(), "\n", " "), want) && !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	for line := range strings.Lines(out.String()) {
		if len([]rune(line)) > 82 {
			t.Errorf("a line is too long: %s", line)
		}
	}
}

func TestExplainedAsJSON(t *testing.T) {
	var out bytes.Buffer
	if err := ExplainedJSON(&out, explainedTails().Explained); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(&out)
	objects := 0
	for d.More() {
		var one map[string]any
		if err := d.Decode(&one); err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"causes", "budget", "unexplained", "sampled", "probe_cost"} {
			if _, ok := one[field]; !ok {
				t.Errorf("object %d lacks %s", objects, field)
			}
		}
		if _, ok := one["slowest"]; ok {
			t.Error("what is only drawn is in the JSON")
		}
		objects++
	}
	if objects != 4 {
		t.Errorf("%d objects", objects)
	}
}

// The stages of a budget add up; what takes next to nothing is one row.
func TestExplainedBudget(t *testing.T) {
	got := explainedBudget([]explain.Part{
		{Stage: evidence.OnCPU, Ordinary: 1e6, Slow: 2e6}, {Stage: evidence.Disk, Slow: 8e6},
		{Stage: evidence.Poll, Ordinary: 40, Slow: 3e3}, {Stage: evidence.Lock, Ordinary: 5e3, Slow: 2e3},
	}, English().c)
	want := []explainedPart{
		{"on-cpu", quantity("µs", 1000), quantity("µs", 2000), signedMicros(1e6)}, {"disk", quantity("µs", 0), quantity("µs", 8000), signedMicros(8e6)},
		{"other stages", quantity("µs", 5.04), quantity("µs", 5), signedMicros(-40)}, {"together", quantity("µs", 1005.04), quantity("µs", 10005), signedMicros(8999960)},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// The picture has each slow request, in its parts, and nothing outside of its frame.
func TestPictureOfATail(t *testing.T) {
	a := explainedTails()
	p := newPicture(&a.Explained[0], English().c)
	if p.Count != 60 || len(p.Bars) != 120 || len(p.Lanes) == 0 || len(p.Sum) != 2 || len(p.Times) != 60 || len(p.Strips) != 1 || len(p.Legend) != 2 {
		t.Errorf("%d bars, %d lanes, %d sums, %d times, %d strips, legend %v", len(p.Bars), len(p.Lanes), len(p.Sum), len(p.Times), len(p.Strips), p.Legend)
	}
	var all []box
	for _, l := range p.Lanes {
		all = append(all, l.Boxes...)
	}
	for _, b := range append(append(all, p.Bars...), p.Times...) {
		if b.X < 0 || b.Y < 0 || b.X+b.W > pictureWide+1 || b.Y+b.H > pictureHigh+1 {
			t.Errorf("%+v is outside", b)
		}
	}
	if newPicture(&a.Explained[1], English().c) != nil {
		t.Error("seconds have a picture of requests")
	}
}

// Every stage has a colour.
func TestStagesHaveColours(t *testing.T) {
	css, err := os.ReadFile(filepath.Join("assets", "report.css"))
	if err != nil {
		t.Fatal(err)
	}
	plain := map[evidence.Stage]bool{evidence.Sleep: true, evidence.Blocked: true} // in the usual one
	for _, stage := range evidence.Stages() {
		if has := strings.Contains(string(css), ".st-"+string(stage)+" ") || strings.Contains(string(css), ".st-"+string(stage)+","); has == plain[stage] {
			t.Errorf("%s: colour %v", stage, has)
		}
	}
}

func TestTailOnThePage(t *testing.T) {
	tb := openReport(t, browser(t), explainedTails(), "en", desktop)
	bars := eval[int](tb, `document.querySelectorAll('#tail .tailslow rect').length`)
	high := eval[float64](tb, `document.querySelector('#tail .tailslow').getBoundingClientRect().height`)
	if bars != 120 || high < 50 {
		t.Errorf("%d parts of bars, %g high", bars, high)
	}
	tb.clean()
}
