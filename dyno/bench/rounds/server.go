//go:build linux

package rounds

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Server is one start of a program that listens on a loopback address. Stop it.
type Server struct {
	Address string // host and port

	cmd    *exec.Cmd
	errors bytes.Buffer // what it writes to its standard error
}

// startTime is how long a server may take until it can be reached.
const startTime = 30 * time.Second

// StartServer starts a server on a CPU and waits until it can be reached. args is
// its command for an address; env is added to this program's environment; name is
// for messages.
func StartServer(ctx context.Context, name string, cpu int, args func(address string) []string, env []string) (*Server, error) {
	address, err := FreeAddress()
	if err != nil {
		return nil, err
	}
	s := &Server{Address: address, cmd: Pinned(ctx, cpu, args(address))}
	s.cmd.Env = append(os.Environ(), env...)
	s.cmd.Stderr = &s.errors
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(startTime); time.Now().Before(end) && !ended(s.PID()); {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return s, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.cmd.Process.Kill()
	s.cmd.Wait()
	return nil, fmt.Errorf("%s did not come up on %s: %s", name, address, s.Says())
}

// ended reports whether a process of ours has ended, and leaves it to be waited for.
func ended(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo != 0
}

// grace is how long a server may take to end.
const grace = 2 * time.Second

// End ends the server, and says so if it had ended by itself. Programs differ in the status
// with which they end when they are asked to.
func (s *Server) End() error {
	died := ended(s.PID())
	if err := s.Stop(grace); died {
		return fmt.Errorf("the server died: %v", err)
	}
	return nil
}

// PID is that of the process.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Says is the end of what the server wrote to its standard error. Call it when the
// server has ended.
func (s *Server) Says() string { return Tail(s.errors.String()) }

// Stop asks the server to end, ends it after the grace, and returns how it ended.
func (s *Server) Stop(grace time.Duration) error {
	s.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(grace, func() { s.cmd.Process.Kill() })
	defer timer.Stop()
	return s.cmd.Wait()
}
