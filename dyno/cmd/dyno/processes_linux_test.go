package main

import (
	"os"
	"strings"
	"testing"
)

// pids reads what subjects wrote into their PID file so far.
func pids(dir string) []string {
	text, _ := os.ReadFile(pidFile(dir))
	return strings.Fields(string(text))
}

// running reports whether a process exists and is no zombie.
func running(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}

// nothingRuns waits until all processes that a study started have ended.
func nothingRuns(t *testing.T, dir string) {
	t.Helper()
	all := pids(dir)
	if len(all) == 0 {
		t.Error("no subject was started")
	}
	for _, pid := range all {
		eventually(t, "the end of process "+pid, func() bool { return !running(pid) })
	}
}
