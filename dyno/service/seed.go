package service

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// seedLimit is how long one step of filling or resetting a service may take.
const seedLimit = 10 * time.Minute

// mostSeed bounds a file to seed with, in bytes.
const mostSeed = 32 << 20

// seed fills the service at address. The kit talks to the database of administrators; the
// subjects' own is seeded by a kit of its own.
func (in *Instance) seed(ctx context.Context, kind, address string) error {
	var own *kit
	defer func() { own.close() }()
	for i := range in.def.Seed {
		step := &in.def.Seed[i]
		if step.Run != "" {
			if err := in.runSeed(ctx, step.Run); err != nil {
				return i18n.Errorf("service.seed-step", "seed %d: %w", i+1, err)
			}
			continue
		}
		text, err := in.seedText(step)
		if err == nil && own == nil {
			own, err = openKit(ctx, in.host, kind, address)
		}
		if err == nil {
			err = own.do(ctx, order{Do: "run", Text: text, Limit: seedLimit})
			if err != nil && step.File != "" {
				err = fmt.Errorf("%s: %w", step.File, err)
			}
		}
		if err != nil {
			return i18n.Errorf("service.seed-step", "seed %d: %w", i+1, err)
		}
	}
	return nil
}

// seedText is what a step has executed.
func (in *Instance) seedText(step *study.Seed) (string, error) {
	if step.File == "" {
		return step.SQL + step.Commands, nil
	}
	path, err := in.host.beside(step.File)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err == nil && info.Size() > mostSeed {
		return "", i18n.Errorf("service.seed-too-large", "%s has more than the %d MiB that are sent at once; load it by a program (run)", step.File, mostSeed>>20)
	}
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// runSeed executes a command with the service's addresses in its environment. It ends
// with dyno, and with all it has started when ctx ends.
func (in *Instance) runSeed(ctx context.Context, command string) error {
	dir, err := in.host.beside(in.def.Dir)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Dir, cmd.Env = dir, os.Environ()
	for name, value := range in.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	for name, value := range in.def.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	withDeath(cmd)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	said, err := cmd.CombinedOutput()
	if err != nil {
		return i18n.Errorf("service.seed-failed", "%q failed: %w: %s", command, err, lastOf(said))
	}
	return nil
}

// lastOf is the end of what a program has printed.
func lastOf(said []byte) string {
	const most = 1000
	text := strings.TrimSpace(string(said))
	if len(text) > most {
		text = "…" + text[len(text)-most:]
	}
	return text
}
