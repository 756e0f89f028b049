//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/scripted"
)

// arm is one tool doing one job against one server: what is repeated in every
// round.
type arm struct {
	Tool   tool
	Level  string
	Job    job
	Server serverSpec
	Rounds int // in how many rounds it takes part; 0 means in all
	// During, if set, runs during the load, with its process ID.
	During func(ctx context.Context, pid int, m *measured)
	// Figures adds to the trial's figures what this campaign is about.
	Figures func(m *measured)
}

// takes is how long a trial takes, about.
func (a *arm) takes() time.Duration {
	return time.Duration(a.Job.Seconds+a.Tool.Lead+1) * time.Second
}

// measured is what one trial came to, for figures to be taken from.
type measured struct {
	rounds.Trial
	arm     *arm
	outcome outcome
	truth   *scripted.Record // nil if the server kept none
	stops   []scripted.Gap   // when the generator was stopped
}

// measure carries out one trial. A tool that fails gives a failed trial, not an
// error.
func (l *lab) measure(ctx context.Context, a *arm) (rounds.Trial, error) {
	server, err := l.startServer(ctx, a.Server)
	if err != nil {
		return rounds.Trial{}, err
	}
	m := &measured{arm: a, Trial: rounds.Trial{Tool: a.Tool.Name, Level: a.Level, Started: time.Now(), Figures: make(map[string]float64)}}
	j := a.Job
	j.Dir, j.URL = filepath.Join(l.Dir, "trial"), a.Server.url(server.Address)
	failed := l.drive(ctx, m, j, server)
	m.truth, err = server.stop()
	if err = errors.Join(err, ctx.Err()); err != nil {
		return rounds.Trial{}, err
	}
	if failed != nil {
		m.Failed = failed.Error()
		return m.Trial, nil
	}
	m.common()
	if a.Figures != nil {
		a.Figures(m)
	}
	return m.Trial, nil
}

// drive runs the load and reads what the tool says.
func (l *lab) drive(ctx context.Context, m *measured, j job, server *server) error {
	if err := l.freshFiles(j); err != nil {
		return err
	}
	m.Command, _ = m.arm.Tool.command(j)
	limit := m.arm.takes() + time.Minute
	loadCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd, stdout, stderr := l.program(loadCtx, m.Command)
	_, err := l.Watched(&m.Trial, func() (cpu time.Duration, err error) {
		if err := cmd.Start(); err != nil {
			return 0, err
		}
		beside := make(chan struct{})
		go func() {
			defer close(beside)
			if m.arm.During != nil {
				m.arm.During(loadCtx, cmd.Process.Pid, m)
			}
		}()
		err = cmd.Wait()
		cancel()
		<-beside
		cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		m.Figures["cpu_s"] = cpu.Seconds()
		return cpu, err
	}, server.Server)
	output := stdout.String() + "\n" + stderr.String()
	if err != nil && !finishedBadly(err) {
		return fmt.Errorf("%w: %s", err, rounds.Tail(output))
	}
	m.outcome, err = l.read(ctx, m.arm, j, output)
	if err != nil {
		return fmt.Errorf("reading its report: %w: %s", err, rounds.Tail(output))
	}
	return nil
}

// freshFiles gives a tool a folder with nothing of an earlier trial in it.
func (l *lab) freshFiles(j job) error {
	if err := os.RemoveAll(j.Dir); err != nil {
		return err
	}
	if err := os.Mkdir(j.Dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(j.Dir, "k6.js"), []byte(k6Script), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(j.Dir, "targets"), []byte("GET "+j.URL+"\n"), 0o644)
}

// finishedBadly reports whether a tool ended by itself with a bad status: it may
// have reported all the same.
func finishedBadly(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.Exited()
}

// program makes the command of a load generator, on the generators' CPU. Peers
// that were installed are found by their names.
func (l *lab) program(ctx context.Context, args []string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	cmd = rounds.Pinned(ctx, l.options.GeneratorCPU, args)
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.Env = append(os.Environ(), "PATH="+os.Getenv("PATH")+":"+l.peers, "SSL_CERT_FILE="+l.Certificate)
	return cmd, stdout, stderr
}

// read gets the outcome from where the tool leaves it.
func (l *lab) read(ctx context.Context, a *arm, j job, output string) (outcome, error) {
	if a.Tool.Report != nil {
		cmd, report, _ := l.program(ctx, a.Tool.Report(j))
		if err := cmd.Run(); err != nil {
			return outcome{}, err
		}
		output = report.String()
	}
	if a.Tool.File != nil {
		text, err := os.ReadFile(a.Tool.File(j))
		if err != nil {
			return outcome{}, err
		}
		output = string(text)
	}
	return a.Tool.Parse(output)
}

// common takes the figures that every campaign has.
func (m *measured) common() {
	requests := m.outcome.Requests
	f := m.Figures
	f["requests"], f["errors"] = requests, m.outcome.Errors
	f["requests_per_s"] = requests / float64(m.arm.Job.Seconds+m.arm.Tool.Lead)
	if requests > 0 {
		f["cpu_us_per_request"] = f["cpu_s"] * 1e6 / requests
	}
	f["server_cpus"] = m.Beside.ServerCPU
	for name, v := range m.outcome.Latency {
		f[name+"_us"] = v
	}
	for name, v := range m.outcome.Lag {
		f["lag_"+name+"_us"] = v
	}
	m.Says, m.Windows = m.outcome.Says, m.outcome.Windows
}
