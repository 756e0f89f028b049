package analysis

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/claim"
	tracing "dyno.example/dyno/evidence"
	"dyno.example/dyno/explain"
	"dyno.example/dyno/study"
)

// Claims can be about the share of every cause, and of no other.
func TestMetricsOfCauses(t *testing.T) {
	var want, got []string
	for _, name := range explain.Names() {
		want = append(want, explainedName+strings.ReplaceAll(string(name), "-", "_"))
	}
	for _, m := range study.ClaimMetrics() {
		if strings.HasPrefix(m.Name, explainedName) {
			got = append(got, m.Name)
		}
	}
	if slices.Sort(want); !slices.Equal(want, slices.Sorted(slices.Values(got))) {
		t.Errorf("claims can be about %v, causes are %v", got, want)
	}
}

// records are n slow requests that waited for a name server and then for a CPU, and ordinary ones.
func records(n int, dns, cpu time.Duration) (list []tracing.Record) {
	add := func(class tracing.Class, stages map[tracing.Stage]time.Duration) {
		r := tracing.Record{Sequence: uint32(len(list) + 1), Class: class, Weight: 1, Connection: "127.0.0.1:4000", Intended: 1e9, Sent: 1e9}
		at := int64(0)
		for _, stage := range tracing.Stages() {
			if d := int64(stages[stage]); d > 0 {
				r.Intervals = append(r.Intervals, tracing.Interval{Stage: stage, From: at, To: at + d})
				at += d
			}
		}
		r.Done = r.Intended + at
		list = append(list, r)
	}
	for range n {
		add(tracing.Tail, map[tracing.Stage]time.Duration{tracing.OnCPU: time.Millisecond, tracing.DNS: dns, tracing.CPUWait: cpu})
	}
	for range 12 {
		add(tracing.Body, map[tracing.Stage]time.Duration{tracing.OnCPU: time.Millisecond})
	}
	return list
}

// A claim about what slow requests waited for is decided by what was injected in each trial, and
// without evidence it has no figure.
func TestClaimsOfTracedRequests(t *testing.T) {
	run := analysistest.Run(6, "a", "b")
	for i := range run.Trials {
		if trial := &run.Trials[i]; trial.Cell == 0 {
			trial.Evidence = &archive.Evidence{Header: &tracing.Header{Version: tracing.Version}, Records: records(4, 300*time.Millisecond, 100*time.Millisecond)}
		}
	}
	run.Manifest.Claims = []claim.Claim{
		{ID: "named", Expressions: []string{"explained.dns[a] >= 70%", "explained.cpu_wait[a] > 30%", "wait.max[a] >= 99ms", "explained.dns[b] > 1%"}},
	}
	a, err := Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	var got []claim.Verdict
	for _, part := range a.Claims[0].Parts {
		got = append(got, part.Verdict)
	}
	if want := []claim.Verdict{claim.Confirmed, claim.SizeRefuted, claim.Confirmed, claim.Unmeasurable}; !slices.Equal(got, want) {
		t.Errorf("verdicts %v, want %v", got, want)
	}
	for _, c := range a.Groups[0].Cells {
		values, wait := c.Values["explained.dns"], c.Values["wait.max"]
		if c.Subject == "b" {
			if len(values) > 0 || c.Omitted["explained.dns"].String() != "no request was traced" {
				t.Errorf("without evidence: %v, %v", values, c.Omitted["explained.dns"])
			}
			continue
		}
		if len(values) == 0 {
			t.Fatal("no share of a trial")
		}
		for i := range values {
			if !near(values[i], 75) || !near(wait[i], 100_000) {
				t.Errorf("trial %d: %g %% dns, %g µs of waiting, injected 75 %% and 100 ms", i, values[i], wait[i])
			}
		}
	}
}
