package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestSubjectsThatDoNotWantToEnd(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	o := dyno(t, home, "run", studyFile(t, home, 1, "child", "stubborn"), "--repeats", "0")
	o.want(t, 0, o.stdout, "child", "stubborn")
	if n := len(pids(home)); n != 6 { // two starts each; child writes two
		t.Errorf("%d processes were started, want 6", n)
	}
	for _, pid := range pids(home) {
		if running(pid) {
			t.Errorf("process %s is left behind", pid)
		}
	}
}

// However a run is ended and whatever it was doing: nothing it started is left,
// and what was measured is kept.
func TestRunEndedAtEveryStage(t *testing.T) {
	t.Parallel()
	const slow = `study: slow
subjects: [{name: slow, build: BUILD, run: RUN}]
requests: [{name: root, get: /}]
loads: [{name: steady, closed: {connections: 1}}]
trial: {warmup: 0s, duration: 1s}
blocks: 1
`
	notePID := func(home string) string { return `echo $$ >> ` + pidFile(home) + `; ` }
	stages := map[string]func(home string) string{
		"build": func(home string) string {
			return writeStudy(t, home, strings.NewReplacer("BUILD", `"`+notePID(home)+`exec sleep 600"`, "RUN", "./server").Replace(slow))
		},
		"readiness": func(home string) string {
			return writeStudy(t, home, strings.NewReplacer("BUILD", `"true"`, "RUN", `"`+notePID(home)+`sleep 600 & wait"`).Replace(slow))
		},
		"check":    func(home string) string { return studyFile(t, home, 1, "mute") },
		"stubborn": func(home string) string { return studyFile(t, home, 100, "stubborn") },
		"trial":    func(home string) string { return studyFile(t, home, 100, "child") },
	}
	for stage, file := range stages {
		for name, signal := range map[string]os.Signal{"Ctrl-C": os.Interrupt, "hangup": syscall.SIGHUP, "kill": os.Kill} {
			t.Run(stage+" "+name, func(t *testing.T) {
				t.Parallel()
				home := t.TempDir()
				s := start(t, home, "run", file(home))
				if stage == "trial" || stage == "stubborn" {
					s.comesTo(t, "the first trial's end", func() bool { return strings.Contains(s.stderr.String(), "\n  1/100") })
				}
				started := len(pids(home))
				eventually(t, "the subject's start", func() bool { return len(pids(home)) >= max(1, started) })
				s.signal(t, signal)
				o := s.wait(t)
				if signal != os.Kill {
					o.want(t, 130, o.stderr, "dyno: interrupted")
				}
				allEnded(t, home)
				nothingRuns(t, home)
				o = dyno(t, home, "list")
				if stage != "trial" && stage != "stubborn" {
					o.want(t, 0, o.stdout, "no runs yet")
					return
				}
				o.want(t, 0, o.stdout, "interrupted")
				o = dyno(t, home, "report", "latest", "--markdown")
				o.want(t, 0, o.stdout, "interrupted")
			})
		}
	}
}

// allEnded waits until no process of a dyno with that home is left: a keeper
// that was just being started when dyno was killed ends a moment later.
func allEnded(t *testing.T, home string) {
	t.Helper()
	eventually(t, "the end of all processes", func() bool {
		environs, err := filepath.Glob("/proc/[0-9]*/environ")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range environs {
			environ, _ := os.ReadFile(path) // unreadable: gone, or not ours
			if bytes.Contains(environ, []byte("DYNO_HOME="+home+"\x00")) {
				return false
			}
		}
		return true
	})
}
