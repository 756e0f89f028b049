package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// burnAll starts a process that uses all CPUs until the test ends, with so many threads
// that it is the busiest whatever else goes on, and returns how dyno must name it.
func burnAll(t *testing.T) string {
	t.Helper()
	cmd := exec.Command(serverBinary, "burn")
	begun, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	if _, err := bufio.NewReader(begun).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("(pid %d)", cmd.Process.Pid)
}

// A load on a machine that somebody else uses up is INVALID, and says who it is,
// before and after.
func TestLoadNamesWhoIsBusy(t *testing.T) {
	t.Parallel()
	url := serve(t, "good")
	hog := burnAll(t)
	var o outcome
	for range 10 { // with much else going on, others may use more than the hog
		o = startBusy(t, t.TempDir(), "load", "-c", "2", "-d", "2s", "-R", "50", "--no-calibration", url).wait(t)
		if o.code == 1 && strings.Contains(o.stdout, hog) && strings.Contains(o.stderr, hog) {
			break
		}
	}
	o.want(t, 1, o.stderr, "this machine is busy: CPU ", "no figure can be trusted", "other-load")
	contains(t, o.stdout, "INVALID", "other-load: other programs used", hog)
	contains(t, o.stderr, hog)
	// If it is accepted there are figures, and the finding next to them.
	o = startBusy(t, t.TempDir(), "load", "-c", "2", "-d", "2s", "-R", "50", "--no-calibration", "--accept", "other-load,steal,generator-stalled,generator-late", url).wait(t)
	o.want(t, 0, o.stdout, "other-load: other programs used")
}

// A capacity, a knee and an overload on such a machine are no answers.
func TestNoFiguresOnABusyMachine(t *testing.T) {
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
