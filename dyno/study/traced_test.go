package study

import (
	"strings"
	"testing"
)

// A claim about traced requests takes a study that traces some.
func TestClaimsOfTracedRequests(t *testing.T) {
	const src = "study: s\nsubjects: [{name: a, run: ./a}]\nblocks: 6\n%claims: [{id: c, holds: \"explained.dns[a] > 50%\"}, {id: d, holds: \"wait.max[a] < 50ms\"}]\n"
	if _, err := Parse("s.yaml", []byte(strings.Replace(src, "%", "explain: true\n", 1)), nil); err != nil {
		t.Error(err)
	}
	_, err := Parse("s.yaml", []byte(strings.Replace(src, "%", "", 1)), nil)
	if err == nil || strings.Count(err.Error(), "takes evidence of requests, which the study doesn't collect (add: explain: true)") != 2 || !strings.Contains(err.Error(), "s.yaml:4:") {
		t.Errorf("without evidence: %v", err)
	}
}

// Only the longest of something takes probes that are always on.
func TestTracesAll(t *testing.T) {
	for holds, want := range map[string]bool{"explained.dns[a] > 50%": false, "cpu[a] < 50ms": false, "wait.max[a] < 50ms": true} {
		s, err := Parse("s.yaml", []byte("study: s\nsubjects: [{name: a, run: ./a}]\nblocks: 6\nexplain: true\nclaims: [{id: c, holds: \""+holds+"\"}]\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.TracesAll(); got != want {
			t.Errorf("%s: %t", holds, got)
		}
	}
}
