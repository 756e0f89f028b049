package main

import (
	"os"
	"regexp"
	"testing"
)

// TestUpOwnFramework builds the subjects of this repository's framework from
// what is packed into dyno, and holds them to every route.
func TestUpOwnFramework(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds subjects")
	}
	home := t.TempDir()
	up := regexp.MustCompile(`is up on http://\S+`)
	for _, name := range []string{"go/nano", "go/nano-mounted"} {
		s := start(t, home, "up", name)
		s.comesTo(t, name, func() bool { return up.MatchString(s.stdout.String()) })
		s.signal(t, os.Interrupt)
		o := s.wait(t)
		o.want(t, 130, o.stdout, "Ctrl-C stops it", "/users/42/profile", "201")
	}
}
