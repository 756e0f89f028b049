//go:build linux

package main

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/claim"
	"dyno.example/dyno/scripted"
)

func TestCasesHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range allCases() {
		if seen[c.Name] || c.Injected == "" || c.Examine == nil || !slices.Contains(groups(), c.group()) {
			t.Errorf("case %q: there twice, or without what is injected", c.Name)
		}
		seen[c.Name] = true
	}
	if len(seen) < 60 {
		t.Errorf("%d cases", len(seen))
	}
}

// TestFalseStatementsAreCaught: the judges are held to lies.
func TestFalseStatementsAreCaught(t *testing.T) {
	const ms = 1e3 // µs
	figure := func(us float64) map[string]*float64 {
		return map[string]*float64{"p50": &us, "p90": &us, "p99": &us, "p99.9": &us, "max": &us}
	}
	window := func(validity string, us float64) (r loadReport) {
		r.Validity = "suspect"
		r.Findings = []finding{{Name: "generator-stalled"}}
		r.Latency = map[string]map[string]*float64{"response": figure(1 * ms)}
		r.Windows = append(r.Windows, struct {
			Second   int                 `json:"second"`
			Offered  uint64              `json:"offered"`
			Requests uint64              `json:"requests"`
			Validity string              `json:"validity"`
			Response map[string]*float64 `json:"response_us"`
			Findings []finding           `json:"findings"`
		}{Second: 1, Validity: validity, Response: figure(us)})
		return r
	}
	stopOf := stopped{engine: "epoll", rate: 500, stops: []stop{{time.Second, time.Second}}}
	record := &scripted.Record{Arrival: []int64{0}, Response: []int64{2e6}}
	for _, c := range []struct {
		name string
		say  func(e *Examined)
		want Truth
	}{
		{"a window with the stop in it", func(e *Examined) { r := window("valid", 900*ms); stopOf.judge(&r, e, slowestOf(record)) }, False},
		{"one that is left out", func(e *Examined) { r := window("invalid", 900*ms); stopOf.judge(&r, e, slowestOf(record)) }, True},
		{"a figure that is right", func(e *Examined) {
			r := window("valid", 1*ms)
			r.Latency["response"] = figure(500 * ms)
			e.hold(&r, "response", "p99", 500*time.Millisecond)
		}, True},
		{"one that is off", func(e *Examined) {
			r := window("valid", 1*ms)
			e.hold(&r, "response", "p99", 500*time.Millisecond)
		}, False},
		{"a bound that proves too little", func(e *Examined) {
			r := window("valid", 1*ms)
			r.AtLeast = map[string][]string{"response": {"p99"}}
			e.holdAtLeast(&r, "response", "p99", 3*time.Second)
		}, False},
		{"a bound above the truth", func(e *Examined) {
			r := window("valid", 1*ms)
			r.Latency["response"] = figure(900 * ms)
			r.AtLeast = map[string][]string{"response": {"p99"}}
			e.hold(&r, "response", "p99", 500*time.Millisecond)
		}, False},
		{"a claim that is wrong", func(e *Examined) {
			e.notAnyOf(&studyReport{Claims: verdictOn("c", "confirmed, at least")}, "c", "no effect", "confirmed")
		}, False},
		{"one that can't be told", func(e *Examined) {
			e.notAnyOf(&studyReport{Claims: verdictOn("c", "undecided")}, "c", "no effect", "confirmed")
		}, Silent},
	} {
		var e Examined
		c.say(&e)
		e.judge()
		if e.Truth != c.want {
			t.Errorf("%s: %s, want %s: %+v", c.name, e.Truth, c.want, e.Statements)
		}
	}
}

func verdictOn(id, verdict string) []struct {
	ID      string `json:"id"`
	Verdict string `json:"verdict"`
} {
	return []struct {
		ID      string `json:"id"`
		Verdict string `json:"verdict"`
	}{{id, verdict}}
}

// TestDisturbedIsSilence: that a machine was disturbed is no reason for what failed, and
// no lie either; a wrong reason is, wherever something was measured.
func TestDisturbedIsSilence(t *testing.T) {
	for _, c := range []struct {
		validity string
		right    bool
		want     Truth
	}{{"invalid", false, Silent}, {"INVALID", false, Silent}, {"invalid", true, True}, {"valid", false, False}, {"suspect", false, False}, {"", false, False}} {
		var e Examined
		(&found{Validity: c.validity}).why(&e, "why", c.right, "said", "so")
		if e.judge(); e.Truth != c.want {
			t.Errorf("%+v: %s", c, e.Truth)
		}
	}
}

// TestVerdictJudgeCatches: a rate above what is allowed is a false statement.
func TestVerdictJudgeCatches(t *testing.T) {
	j := judged{name: "lies", claim: claim.Claim{ID: "c", Expressions: []string{"throughput[a] / throughput[b] >= 1.5"}}, blocks: 6, noise: 0.02, ratio: 2, falsehoods: []claim.Verdict{claim.Confirmed}, rate: 0.05}
	var e Examined
	if err := j.examine(context.Background(), nil, &e); err != nil {
		t.Fatal(err)
	}
	if e.judge(); e.Truth != False {
		t.Errorf("what is confirmed nearly always is %s", e.Truth)
	}
}

func TestServiceKeepsItsShares(t *testing.T) {
	f := faults{Fail: 0.15, Hang: 0.04, SlowShare: 0.1}
	s := &service{faults: f}
	const n = 100_000
	count := map[string]int{}
	for k := range n {
		fate, _ := s.draw(k)
		count[fate]++
	}
	for fate, share := range map[string]float64{"fail": 0.15, "hang": 0.04, "slow": 0.1, "ok": 0.71} {
		if got := float64(count[fate]) / n; got < share-0.01 || got > share+0.01 {
			t.Errorf("%s: %.3f, want %.2f", fate, got, share)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string // in the error; "" for none
	}{
		{[]string{"-what", "stops,verdicts"}, ""},
		{[]string{"-what", "stopps"}, "none of all, stops"},
		{[]string{"-case", "("}, "-case"},
	} {
		o, err := parseOptions(c.args)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c.args, err)
		}
		if err == nil && len(o.chosen()) < 30 {
			t.Errorf("%v: %d cases", c.args, len(o.chosen()))
		}
	}
}

func TestRepeatable(t *testing.T) {
	for given, want := range map[string]string{
		"-what explain -out /somewhere -name x": "-what explain -name x", "--out=/somewhere -runs 2": "-runs 2", "-runs 2 -out": "-runs 2", "out -case out": "out -case out",
	} {
		if got := strings.Join(repeatable(strings.Fields(given)), " "); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}
