//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/scripted"
)

// server is one start of this program as a server.
type server struct {
	*rounds.Server
	record string // file; empty if it keeps none
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
	if s.scheme() == "https" {
		args = append(args, "-certificate", certificate)
	}
	if record != "" {
		args = append(args, "-record", record)
	}
	return args
}

// scheme is that of the server's URLs.
func (s serverSpec) scheme() string {
	if s.Kind == "tls" || s.Kind == "tls-h2" {
		return "https"
	}
	return "http"
}

// url is what is loaded.
func (s serverSpec) url(address string) string {
	if s.Kind == "grpc" {
		return "grpc://" + address + "/" + grpcService + "/" + grpcMethod
	}
	return s.scheme() + "://" + address + "/plaintext"
}

// startServer starts a server on its CPU and waits until it can be reached.
func (l *lab) startServer(ctx context.Context, spec serverSpec) (*server, error) {
	s := &server{}
	if spec.Requests > 0 {
		s.record = filepath.Join(l.Dir, "server.record")
		os.Remove(s.record)
	}
	args := func(address string) []string {
		return append([]string{l.Self}, spec.arguments(address, s.record, l.Certificate)...)
	}
	var err error
	s.Server, err = rounds.StartServer(ctx, "the "+spec.Kind+" server", l.options.ServerCPU, args, nil)
	return s, err
}

// stop ends the server and returns its record, nil if it keeps none.
func (s *server) stop() (*scripted.Record, error) {
	if err := s.Stop(20 * time.Second); err != nil {
		return nil, fmt.Errorf("the server: %w: %s", err, s.Says())
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
