//go:build linux

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/bench/rounds"
)

// Every level of the builds has the same program twice beside the other one, and asks for
// what its upstream serves.
func TestBuildsArms(t *testing.T) {
	l := &lab{Lab: rounds.Lab{Dir: t.TempDir()}, nanogate: "/bin/true"}
	l.Options = &rounds.Options{Slice: time.Millisecond}
	for _, s := range []**rounds.Server{&l.upstream, &l.calls, &l.echo} {
		*s = &rounds.Server{Address: "127.0.0.1:1"}
	}
	r := &rounds.Record{Versions: make(map[string]string), Settings: rounds.Settings{Seconds: 1}}
	if _, err := l.buildsArms(t.Context(), r); err == nil || !strings.Contains(err.Error(), "-other FILE") {
		t.Errorf("without another build: %v", err)
	}
	l.other = filepath.Join(l.Dir, "none")
	if _, err := l.buildsArms(t.Context(), r); err == nil || !strings.Contains(err.Error(), "-other") {
		t.Errorf("with one that isn't there: %v", err)
	}
	l.other, l.Certificate = "/bin/false", filepath.Join(l.Dir, "certificate.pem")
	if err := rounds.WriteCertificate(l.Certificate); err != nil {
		t.Fatal(err)
	}
	arms, err := l.buildsArms(t.Context(), r)
	if err != nil || len(arms) != 6 {
		t.Fatalf("%d arms, %v", len(arms), err)
	}
	for _, a := range arms {
		if !slices.Equal(a.Tools, []string{nanogate, twin, other}) || a.Takes < time.Second {
			t.Errorf("%s: %v, %v", a.Level, a.Tools, a.Takes)
		}
	}
	for _, p := range l.buildsLevels(nil, nil) {
		if line := strings.Join(p.command(l, "/bin/false", "h:1"), " "); !strings.HasPrefix(line, "/bin/false run ") || p.load.Connections*p.load.AtOnce < 64 {
			t.Errorf("%s: %s, %+v", p.level, line, p.load)
		}
	}
}
