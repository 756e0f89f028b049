package study

import (
	"strings"
	"testing"
)

// What a plan tells of a claim before anything was measured.
func TestForesee(t *testing.T) {
	const plan = `study: s
subjects: [go/gin]
requests: [{name: a, get: /a}]
factors: {connections: [1000, 5000]}
loads:
  - {name: open, open: {rate: 60}}
  - {name: users, closed: {think: 80ms}}
  - {name: full, closed: {}}
trial: {warmup: 1s, duration: 2s}
quick: {trial: {duration: 1s}}
claims:
  - id: c
    expressions: [@]
`
	at := func(load, connections string) string { return "[load=" + load + ", connections=" + connections + "]" }
	for name, c := range map[string]struct {
		holds string
		want  []string
	}{
		"enough requests": {"response.p90" + at("open", "1000") + " < 5ms", []string{
			"in the quick form, claim c is unmeasurable: response.p90[load=open, connections=1000] < 5ms: response.p90[load=open, connections=1000] asks for about 60 requests a trial, of which fewer than 10 take longer than the p90: it takes 100"}},
		"too few, in both forms": {"response.p99" + at("open", "1000") + " < 5ms", []string{"claim c is unmeasurable: response.p99[load=open, connections=1000] < 5ms: response.p99[load=open, connections=1000] asks for about 120 requests a trial, of which fewer than 10 take longer than the p99: it takes 1000"}},
		"a server alone decides": {"response.p99" + at("full", "1000") + " < 5ms and throughput" + at("full", "1000") + " > 1000000", nil},
		"more than is asked for": {"throughput" + at("open", "1000") + " >= 2 * 60", []string{": it can't hold, whatever the subject does: throughput[load=open, connections=1000] is at most about"}},
		"no more than is asked for": {"throughput" + at("open", "1000") + " < 800", []string{
			"< 800: it can't but hold, whatever the subject does: throughput[load=open"}},
		"what is asked for":             {"throughput" + at("open", "1000") + " >= 58", nil},
		"of two subjects' CPU or times": {"cpu" + at("open", "1000") + " < cpu" + at("open", "5000"), nil},
		"growth beyond": {"throughput" + at("users", "5000") + " / throughput" + at("users", "1000") + " >= 3.944", []string{
			"connections=1000] >= 3.944: it takes a subject that serves 51272 requests/s: at the lower level the load asks for 13000, and one that is full there can't grow"}},
		"said by hand": {"throughput" + at("open", "1000") + " >= 800 unmeasurable", []string{">= 800: No such rate"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(plan, "@", `"`+c.holds+`"`, 1)
			if strings.Contains(c.holds, "unmeasurable") {
				text = strings.Replace(text, "  - id: c\n", "  - id: c\n    unmeasurable: No such rate.\n", 1)
			}
			var got []string
			for _, f := range parse(t, text).Foresee() {
				if f.Quick && len(c.want) > 0 && !strings.HasPrefix(c.want[0], "in the quick") {
					continue // whose figures differ
				}
				got = append(got, f.Message().String())
			}
			if len(got) != len(c.want) {
				t.Fatalf("%d lines: %q", len(got), got)
			}
			for i := range got {
				if !strings.Contains(got[i], c.want[i]) {
					t.Errorf("got %q, want %q", got[i], c.want[i])
				}
			}
		})
	}
}
