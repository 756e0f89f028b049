// Package program builds Go programs that tests start.
package program

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Built returns the file of a command, which is built if it has not been: of the package pkg,
// as it is found from folder, "" for the current one. env is added to the environment.
//
// It is go run that builds it, as that keeps programs in Go's cache; and without paths and C,
// as scripts/test has it: what a test has compiled, this finds, also from a test that the race
// detector watches.
func Built(folder, pkg string, env ...string) (string, error) {
	for range 2 {
		// What runs it prints where it is: in Go's cache, or, where it was not, in a folder
		// that is gone by now; then it is in the cache the next time.
		run := exec.Command("go", "run", "-trimpath", "-exec", "echo", pkg)
		run.Dir = folder
		run.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
		out, err := run.Output()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return "", fmt.Errorf("building %s: %s", pkg, strings.TrimSpace(string(exit.Stderr)))
		}
		if err != nil {
			return "", err
		}
		file := strings.TrimSpace(string(out))
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", fmt.Errorf("building %s: Go keeps no programs in its cache", pkg)
}
