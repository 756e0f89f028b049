//go:build linux

package main

import (
	"strings"
	"testing"

	"dyno.example/dyno/bench/rounds"
)

// The file of the gateway that does all is one that nanogate takes: every campaign's path
// has a route in it, and the token passes.
func TestFull(t *testing.T) {
	l := &lab{Lab: rounds.Lab{Dir: t.TempDir()}}
	l.Options = &rounds.Options{}
	token, err := l.credentials()
	if err != nil || strings.Count(token, ".") != 2 {
		t.Fatalf("%q, %v", token, err)
	}
	text := fullFile(l.Dir, "127.0.0.1:0", "127.0.0.1:1")
	if n := strings.Count(text, "- {match:"); n != fullRoutes || !strings.Contains(text, `path: "/r500/*"`) {
		t.Errorf("%d routes", n)
	}
	for _, c := range campaigns() {
		if c.path == "" {
			continue // it has a load of its own
		}
		if len(c.gateways) < 3 {
			t.Errorf("%s: %d gateways are compared", c.name, len(c.gateways))
		}
		if args := strings.Join(l.generator(&c, "h:1").Command(1), " "); !strings.Contains(args, "http://h:1"+c.path) || strings.Contains(args, "--rate") != (c.rate > 0) {
			t.Errorf("%s: %s", c.name, args)
		}
	}
}
