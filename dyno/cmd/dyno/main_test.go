package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/dyno/archive/s3test"
	"dyno.example/dyno/cmd/dyno/internal/loadcmd"
	"dyno.example/dyno/finding"
)

// The programs that the tests run: dyno itself, and a subject with bad habits.
var dynoBinary, serverBinary string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "dyno-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), ".", "./testdata/server")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the programs under test: %v\n%s", err, out)
		return 1
	}
	dynoBinary, serverBinary = filepath.Join(dir, "dyno"), filepath.Join(dir, "server")
	flag.Parse()
	flag.Set("test.parallel", "6") // most of them wait for a second of load
	return m.Run()
}

// patience is how long anything may take before a test gives up: subjects are compiled meanwhile, on a
// machine that has compiled nothing yet and does other things beside.
const patience = 15 * time.Minute

// outcome is what a command came to.
type outcome struct {
	stdout, stderr string
	code           int
}

// dyno runs a command to its end.
//
// A load that could measure nothing, as the machine stood still in each of its
// seconds, is run again a few times.
func dyno(t *testing.T, home string, args ...string) outcome {
	t.Helper()
	return measured(t, func() outcome { return start(t, home, args...).wait(t) })
}

// measured runs a command until it measures something.
func measured(t *testing.T, run func() outcome) outcome {
	t.Helper()
	for range 10 {
		if o := run(); !o.nothingMeasured() {
			return o
		}
	}
	t.Skip("this machine stands still for tenths of a second: nothing can be measured on it")
	return outcome{}
}

// nothingMeasured reports whether a load says that none of its seconds is valid: as its
// error or, if something else went wrong too, next to its figures.
func (o outcome) nothingMeasured() bool {
	return o.code == 1 && (strings.Contains(o.stderr, loadcmd.ErrUntrusted.Error()) || strings.Contains(o.stdout, "    "+string(finding.NoValidWindow)+": "))
}

// until runs a command until it came to what a machine that stands still can keep it from,
// ten times or for two minutes: what keeps it from that each time is a fault. It returns
// the last.
func until(run func() outcome, ok func(o outcome) bool) (o outcome) {
	end := time.Now().Add(2 * time.Minute)
	for range 10 {
		if o = run(); ok(o) || time.Now().After(end) {
			break
		}
	}
	return o
}

// process is a dyno that runs.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr output
	over           chan struct{} // it has ended …
	err            error         // … by that
}

// start starts a command with its own DYNO_HOME, in its own folder.
func start(t *testing.T, home string, args ...string) *process {
	t.Helper()
	return startBusy(t, home, acceptingOthers(args)...)
}

// acceptingOthers adds to the arguments of a command that measures that it is no
// matter who else is busy: while tests run, others are.
func acceptingOthers(args []string) []string {
	if len(args) > 0 && (args[0] == "run" || args[0] == "gate") {
		return append(slices.Clone(args), "--keep-going")
	}
	loads := []string{"load", "capacity", "knee", "overload"}
	if len(args) < 2 || !slices.Contains(loads, args[0]) || slices.Contains(args, "--accept") || slices.Contains(args, "--selftest") {
		return args
	}
	return append(slices.Clone(args), "--accept", "other-load,steal,cpu-speed")
}

// startBusy is start, for tests of what is said of a machine that others keep busy.
func startBusy(t *testing.T, home string, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return startCommand(t, exec.CommandContext(ctx, dynoBinary, args...), home)
}

func startCommand(t *testing.T, cmd *exec.Cmd, home string) *process {
	t.Helper()
	cmd.Dir = home
	// What a killed dyno leaves in the temporary folder goes with the programs.
	cmd.Env = append(os.Environ(), "DYNO_HOME="+home, "DYNO_ARCHIVE=", "TMPDIR="+filepath.Dir(dynoBinary))
	cmd.Env = append(cmd.Env, s3test.Environment()...)
	cmd.WaitDelay = time.Second
	return begin(t, cmd)
}

// begin starts a process, whose outputs it keeps.
func begin(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, over: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.stdout, &p.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = cmd.Wait()
		close(p.over)
	}()
	return p
}

func (p *process) wait(t *testing.T) outcome {
	t.Helper()
	<-p.over
	var exit *exec.ExitError
	if p.err != nil && !errors.As(p.err, &exit) {
		t.Fatal(p.err)
	}
	return outcome{p.stdout.String(), p.stderr.String(), p.cmd.ProcessState.ExitCode()}
}

func (p *process) signal(t *testing.T, signal os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}

// output is written by one goroutine and read by another.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// eventually waits until ok says so.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// comesTo waits until ok says so, of a process that doesn't end before.
func (p *process) comesTo(t *testing.T, what string, ok func() bool) {
	t.Helper()
	eventually(t, what, func() bool {
		select {
		case <-p.over:
			if !ok() {
				t.Fatalf("it ended (%v) before %s:\n%s%s", p.err, what, p.stdout.String(), p.stderr.String())
			}
			return true
		default:
			return ok()
		}
	})
}

// serve runs the test server in a mode, until the test ends, and returns its
// address as http://host:port.
func serve(t *testing.T, mode string) string {
	t.Helper()
	cmd := exec.Command(serverBinary, mode)
	cmd.Env = append(os.Environ(), "PORT=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	var url string
	if _, err := fmt.Fscanln(io.LimitReader(out, 1<<10), &url); err != nil {
		t.Fatal(err)
	}
	return url
}

// want fails the test unless the exit code is code and the text holds the
// parts.
func (o outcome) want(t *testing.T, code int, text string, parts ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", o.code, code, o.stdout, o.stderr)
	}
	contains(t, text, parts...)
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}
