//go:build linux

package gateway_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dyno.example/nanogate/docs"
)

// Metrics have the types and labels that the documentation says.
func TestDocumentedMetrics(t *testing.T) {
	text := metricsAs(t, measured(t), "text/plain")
	types, documented := map[string]string{}, map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\| (.*?) ?\\| (\\w+) \\|").FindAllStringSubmatch(docs.Page("metrics.md"), -1) {
		documented[row[1]], types[row[1]] = row[2], row[3]
	}
	for _, line := range regexp.MustCompile(`(?m)^# TYPE (\S+) (\S+)$`).FindAllStringSubmatch(text, -1) {
		if types[line[1]] != line[2] {
			t.Errorf("%s is a %s, the documentation says %q", line[1], line[2], types[line[1]])
		}
	}
	labelled := 0
	label := regexp.MustCompile(`([a-z]+)="(?:[^"\\]|\\.)*"`)
	for _, line := range regexp.MustCompile(`(?m)^([a-z0-9_]+)(\{.*\})? \S+$`).FindAllStringSubmatch(text, -1) {
		name, found := line[1], map[string]bool{}
		for _, one := range label.FindAllStringSubmatch(line[2], -1) {
			found[one[1]] = true
		}
		if _, ok := types[name]; !ok { // a part of a histogram or a summary
			name = regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		}
		delete(found, "le")
		want := documented[name]
		if first, rest, either := strings.Cut(want, " or "); either { // "route or upstream, limit"
			if !found[first] {
				first, _, _ = strings.Cut(rest, ",")
			}
			_, others, _ := strings.Cut(rest, ",")
			want = strings.TrimSuffix(first+","+others, ",")
		}
		expected := map[string]bool{}
		for one := range strings.SplitSeq(want, ",") {
			if one = strings.TrimSpace(one); one != "" {
				expected[one] = true
			}
		}
		if len(found) > 0 {
			labelled++
		}
		if !maps.Equal(found, expected) {
			t.Errorf("%s: labels %v, the documentation says %q", line[0], slices.Sorted(maps.Keys(found)), documented[name])
		}
	}
	if labelled < 20 {
		t.Errorf("only %d series with labels were looked at", labelled)
	}
}
