//go:build linux

package storm

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Report is what came of a run.
type Report struct {
	Seed       uint64
	Requests   int
	Counts     map[string]int      // by client and status, and what was done
	Violations map[string]int      // by kind
	Shown      map[string][]string // the first of each kind
}

func (s *Storm) report() *Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Report{s.options.Seed, len(s.requests), maps.Clone(s.counts), maps.Clone(s.kinds), maps.Clone(s.shown)}
}

// Failed is whether anything doesn't hold.
func (r *Report) Failed() bool { return len(r.Violations) > 0 }

// WriteTo writes it for people.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d requests", r.Seed, r.Requests)
	if !r.Failed() {
		b.WriteString(", all as it should be\n")
	} else {
		b.WriteString("; violations:\n")
	}
	for _, kind := range slices.Sorted(maps.Keys(r.Violations)) {
		fmt.Fprintf(&b, "  %s: %d\n", kind, r.Violations[kind])
		for _, one := range r.Shown[kind] {
			fmt.Fprintf(&b, "    - %s\n", one)
		}
	}
	var counts []string
	for _, name := range slices.Sorted(maps.Keys(r.Counts)) {
		counts = append(counts, fmt.Sprintf("%s: %d", name, r.Counts[name]))
	}
	fmt.Fprintf(&b, "  counted: %s\n", strings.Join(counts, ", "))
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}
