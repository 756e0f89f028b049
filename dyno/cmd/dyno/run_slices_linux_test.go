package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// sliceStudy is a study of two programs that are alike, with what is given of it.
func sliceStudy(t *testing.T, home, trial, rest string) string {
	t.Helper()
	return writeStudy(t, home, fmt.Sprintf(`study: turns
subjects:
  - {name: one, run: "%[1]s good", ready: /ready, env: {PID_FILE: %[2]q}}
  - {name: two, run: "%[1]s good", ready: /ready, env: {PID_FILE: %[2]q}}
requests: [{name: root, get: /}]
loads: [{name: saturate, closed: {connections: 4}}]
trial: %[3]s
twin: false
blocks: 3
report: [cpu, throughput]
accept: [generator-stalled, generator-full, subject-not-the-bottleneck, other-load, steal, suspended, busy-beside]
%[4]s
`, serverBinary, pidFile(home), trial, rest))
}

// Two small subjects take turns, from the plan to the report, and nothing of them is left.
func TestRunInSlices(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := sliceStudy(t, home, "{warmup: 0s, duration: 1s, slices: {length: 20ms, rounds: 30}}", "")
	o := dyno(t, home, "run", file)
	o.want(t, 0, o.stdout, "in slices", "In 20ms slices by turns, 30 rounds in each block", "differ by up to")
	run := home + "/runs/" + onlyRun(t, home)
	rows := read(t, run+"/trials/0000/slices.csv")
	if n := strings.Count(rows, "\n"); !strings.HasPrefix(rows, "# dyno slices 2\nround,start,") || n < 2+15 {
		t.Errorf("%d lines of slices: %.200s", n, rows)
	}
	contains(t, read(t, run+"/SHA256SUMS"), "trials/0005/slices.csv")
	again := dyno(t, home, "report", "latest", "--json")
	again.want(t, 0, again.stdout, `"slices":`, `"turns":`, `"between":`)
	contains(t, read(t, run+"/report.html"), "slices by turns")
	if verified := dyno(t, home, "verify", "latest"); verified.code != 0 {
		t.Errorf("%s%s", verified.stdout, verified.stderr)
	}
}

// What a study doesn't say is as usual: turns where it can be, unless it reports what they
// can't tell. Flags have the last word.
func TestRunInSlicesByItself(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, c := range []struct {
		trial, rest string
		flags       []string
		says        string
		sliced      bool
	}{
		{"{duration: 5s}", "", nil, "", true},
		{"{duration: 5s}", "", []string{"--slices", "off"}, "", false},
		{"{duration: 5s, slices: off}", "", nil, "", false},
		{"{duration: 5s, slices: off}", "", []string{"--slices", "on"}, "", true},
		{"{duration: 5s}", "claims: [{id: a, holds: 'response.p99.9[one] < 1.5 * response.p99.9[two]'}]", nil, "in trials, for what slices can't tell of cell 1", true},
		{"{duration: 5s}", "", []string{"--quick"}, "then block by block until intervals are within ±2 %, at most 3 blocks in all", true},
		{"{duration: 5s}", "", []string{"--until", "±1%"}, "until intervals are within ±1 %", true},
		{"{duration: 5s}", "", []string{"--until", "1%", "--blocks", "9"}, "at most 9 blocks in all", true},
	} {
		o := dyno(t, home, append([]string{"run", sliceStudy(t, home, c.trial, c.rest), "--plan"}, c.flags...)...)
		o.want(t, 0, o.stdout, c.says)
		if got := strings.Contains(o.stdout, "in slices"); got != c.sliced {
			t.Errorf("%s %s %v: in slices %v\n%s%s", c.trial, c.rest, c.flags, got, o.stdout, o.stderr)
		}
	}
	for arg, says := range map[string]string{"--slices=maybe": `--slices: expected on, off or both, got "maybe"`, "--until=2": "--until: expected how narrow", "--until=90%": "up to ±50%"} {
		o := dyno(t, home, "run", sliceStudy(t, home, "{duration: 5s}", ""), arg)
		o.want(t, 2, o.stderr, says)
	}
}

// Ended in the middle of a block with ten subjects up, whatever way, nothing of any is left.
func TestRunInSlicesEnded(t *testing.T) {
	t.Parallel()
	const subjects, checks = 10, 10 // each is started once before, to be checked
	for name, signal := range map[string]os.Signal{"Ctrl-C": os.Interrupt, "kill": os.Kill} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			var names []string
			for i := range subjects {
				names = append(names, fmt.Sprintf("s%d: %s good", i, serverBinary))
			}
			file := studyFile(t, home, 5, names...)
			text := strings.Replace(read(t, home+"/"+file), "duration: 1s}", "duration: 1s, slices: {length: 20ms, rounds: 5000}}", 1)
			s := start(t, home, "run", writeStudy(t, home, text))
			eventually(t, "the last one's start", func() bool { return len(pids(home)) == subjects+checks })
			up := 0
			for _, pid := range pids(home) {
				if running(pid) {
					up++
				}
			}
			if up < subjects {
				t.Errorf("%d subjects were up", up)
			}
			s.signal(t, signal)
			o := s.wait(t)
			if signal != os.Kill {
				o.want(t, 130, o.stderr, "10/50", "interrupted: interrupted")
			}
			allEnded(t, home)
			nothingRuns(t, home)
		})
	}
}
