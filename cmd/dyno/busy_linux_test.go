package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"dyno/lab/machine"
)

// burn starts a process that uses all of a CPU until the test ends, and returns how
// dyno must name it.
func burn(t *testing.T, cpu int) string {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", "while :; do :; done")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(cmd.Process.Pid, &set); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("(pid %d)", cmd.Process.Pid)
}

// burnAll burns each CPU with as many programs as are sure to be noticed.
func burnAll(t *testing.T) (names []string) {
	t.Helper()
	for _, cpu := range machine.OnlineCPUs() {
		names = append(names, burn(t, cpu), burn(t, cpu))
	}
	return names
}

// anyOf reports whether a text has one of the parts.
func anyOf(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// A load on a machine that somebody else uses up is INVALID, and says who it is,
// before and after.
func TestLoadNamesWhoIsBusy(t *testing.T) {
	t.Parallel()
	url := serve(t, "good")
	hogs := burnAll(t)
	var o outcome
	for range 5 { // with much else going on, others may use more than the hogs
		o = startBusy(t, t.TempDir(), "load", "-c", "2", "-d", "2s", "-R", "50", "--no-calibration", url).wait(t)
		if o.code == 1 && anyOf(o.stdout, hogs) && anyOf(o.stderr, hogs) {
			break
		}
	}
	o.want(t, 1, o.stderr, "this machine is busy: CPU ", "nothing was measured", "other-load")
	contains(t, o.stdout, "INVALID", "other-load: other programs used")
	if !anyOf(o.stdout, hogs) || !anyOf(o.stderr, hogs) {
		t.Errorf("none of %v is named:\n%s\n%s", hogs, o.stdout, o.stderr)
	}
	// Who accepts it has figures, and the finding beside them.
	o = startBusy(t, t.TempDir(), "load", "-c", "2", "-d", "2s", "-R", "50", "--no-calibration", "--accept", "other-load,steal,generator-stalled,generator-late", url).wait(t)
	o.want(t, 0, o.stdout, "other-load: other programs used")
}

// A capacity, a knee and an overload on such a machine are no answers.
func TestNoAnswerOnABusyMachine(t *testing.T) {
	t.Parallel()
	url := serve(t, "good") // no child of the test's, as the hogs are: they would pass for parts of it
	burnAll(t)
	for name, args := range map[string][]string{
		"capacity": {"--objective", "p90 < 60ms", "--trial", "1s", "--initial-trial", "500ms", "--max-time", "40s", "--repeats", "1"},
		"knee":     {"--connections", "1,2", "--trial", "500ms", "--warmup", "0s"},
		"overload": {"--objective", "p99 < 50ms", "--capacity", "300", "--for", "1s", "--before", "3s", "--after", "3s", "--repeats", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait for their loads
			o := startBusy(t, t.TempDir(), append([]string{name, url, "--no-calibration", "--json"}, args...)...).wait(t)
			var r struct {
				Validity string `json:"validity"`
				Findings []struct {
					Name, Detail string
				} `json:"findings"`
			}
			if err := json.Unmarshal([]byte(o.stdout), &r); err != nil {
				t.Fatalf("%v\n%s\n%s", err, o.stdout, o.stderr)
			}
			if o.code != 1 || r.Validity != "invalid" || !strings.Contains(fmt.Sprint(r.Findings), "{other-load other programs used ") {
				t.Errorf("exit %d, %+v\n%s", o.code, r, o.stderr)
			}
		})
	}
}

// A name that is none is refused before anything is sent.
func TestAcceptedFindingsHaveNames(t *testing.T) {
	t.Parallel()
	o := startBusy(t, t.TempDir(), "load", "--accept", "other-laod", "http://127.0.0.1:1").wait(t)
	o.want(t, 2, o.stderr, "--accept", `did you mean "other-load"?`)
	if strings.Contains(o.stderr, os.TempDir()) {
		t.Error(o.stderr)
	}
}
