//go:build linux

// Package etcdtest starts etcd servers for tests. They are processes of their own: compiled
// into a test that the race detector watches, etcd's 250 packages would be compiled once more,
// and nothing of them is tested.
package etcdtest

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"dyno.example/internal/program"
)

// Server is a running etcd of one member.
type Server struct {
	Address string // host:port that clients connect to

	cmd   *exec.Cmd
	stdin io.Closer
	ended sync.Once
}

var serve = sync.OnceValues(func() (string, error) {
	return program.Built("", "dyno.example/nanogate/internal/etcd/embedded/serve")
})

// Open starts a server with its data in dir, on a loopback address; port 0 takes any. It ends
// with this process at the latest.
func Open(dir, listen string) (*Server, error) {
	file, err := serve()
	if err != nil {
		return nil, err
	}
	s := &Server{cmd: exec.Command(file, "-dir", dir, "-listen", listen)}
	var says strings.Builder
	s.cmd.Stderr = &says
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for the test
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		s.Kill()
		return nil, fmt.Errorf("etcd did not start: %s", strings.TrimSpace(says.String()))
	}
	s.Address = strings.TrimSpace(line)
	return s, nil
}

// Start starts a server as [Open] does, until the test ends.
func Start(t testing.TB, dir, listen string) *Server {
	t.Helper()
	s, err := Open(dir, listen)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

// Close ends the server in order, which may take seconds.
func (s *Server) Close() { s.end(syscall.SIGTERM) }

// Kill ends the server at once.
func (s *Server) Kill() { s.end(syscall.SIGKILL) }

func (s *Server) end(by syscall.Signal) {
	s.ended.Do(func() {
		s.cmd.Process.Signal(by)
		s.cmd.Wait()
		s.stdin.Close()
	})
}
