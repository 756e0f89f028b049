package study

import (
	"slices"
	"strings"
	"testing"
)

func TestWithout(t *testing.T) {
	s := parse(t, `study: s
subjects: [go/gin, go/nethttp, go/chi]
reference: go/nethttp
requests: [{name: r, get: /}]
loads: [{name: l, closed: {connections: 1}}]
claims:
  - {id: a, says: a, expressions: ["cpu[go/gin] < cpu[go/chi]"]}
  - {id: b, says: b, expressions: ["cpu[go/gin] < cpu[go/nethttp]", "cpu[go/chi] > 0us"]}
`)
	tests := []struct {
		names     []string
		subjects  []string
		reference string
		claims    int
		wrong     string
	}{
		{nil, []string{"go/gin", "go/nethttp", "go/chi"}, "go/nethttp", 2, ""},
		{[]string{"go/nethttp"}, []string{"go/gin", "go/chi"}, "go/gin", 1, ""},
		{[]string{"go/chi"}, []string{"go/gin", "go/nethttp"}, "go/nethttp", 0, ""},
		{[]string{"go/gin", "go/nethttp", "go/chi"}, nil, "", 0, "no subject left"},
		{[]string{"go/ch"}, nil, "", 0, `no subject "go/ch"`},
	}
	for _, tt := range tests {
		fewer, err := s.Without(tt.names...)
		if tt.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), tt.wrong) {
				t.Errorf("%q: %v", tt.names, err)
			}
			continue
		}
		if err != nil || !slices.Equal(fewer.subjectNames(), tt.subjects) || fewer.Reference != tt.reference || len(fewer.Claims) != tt.claims {
			t.Errorf("%q: %v, reference %s, %d claims, %v", tt.names, fewer.subjectNames(), fewer.Reference, len(fewer.Claims), err)
		}
	}
	if len(s.Subjects) != 3 || len(s.Claims) != 2 {
		t.Error("the study itself was changed")
	}
}
