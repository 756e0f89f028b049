package report

import "strings"

// mostQuoted and longestQuoted are how many lines of a program are quoted with what went wrong, and how many runes of each.
const mostQuoted, longestQuoted = 12, 200

// Excerpt is a text, such as an error with the last lines that a program printed below it, with the last of these lines
// only and the beginning of each. All of them are in the trial's own record, and what it printed in its log.
func Excerpt(text string) string {
	lines := strings.Split(text, "\n")
	said, quoted := lines[:1], lines[1:]
	if n := len(quoted) - mostQuoted; n > 0 {
		said, quoted = append(said[:1:1], "  …"), quoted[n:]
	}
	for i, line := range quoted {
		if runes := []rune(line); len(runes) > longestQuoted {
			quoted[i] = string(runes[:longestQuoted]) + "…"
		}
	}
	return strings.Join(append(said, quoted...), "\n")
}
