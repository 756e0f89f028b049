package setting

import (
	"fmt"
	"io"
	"strings"

	"dyno.example/dyno/internal/columns"
	"dyno.example/internal/i18n"
)

// Describe writes rows for people: how good each value is, what speaks against
// it, and what can't be seen. The error is that of w.
func Describe(w io.Writer, rows []Row, say i18n.Say) error {
	var b strings.Builder
	count := make(map[Level]int)
	for _, r := range rows {
		count[r.Level]++
		if r.Level == Unknown {
			continue
		}
		fmt.Fprintf(&b, "  %s %s %s\n", columns.Left(say(r.Level.Message()), 5), columns.Left(say(r.Title), 16), say(r.Value))
		if !r.Note.IsZero() {
			fmt.Fprintf(&b, "        %-16s %s\n", "", say(r.Note))
		}
		if len(r.Changes) > 0 {
			fmt.Fprintf(&b, "        %-16s %s\n", "", say(i18n.New("setting.tune-sets", "dyno machine tune --profile %s sets it to %s", r.Profile, r.Changes[0].New)))
		}
	}
	if count[Unknown] > 0 {
		fmt.Fprintf(&b, "\n%s\n", say(i18n.New("setting.unseen-head", "What can't be seen here:")))
	}
	for _, r := range rows {
		if r.Level == Unknown {
			fmt.Fprintf(&b, "  %s %s\n", columns.Left(say(r.Title), 16), say(r.Note))
		}
	}
	fmt.Fprintf(&b, "\n%s\n", say(i18n.New("setting.count", "%d settings: %d good, %d to mind, %d bad, %d unknown.", len(rows), count[Good], count[Mind], count[Bad], count[Unknown])))
	_, err := io.WriteString(w, b.String())
	return err
}
