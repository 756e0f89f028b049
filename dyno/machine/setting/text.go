package setting

import (
	"fmt"
	"io"
	"strings"
)

// Describe writes rows for people: how good each value is, what speaks against
// it, and what can't be seen. The error is that of w.
func Describe(w io.Writer, rows []Row) error {
	var b strings.Builder
	count := make(map[Level]int)
	for _, r := range rows {
		count[r.Level]++
		if r.Level == Unknown {
			continue
		}
		fmt.Fprintf(&b, "  %-5s %-16s %s\n", r.Level, r.Title, r.Value)
		if r.Note != "" {
			fmt.Fprintf(&b, "        %-16s %s\n", "", r.Note)
		}
		if len(r.Changes) > 0 {
			fmt.Fprintf(&b, "        %-16s dyno machine tune --profile %s sets it to %s\n", "", r.Profile, r.Changes[0].New)
		}
	}
	if count[Unknown] > 0 {
		b.WriteString("\nWhat can't be seen here:\n")
	}
	for _, r := range rows {
		if r.Level == Unknown {
			fmt.Fprintf(&b, "  %-16s %s\n", r.Title, r.Note)
		}
	}
	fmt.Fprintf(&b, "\n%d settings: %d good, %d to mind, %d bad, %d unknown.\n", len(rows), count[Good], count[Mind], count[Bad], count[Unknown])
	_, err := io.WriteString(w, b.String())
	return err
}
