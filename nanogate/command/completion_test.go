//go:build linux

package command

import (
	"strings"
	"testing"
)

// What the completion scripts ask for is there.
func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if out, errs, code := output(t, "completion", shell); code != 0 || !strings.Contains(out, "nanogate") {
			t.Errorf("%s: %d %s", shell, code, errs)
		}
	}
	for _, c := range []struct {
		words []string
		part  string
	}{
		{[]string{""}, "rollback"}, {[]string{"run", "--"}, "--listen"}, {[]string{"check", ""}, ":8"}, {[]string{"run", "-c", ""}, "yaml"}, {[]string{"apply", "--admin", ""}, "127.0.0.1:9901"},
	} {
		if out, errs, code := output(t, append([]string{"__complete"}, c.words...)...); code != 0 || !strings.Contains(out, c.part) {
			t.Errorf("%q: %d %q %s", c.words, code, out, errs)
		}
	}
}
