//go:build linux

package command

import "testing"

func TestFit(t *testing.T) {
	for _, c := range []struct {
		page          string
		width, height int
		want          string
	}{
		{"abc\nde\n", 3, 5, "abc\nde\n"}, {"abcd\nde\n", 3, 5, "ab…\nde\n"}, {"a\nb\nc\n", 9, 3, "a\nb\n"}, {"äöüß\n", 3, 2, "äö…\n"}, {"a\nb\n", 0, 0, "…\n"},
	} {
		if got := string(fit([]byte(c.page), c.width, c.height)); got != c.want {
			t.Errorf("%q in %d × %d: %q, want %q", c.page, c.width, c.height, got, c.want)
		}
	}
}
