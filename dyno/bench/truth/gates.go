//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// gateCases are versions that are known to be slower, or the same. A service's
// delay is in a file of its repository.
func gateCases() []Case {
	const steady = "{name: steady, open: {rate: 200, arrivals: uniform, connections: 16}}"
	return []Case{
		{"gates/against-slower", "the working tree responds in 9 ms, main in 6: a p50 half as high again", gateAgainst("6ms", "9ms", steady, 1)},
		{"gates/against-the-same", "the working tree is main", gateAgainst("6ms", "6ms", steady, 0)},
		{"gates/against-faster", "the working tree responds in 4 ms, main in 6", gateAgainst("6ms", "4ms", steady, 0)},
		{"gates/against-failing", "the working tree fails 15 % of the requests", gateAgainst("6ms", "6ms -fail 0.15", steady, 1)},
		{"gates/against-failing-alike", "both fail 15 % of the requests", gateAgainst("6ms -fail 0.15", "6ms -fail 0.15", steady, 0)},
		{"gates/against-dying", "the working tree is gone after 0.6 s", gateAgainst("6ms", "6ms -die-after 600ms", steady, 1)},
		{"gates/same-run", "a run is held against a baseline of itself", gateSameRun},
	}
}

// repository is a git repository whose main has one set of flags, and whose
// working tree another.
func (l *lab) repository(ctx context.Context, before, now, load string) (dir string, err error) {
	if dir, err = os.MkdirTemp(l.dir, "gate-"); err != nil {
		return "", err
	}
	study := fmt.Sprintf("study: service\nsubjects: [{name: service, dir: service, run: %q, ready: /ready}]\nrequests: [{name: root, get: /}]\nloads: [%s]\ntrial: {warmup: 200ms, duration: 1s}\nblocks: 6\ngate: [response.p50 > +20%%]\n",
		"exec "+l.self+" serve -delay $(cat flags)", load)
	for name, text := range map[string]string{"service/flags": before + "\n", "truth.yaml": study, ".gitignore": "runs/\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-qm", "before"}} {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %v: %w\n%s", args, err, out)
		}
	}
	return dir, os.WriteFile(filepath.Join(dir, "service/flags"), []byte(now+"\n"), 0o644)
}

// gateAgainst holds a working tree against main. Exit status 0 says that all is
// well, 1 that it is worse, 2 that it can't be told.
func gateAgainst(before, now, load string, truth int) func(context.Context, *lab, *Examined) error {
	return func(ctx context.Context, l *lab, e *Examined) error {
		dir, err := l.repository(ctx, before, now, load)
		if err != nil {
			return err
		}
		a, err := l.askIn(ctx, e, dir, "gate", filepath.Join(dir, "truth.yaml"), "--against", "main", "--archive", filepath.Join(dir, "runs"), "--quiet", "--seed", "5")
		if err != nil {
			return err
		}
		so := []string{"no worse", "worse"}[truth]
		if a.code == 3 {
			e.silent("the gate", lastLines(a.stdout+a.stderr), so)
			return nil
		}
		e.say("the gate", a.code == truth, fmt.Sprintf("exit %d", a.code), so)
		e.heard(a.stdout + a.stderr)
		return nil
	}
}

func gateSameRun(ctx context.Context, l *lab, e *Examined) error {
	dir, err := l.repository(ctx, "6ms", "6ms", "{name: steady, open: {rate: 200, arrivals: uniform, connections: 16}}")
	if err != nil {
		return err
	}
	study, archive, baselines := filepath.Join(dir, "truth.yaml"), filepath.Join(dir, "runs"), filepath.Join(dir, "baselines")
	for _, args := range [][]string{
		{"run", study, "--archive", archive, "--quiet", "--blocks", "3"},
		{"baseline", "set", "main", "latest", "--archive", archive, "--dir", baselines},
	} {
		if a, err := l.askIn(ctx, e, dir, args...); err != nil {
			return err
		} else if a.code != 0 {
			e.silent("dyno "+args[0], lastLines(a.stdout+a.stderr), "a run to keep")
			return nil
		}
	}
	a, err := l.askIn(ctx, e, dir, "gate", "latest", "--baseline", "main", "--archive", archive, "--dir", baselines)
	if err != nil {
		return err
	}
	e.say("the gate", a.code != 0 || !strings.Contains(strings.ToLower(a.stdout), "ok"), fmt.Sprintf("exit %d: %s", a.code, lastLines(a.stdout)), "nothing was measured again")
	return nil
}
