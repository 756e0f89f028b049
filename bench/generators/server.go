//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"dyno/bench/rounds"
	"dyno/lab/scripted"
)

// server is one start of this program as a server.
type server struct {
	cmd     *exec.Cmd
	address string
	record  string // file; empty if it keeps none
	errors  bytes.Buffer
}

// serverSpec says which server a trial needs.
type serverSpec struct {
	Kind     string
	Script   string
	Requests int // room in the record; 0: no record
	Busy     bool
	Close    bool
}

func (s serverSpec) arguments(address, record, certificate string) []string {
	args := []string{"serve", "-kind", s.Kind, "-address", address, "-script", s.Script, "-requests", strconv.Itoa(s.Requests)}
	if s.Busy {
		args = append(args, "-busy")
	}
	if s.Close {
		args = append(args, "-close")
	}
	if s.Kind == "tls" {
		args = append(args, "-certificate", certificate)
	}
	if record != "" {
		args = append(args, "-record", record)
	}
	return args
}

// scheme is that of the server's URLs.
func (s serverSpec) scheme() string {
	if s.Kind == "tls" {
		return "https"
	}
	return "http"
}

// startServer starts a server on its CPU and waits until it can be reached.
func (l *lab) startServer(ctx context.Context, spec serverSpec) (*server, error) {
	address, err := rounds.FreeAddress()
	if err != nil {
		return nil, err
	}
	s := &server{address: address}
	if spec.Requests > 0 {
		s.record = filepath.Join(l.dir, "server.record")
		os.Remove(s.record)
	}
	args := spec.arguments(address, s.record, l.certificate)
	s.cmd = rounds.Pinned(ctx, l.options.serverCPU, append([]string{l.self}, args...))
	s.cmd.Stderr = &s.errors
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for range 250 {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return s, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.kill()
	return nil, fmt.Errorf("the %s server did not come up on %s: %s", spec.Kind, address, s.errors.String())
}

// stop ends the server and returns its record, nil if it keeps none.
func (s *server) stop() (*scripted.Record, error) {
	s.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(20*time.Second, s.kill)
	err := s.cmd.Wait()
	timer.Stop()
	if err != nil {
		return nil, fmt.Errorf("the server: %w: %s", err, s.errors.String())
	}
	if s.record == "" {
		return nil, nil
	}
	f, err := os.Open(s.record)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return scripted.ReadRecord(f)
}

func (s *server) kill() { s.cmd.Process.Kill() }
