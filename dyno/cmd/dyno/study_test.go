package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// studyFile writes a study of one load into the folder and returns its name.
// Each subject is a mode of the test server, or "name: command".
func studyFile(t *testing.T, dir string, blocks int, subjects ...string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("study: faults\nsubjects:\n")
	for _, s := range subjects {
		name, command, ok := strings.Cut(s, ": ")
		if !ok {
			command = serverBinary + " " + s
		}
		fmt.Fprintf(&b, "  - name: %s\n    run: %q\n    ready: /ready\n    env: {PID_FILE: %q}\n", name, command, pidFile(dir))
	}
	fmt.Fprintf(&b, `requests: [{name: root, get: /}]
loads: [{name: steady, open: {rate: 400, connections: 2}}]
trial: {warmup: 0s, duration: 1s}
blocks: %d
twin: false
`, blocks)
	return writeStudy(t, dir, b.String())
}

func writeStudy(t *testing.T, dir, text string) string {
	t.Helper()
	const name = "study.yaml"
	if !strings.Contains(text, "accept:") { // what else is running is none of a test's business
		text += "accept: [generator-stalled, generator-late, rate-missed, arrivals-off, other-load, steal, suspended]\n"
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// pidFile is where the subjects of a study in dir write their process IDs.
func pidFile(dir string) string { return filepath.Join(dir, "pids") }
