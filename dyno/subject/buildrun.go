package subject

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"dyno.example/internal/i18n"
)

// BuildError says that a build command failed and what it printed last.
type BuildError struct {
	Subject string
	Command string
	Exit    int      // exit code; -1 when it was killed or could not be started
	Cause   error    // set when Exit is -1
	Last    []string // last lines printed, at most 30
	Log     string   // file with all it printed
}

// Error has the command, the exit code, the last lines and the log's path.
func (e *BuildError) Error() string {
	how := fmt.Sprintf("exit status %d", e.Exit)
	if e.Exit < 0 {
		how = e.Cause.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "subject %s could not be built: %q failed with %s", e.Subject, e.Command, how)
	if len(e.Last) > 0 {
		b.WriteString("; its last lines:\n  " + strings.Join(e.Last, "\n  "))
	}
	if saysDiskFull(e.Last) {
		b.WriteString("\nthe disk is full; dyno subjects clean removes builds")
	}
	if e.Log != "" {
		b.WriteString("\nall it printed is in " + e.Log)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *BuildError) Unwrap() error { return e.Cause }

// buildRun is one execution of a build command.
type buildRun struct {
	Subject  string
	Command  string // run by sh
	Dir      string
	Env      []string
	Log      string // file, replaced; empty for none
	Progress func(line string)
}

// runBuild executes a build command in a process group of its own, which is
// killed when ctx ends.
func runBuild(ctx context.Context, run buildRun) error {
	out := &lineWriter{each: run.Progress, keep: lastLines}
	if run.Log != "" {
		log, err := os.Create(run.Log)
		if err != nil {
			return i18n.Errorf("subject.build-subject", "build subject %s: %w", run.Subject, err)
		}
		defer log.Close()
		out.copy = log
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", run.Command)
	cmd.Dir, cmd.Env = run.Dir, run.Env
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = buildAttributes()
	// What dies with its parent dies with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // a daemon left by the build may hold the pipe open
	err := cmd.Run()
	out.flush()
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		return nil
	}
	if ctx.Err() != nil {
		return i18n.Errorf("subject.build-subject", "build subject %s: %w", run.Subject, context.Cause(ctx))
	}
	return &BuildError{
		Subject: run.Subject, Command: run.Command, Exit: cmd.ProcessState.ExitCode(),
		Cause: err, Last: out.last, Log: run.Log,
	}
}
