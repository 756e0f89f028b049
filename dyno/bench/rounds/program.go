//go:build linux

package rounds

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// FreeAddress returns a loopback address on which nothing listens.
func FreeAddress() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer ln.Close()
	return ln.Addr().String(), nil
}

// Pinned makes a command that stays on one CPU and does not outlive this
// program, nor its context.
func Pinned(ctx context.Context, cpu int, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "taskset", append([]string{"-c", strconv.Itoa(cpu)}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// Execute runs a command in a folder, and keeps what it prints for the error. A folder that
// is given has a module which isn't in the workspace.
func Execute(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	if cmd.Dir = dir; dir != "" {
		cmd.Env = append(os.Environ(), "GOWORK=off")
	}
	output, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s is not installed", name)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, Tail(string(output)))
	}
	return nil
}

// Build builds a command of this source. The program has been started within the
// repository, where its workspace is found.
func Build(ctx context.Context, path, folder string) error {
	if err := Execute(ctx, "", "go", "build", "-o", path, "dyno.example/"+folder); err != nil {
		return fmt.Errorf("building %s (run this within the repository): %w", folder, err)
	}
	return nil
}

// Version is the first line of what a command prints that is asked for its version, also
// where it ends with a bad status, as wrk does.
func Version(ctx context.Context, name string, args ...string) (string, error) {
	text, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s is not installed", name)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return first, err
}

// Need says which of the programs that trials are made of are missing.
func Need(names ...string) error {
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%s is missing; on Debian: apt-get install wrk util-linux", name)
		}
	}
	return nil
}

// Tail is the end of a long text, on one line.
func Tail(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 300 {
		text = "..." + strings.ToValidUTF8(text[len(text)-300:], "")
	}
	return text
}
