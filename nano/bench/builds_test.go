//go:build linux

package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/bench/rounds"
)

// Every level of the builds has this program twice beside the other one.
func TestBuildsArms(t *testing.T) {
	l := &lab{Lab: rounds.Lab{Dir: t.TempDir(), Self: "/bin/true"}}
	l.Options, l.Certificate = &rounds.Options{Slice: time.Millisecond}, filepath.Join(l.Dir, "certificate.pem")
	r := &rounds.Record{Versions: make(map[string]string), Settings: rounds.Settings{Seconds: 1}}
	if _, err := l.buildsArms(t.Context(), r); err == nil || !strings.Contains(err.Error(), "-other FILE") {
		t.Errorf("without another build: %v", err)
	}
	l.other = filepath.Join(l.Dir, "none")
	if _, err := l.buildsArms(t.Context(), r); err == nil || !strings.Contains(err.Error(), "-other") {
		t.Errorf("with one that isn't there: %v", err)
	}
	if err := rounds.WriteCertificate(l.Certificate); err != nil {
		t.Fatal(err)
	}
	l.other = "/bin/false"
	arms, err := l.buildsArms(t.Context(), r)
	if err != nil || len(arms) != 7 {
		t.Fatalf("%d arms, %v", len(arms), err)
	}
	for _, a := range arms {
		if got := fmt.Sprint(a.Tools); strings.Contains(a.Level, "TLS") != (got == "[nano/tls tls/again tls/other]") {
			t.Errorf("%s: %s", a.Level, got)
		}
	}
}

// An archived record of builds that had a trial each is shown as one of builds that took
// turns.
func TestShowArchivedBuilds(t *testing.T) {
	found, err := filepath.Glob("results/*-builds.json.gz")
	if err != nil || len(found) == 0 {
		t.Fatalf("no records: %v", err)
	}
	l := &lab{}
	for _, file := range found {
		o := rounds.Options{Show: file, Disturbed: true}
		var out bytes.Buffer
		if err := o.ShowFile(&out, nanoName, l.campaigns()); err != nil || !strings.Contains(out.String(), "nano/own / nano/other = ") {
			t.Errorf("%s: %v\n%s", file, err, out.String())
		}
	}
}
