package visible

import (
	"fmt"
	"strings"
	"testing"
)

func TestWriter(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nc":             "a\tb\nc",
		"größer 世界 …":         "größer 世界 …",
		"\x1b]0;x\a\x1b[31m":  `\x1b]0;x\a\x1b[31m`,
		"right\rwrong\b":      `right\rwrong\b`,
		"\x00\x7f":            `\x00\x7f`,
		"\u009b31m":           `\u009b31m`,
		"\x9b31m\xff":         `\x9b31m\xff`,
		"a\u202eb\u2066":      `a\u202eb\u2066`,
		`what is quoted \x1b`: `what is quoted \x1b`,
	} {
		var b strings.Builder
		if n, err := fmt.Fprint(Writer{&b}, text); b.String() != want || n != len(text) || err != nil {
			t.Errorf("%q: %q, want %q (%d, %v)", text, b.String(), want, n, err)
		}
	}
}
