package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/present"
)

// onTerminal runs a command whose output goes to a terminal of 60 columns until it
// measures something, and returns what it wrote there.
func onTerminal(t *testing.T, home string, env []string, args ...string) string {
	t.Helper()
	o := measured(t, func() outcome { return runOnTerminal(t, home, 60, env, acceptingOthers(args)...) })
	if o.code != 0 {
		t.Errorf("exit code %d\n%s", o.code, o.stdout)
	}
	return o.stdout
}

// runOnTerminal runs a command whose output goes to a terminal of so many columns; nothing tells its error
// from the rest there.
func runOnTerminal(t *testing.T, home string, columns uint16, env []string, args ...string) outcome {
	t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	defer terminal.Close()
	fd := int(terminal.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns})
	}
	if err != nil {
		t.Fatal(err)
	}
	end, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(dynoBinary, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = home, end, end
	cmd.Env = append(append(os.Environ(), "DYNO_HOME="+home, "TERM=xterm", "NO_COLOR="), env...)
	err = cmd.Start()
	end.Close()
	if err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(patience, func() { cmd.Process.Kill() }).Stop()
	text, _ := io.ReadAll(terminal) // ends with EIO when the last writer is gone
	cmd.Wait()
	return outcome{string(text), string(text), cmd.ProcessState.ExitCode()}
}

func TestOnATerminal(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := studyFile(t, home, 1, "good")
	text := onTerminal(t, home, nil, "run", file, "--repeats", "0")
	contains(t, text, "0/1 trials", "▸ good", "\x1b[J1 of 1 trials in ", "report  ")
	for _, c := range []struct {
		env    string
		colour bool
	}{{"NO_COLOR=", true}, {"NO_COLOR=1", false}, {"TERM=dumb", false}} {
		if got := strings.Contains(onTerminal(t, home, []string{c.env}, "show", "latest"), "\x1b["); got != c.colour {
			t.Errorf("with %s, coloured: %v", c.env, got)
		}
	}
	for _, c := range []struct{ env, flag string }{{"TERM=dumb", "--blocks=1"}, {"TERM=xterm", "--plain"}, {"TERM=xterm", "--quiet"}} {
		if text := onTerminal(t, home, []string{c.env, "NO_COLOR=1"}, "run", file, c.flag); strings.Contains(text, "\x1b") {
			t.Errorf("%s %s: escapes in %q", c.env, c.flag, text)
		}
	}
	live := onTerminal(t, home, nil, "load", "-c", "1", "-R", "100", "-d", "1s", serve(t, "good"))
	contains(t, live, "\r\x1b[K  ", "of 1s", "validity")
}

// Tables fit a terminal of 80 columns.
func TestListsFitATerminal(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, args := range [][]string{{"list"}, {"studies"}, {"subjects"}, {"claims"}, {"results", "--results", results(t)}} {
		o := runOnTerminal(t, home, 80, []string{"NO_COLOR=1"}, args...)
		if o.code != 0 {
			t.Errorf("%q: exit code %d:\n%s", args, o.code, o.stdout)
		}
		table, _, _ := strings.Cut(o.stdout, "\r\n\r\n") // prose is not broken
		for line := range strings.Lines(table) {
			if n := present.Width(strings.TrimRight(line, "\r\n")); n > 80 {
				t.Errorf("%q: %d columns: %s", args, n, line)
			}
		}
	}
}

// results is the folder of the published results.
func results(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../docs/results")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
