//go:build linux

package rounds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// Figures that many campaigns are about.
const (
	CPUFigure  = "cpu_us_per_request" // of the server
	TailFigure = "p99.9_us"
)

// Generated is what a run of a load generator left.
type Generated struct {
	Output string
	CPU    time.Duration
}

// Generate runs a load generator on its CPU. Its status tells nothing: it may be that of
// its thresholds.
func (l *Lab) Generate(ctx context.Context, command []string, env ...string) (Generated, error) {
	cmd := Pinned(ctx, l.Options.GeneratorCPU, command)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = append(os.Environ(), env...)
	err := cmd.Run()
	g := Generated{Output: out.String()}
	if cmd.ProcessState != nil {
		g.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		err = nil
	}
	return g, err
}

// Watched notes in a trial what else the machine did while its load ran, and returns the
// CPU time that the servers took for it. run tells that of the load's own programs.
func (l *Lab) Watched(t *Trial, run func() (generators time.Duration, err error), servers ...*Server) (used time.Duration, err error) {
	upstreams := func() (sum time.Duration) {
		if l.Upstreams != nil {
			sum = cpuOf(l.Upstreams())
		}
		return sum
	}
	l.Watch.Begin()
	upstreamsBefore, before := upstreams(), cpuOf(servers)
	generators, err := run()
	used = cpuOf(servers) - before
	t.Beside = l.Watch.End(generators+upstreams()-upstreamsBefore, used)
	t.Disturbed = t.Beside.Disturbed()
	return used, err
}

func cpuOf(servers []*Server) (sum time.Duration) {
	for _, s := range servers {
		sum += ProcessCPU(s.PID())
	}
	return sum
}

// Load is what a load generator puts on a server.
type Load struct {
	Command func(seconds int) []string
	Env     []string
	Parse   func(text string) (Outcome, error)
	Cold    bool // it warms the server itself, if need be
}

// withoutFolders is a command as it is archived: where programs and files lie on this machine
// tells nobody anything.
func withoutFolders(command []string) []string {
	kept := slices.Clone(command)
	for i, arg := range kept {
		if _, err := os.Stat(arg); err == nil && filepath.IsAbs(arg) {
			kept[i] = filepath.Base(arg)
		}
	}
	return kept
}

// Cost puts a load on a server for some seconds, and takes as figures what the generator
// says and what a request cost the server.
func (l *Lab) Cost(ctx context.Context, s *Server, t *Trial, seconds int, load Load) error {
	if !load.Cold {
		if _, err := l.Generate(ctx, load.Command(1), load.Env...); err != nil {
			return fmt.Errorf("warming up: %w", err)
		}
	}
	command := load.Command(seconds)
	t.Command = withoutFolders(command)
	var g Generated
	begun := time.Now()
	used, err := l.Watched(t, func() (_ time.Duration, err error) {
		g, err = l.Generate(ctx, command, load.Env...)
		return g.CPU, err
	}, s)
	took := time.Since(begun)
	if err != nil {
		return err
	}
	o, err := load.Parse(g.Output)
	if o.Validity != "" {
		t.Says = append(t.Says, o.Validity)
	}
	if err != nil {
		return err
	}
	o.figures(t.Figures, used, took)
	return nil
}
