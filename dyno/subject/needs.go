package subject

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"dyno.example/internal/i18n"
)

// NeedError says that a tool a subject needs is missing, too old or broken,
// and how to install it.
type NeedError struct {
	Subject string
	Need    Need
	Found   string // version found; empty when there is none
	Cause   error  // why the check failed; nil when only the version is too low
}

// Error is one sentence on what is missing and one on what to do.
func (e *NeedError) Error() string {
	have := "found version " + e.Found
	if e.Cause != nil {
		have = e.Cause.Error()
	}
	return fmt.Sprintf("subject %s needs %s, but %s. To install it: %s", e.Subject, e.wanted(), have, e.Need.Install)
}

// Missing says in a few words what is missing: "go 1.26 or newer (found 1.24)".
func (e *NeedError) Missing() string {
	if e.Found != "" {
		return fmt.Sprintf("%s (found %s)", e.wanted(), e.Found)
	}
	return e.wanted()
}

func (e *NeedError) wanted() string {
	if e.Need.Min == "" {
		return e.Need.Command
	}
	return e.Need.Command + " " + e.Need.Min + " or newer"
}

// Unwrap returns the cause.
func (e *NeedError) Unwrap() error { return e.Cause }

// CheckNeeds runs the check of each need in dir and returns what they printed,
// one entry per need. It fails with a [*NeedError] for each need that is not
// met.
func (m Manifest) CheckNeeds(ctx context.Context, dir string) ([]string, error) {
	return m.checkNeeds(ctx, dir, toolbox{})
}

func (m Manifest) checkNeeds(ctx context.Context, dir string, tools toolbox) ([]string, error) {
	var found []string
	var errs []error
	for _, need := range m.Needs {
		out, err := m.checkNeed(ctx, need, dir, tools)
		found = append(found, out)
		errs = append(errs, err)
	}
	return found, errors.Join(errs...)
}

// toolbox caches the output of tools' checks, by command.
type toolbox map[string]checkOutput

type checkOutput struct {
	text string
	err  error
}

// run runs a check, unless it has been run before.
func (t toolbox) run(ctx context.Context, check, dir string) (string, error) {
	if s, ok := t[check]; ok {
		return s.text, s.err
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", check)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	s := checkOutput{strings.TrimSpace(string(out)), err}
	if ctx.Err() == nil {
		t[check] = s
	}
	return s.text, s.err
}

// atOnce is how many checks run at once: most of them wait for the disk.
const atOnce = 4

// runAll runs the checks of all subjects' needs whose command is there, concurrently.
func (t toolbox) runAll(ctx context.Context, subjects []Manifest, dir string) {
	var (
		mu      sync.Mutex
		workers sync.WaitGroup
		turns   = make(chan struct{}, atOnce)
		seen    = make(map[string]bool)
	)
	for _, m := range subjects {
		for _, need := range m.Needs {
			if _, err := exec.LookPath(need.Command); err != nil || seen[need.Check] {
				continue
			}
			seen[need.Check] = true
			turns <- struct{}{}
			workers.Go(func() {
				defer func() { <-turns }()
				one := toolbox{}
				one.run(ctx, need.Check, dir)
				mu.Lock()
				defer mu.Unlock()
				maps.Copy(t, one)
			})
		}
	}
	workers.Wait()
}

func (m Manifest) checkNeed(ctx context.Context, need Need, dir string, tools toolbox) (string, error) {
	if _, err := exec.LookPath(need.Command); err != nil {
		return "", &NeedError{Subject: m.Name, Need: need, Cause: i18n.Errorf("subject.command-not-found", "%s is not in PATH", need.Command)}
	}
	text, err := tools.run(ctx, need.Check, dir)
	if err != nil {
		return "", &NeedError{Subject: m.Name, Need: need, Cause: i18n.Errorf("subject.failed", "%q failed: %w: %s", need.Check, err, text)}
	}
	version := versionNumber.FindString(text)
	switch {
	case need.Min == "":
	case version == "":
		return "", &NeedError{Subject: m.Name, Need: need, Cause: i18n.Errorf("subject.no-version-printed", "%q printed no version: %s", need.Check, text)}
	case compareVersions(version, need.Min) < 0:
		return "", &NeedError{Subject: m.Name, Need: need, Found: version}
	}
	return text, nil
}

// compareVersions compares dotted numbers part by part; a missing part is 0.
func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if d := versionPart(as, i) - versionPart(bs, i); d != 0 {
			return d
		}
	}
	return 0
}

func versionPart(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.Atoi(parts[i]) // digits only, by versionNumber
	return n
}
