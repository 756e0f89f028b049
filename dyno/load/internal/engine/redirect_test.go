package engine

import (
	"strings"
	"testing"
)

func TestShownLocation(t *testing.T) {
	for value, want := range map[string]string{
		"/login":                   "/login",
		" http://x/?token=s3cr3t ": "http://x/…",
		"/a\x1b[31m\x00":           `/a\x1b[31m\x00`,
		strings.Repeat("a", 300):   strings.Repeat("a", 200) + "…",
	} {
		if got := shownLocation(value); got != want {
			t.Errorf("%q is shown as %q, want %q", value, got, want)
		}
	}
}
