package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// forge changes a file of a run, and makes the run's sums again as whoever changes
// it can.
func forge(t *testing.T, run, file string, change func(string) string) {
	t.Helper()
	path := filepath.Join(run, file)
	old := read(t, path)
	forged := change(old)
	if forged == old {
		t.Fatal("nothing was changed")
	}
	sum := func(text string) string {
		h := sha256.Sum256([]byte(text))
		return hex.EncodeToString(h[:])
	}
	sums := filepath.Join(run, "SHA256SUMS")
	before := read(t, sums)
	after := strings.Replace(before, sum(old), sum(forged), 1)
	seal := strings.Replace(read(t, sums+".sha256"), sum(before), sum(after), 1)
	for name, text := range map[string]string{path: forged, sums: after, sums + ".sha256": seal} {
		if err := os.Chmod(name, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A forgery whose sums were made again is found by what it contradicts.
func TestVerifyFindsAForgeryBySums(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dyno(t, home, "run", studyFile(t, home, 1, "good")).want(t, 0, "")
	id := onlyRun(t, home)
	o := dyno(t, home, "verify", id)
	o.want(t, 0, o.stdout, "files are as they were", "break none of the laws")
	completed := regexp.MustCompile(`"completed":([0-9]+)`)
	forge(t, filepath.Join(home, "runs", id), "trials/0000/windows.jsonl", func(text string) string {
		return completed.ReplaceAllStringFunc(text, func(field string) string {
			n, _ := strconv.Atoi(completed.FindStringSubmatch(field)[1])
			return `"completed":` + strconv.Itoa(2*n+1000)
		})
	})
	o = dyno(t, home, "verify", id)
	o.want(t, 1, o.stdout, "files are as they were", "BROKEN ")
	contains(t, o.stderr, "1 of 1 runs verified are not as they were")
}

// A gate that would hold a run against itself says so, and not that all is well.
func TestGateAgainstItself(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	dyno(t, home, "run", studyFile(t, home, 1, "good")).want(t, 0, "")
	dyno(t, home, "baseline", "set", "main", "latest").want(t, 0, "")
	o := dyno(t, home, "gate", "latest", "--baseline", "main")
	o.want(t, 2, o.stderr, "is what the baseline main was made of: it would be held against itself")
	if strings.Contains(o.stdout, "OK") {
		t.Errorf("it says OK: %s", o.stdout)
	}
}

// A short form that the study doesn't have is said.
func TestQuickWithoutASection(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "run", studyFile(t, home, 1, "good"), "--quick", "--plan")
	o.want(t, 0, o.stderr, "--quick: the study has no section quick:, and no more than 1 blocks: its short form is the study itself")
}

// What a study names beside it is looked for when it is checked.
func TestStudyCheckLooksForPrograms(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for subject, want := range map[string]string{
		"{name: a, run: ./srv, dir: nodir}":                        "s.yaml:2:39: subjects[0].dir: there is no folder \"nodir\"",
		"{name: a, run: ./srv -port $PORT}":                        "s.yaml:2:27: subjects[0].run: there is no program",
		`{name: a, run: "true", env: {A: "{{env DYNO_NOT_SET}}"}}`: "the environment variable DYNO_NOT_SET is not set",
	} {
		text := "study: s\nsubjects: [" + subject + "]\nrequests: [{name: r, get: /}]\nloads: [{name: l, closed: {}}]\n"
		if err := os.WriteFile(filepath.Join(home, "s.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := dyno(t, home, "study", "check", "s.yaml")
		o.want(t, 2, o.stderr, want)
	}
}

// The same of services, wherever dyno is called from.
func TestStudyCheckLooksForWhatServicesName(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "sub", "there.sql"), []byte("SELECT 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	for service, want := range map[string]string{
		"{name: a, run: ./mock}":                              "s.yaml:3:27: services[0].run: there is no program \"sub/mock\"",
		"{name: a, run: ./mock, dir: nodir}":                  "s.yaml:3:40: services[0].dir: there is no folder \"sub/nodir\"",
		"{name: a, compose: c.yaml}":                          "s.yaml:3:31: services[0].compose: there is no \"sub/c.yaml\"",
		"{use: postgres, data: old}":                          "s.yaml:3:34: services[0].data: there is no \"sub/old\"",
		"{use: postgres, seed: [{file: gone.sql}]}":           "s.yaml:3:34: services[0].seed: there is no \"sub/gone.sql\"",
		"{use: postgres, as: URL, seed: [{file: there.sql}]}": "",
	} {
		text := "study: s\nsubjects: [{name: a, run: \"true\"}]\nservices: [" + service + "]\nrequests: [{name: r, get: /}]\nloads: [{name: l, closed: {}}]\n"
		if err := os.WriteFile(filepath.Join(home, "sub", "s.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		o := dyno(t, home, "study", "check", "sub/s.yaml")
		if want == "" {
			o.want(t, 0, o.stdout)
			continue
		}
		o.want(t, 2, o.stderr, want)
	}
}
