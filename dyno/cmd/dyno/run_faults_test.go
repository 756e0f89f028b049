package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Faults that are found before anything is measured: the run ends with a clear
// error and leaves nothing in the archive.
func TestSubjectsThatAreRefused(t *testing.T) {
	t.Parallel()
	for mode, why := range map[string][]string{
		"no-start":                        {"subject no-start exited before it was ready (exit status 3)", "no database at db.internal:5432"},
		"status":                          {"subject status", "- 200 to 399", "+ 404 Not Found", "no such thing"},
		"mute":                            {"subject mute", "- a complete response", "nothing more came within"},
		"closes":                          {"subject closes", "the connection was closed"},
		"garbage":                         {"subject garbage", "malformed HTTP response"},
		"half":                            {"subject half", "promises 100 bytes of body, but after 21"},
		"missing: exec ./no-such-program": {"subject missing exited before it was ready", "no-such-program"},
	} {
		name, _, _ := strings.Cut(mode, ":")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			o := dyno(t, home, "run", studyFile(t, home, 1, mode))
			o.want(t, 1, o.stderr, why...)
			o = dyno(t, home, "list")
			o.want(t, 0, o.stdout, "no runs yet")
		})
	}
}

func TestABuildThatFails(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := writeStudy(t, home, `study: broken
subjects:
  - {name: broken, run: ./server, build: "echo compiling; echo 'main.c:3: undefined' >&2; exit 4"}
requests: [{name: root, get: /}]
loads: [{name: steady, closed: {connections: 1}}]
trial: {warmup: 0s, duration: 1s}
blocks: 1
`)
	o := dyno(t, home, "run", file)
	o.want(t, 1, o.stderr, "subject broken", "exit status 4", "main.c:3: undefined")
}

// One that starts when it is checked and never again has failed, by one finding for all of its trials that says the end of
// what it printed, and names no file that isn't there.
func TestASubjectThatStartsOnce(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	once := filepath.Join(home, "once")
	o := dyno(t, home, "run", studyFile(t, home, 3, "good", fmt.Sprintf(`once: sh -c '[ -e %s ] && { seq -s x 4000; seq 100 120; exit 3; }; touch %s; exec %s good'`, once, once, serverBinary)), "--repeats", "0")
	o.want(t, 1, o.stderr, "failed: subject once exited before it was ready (exit status 3)", "3 of 6 trials failed", "…\n  109\n")
	said := strings.Join(strings.Fields(o.stdout), " ")
	contains(t, said, "A subject failed", "… | 109 | 110 |", "| 120 (and likewise in 2 more trials) (once in blocks 1–3)")
	if strings.Count(said, "A subject failed") != 1 || strings.Contains(said+o.stderr, "1x2x3") || strings.Contains(said+o.stderr, "all it printed") {
		t.Errorf("what it printed, and where:\n%s%s", o.stdout, o.stderr)
	}
}

func TestASubjectThatDiesInATrial(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "run", studyFile(t, home, 1, "good", "dies"), "--repeats", "0")
	o.want(t, 1, o.stderr, "failed: subject dies died: exit status 7", "fatal: out of ideas", "2/2", "1 of 2 trials failed")
	contains(t, strings.Join(strings.Fields(o.stdout), " "), "good", "A subject failed", "dies failed in 1 of 1 trial, which puts it behind", "out of ideas", "report /")
	if strings.Contains(o.stdout, "share the first place") {
		t.Errorf("one that died shares the first place:\n%s", o.stdout)
	}
	o = dyno(t, home, "list")
	o.want(t, 0, o.stdout, "complete")
	o = dyno(t, home, "report", "latest", "--markdown")
	o.want(t, 0, o.stdout, "out of ideas")
}

func TestASubjectThatGoesSourInATrial(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "run", studyFile(t, home, 1, "sours"))
	contains(t, o.stdout, "Requests failed")
}
