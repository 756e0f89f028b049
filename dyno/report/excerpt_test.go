package report

import (
	"strings"
	"testing"
)

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("é", 300)
	for name, c := range map[string]struct{ text, want string }{
		"one line":   {long, long},
		"few":        {"a\nb\nc", "a\nb\nc"},
		"long lines": {"a\n" + long + "\nc", "a\n" + long[:400] + "…\nc"},
		"many":       {"a" + strings.Repeat("\nx", 20) + "\nlast", "a\n  …" + strings.Repeat("\nx", 11) + "\nlast"},
		"as many":    {"a" + strings.Repeat("\nx", 12), "a" + strings.Repeat("\nx", 12)},
		"none":       {"", ""},
	} {
		if got := Excerpt(c.text); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
