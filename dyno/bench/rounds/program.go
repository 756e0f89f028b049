//go:build linux

package rounds

import (
	"context"
	"net"
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

// Tail is the end of a long text, on one line.
func Tail(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 300 {
		text = "..." + strings.ToValidUTF8(text[len(text)-300:], "")
	}
	return text
}
