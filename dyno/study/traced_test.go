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
