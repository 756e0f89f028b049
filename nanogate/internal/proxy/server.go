//go:build linux

// Package proxy carries requests from clients to upstreams and responses back, over
// HTTP/1.1 on both sides: event loops, each with its clients and its connections to
// upstreams, that share nothing but counters and the snapshot they serve from.
//
// A request stays on the loop that read it. Heads are parsed in place and written again
// into one buffer; bodies pass through the loop's scratch buffer, and a side that
// doesn't take them stops the other one's reading. See nanogate/docs/design.md.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	eventloop "dyno.example/nano/wire/loop"
	"dyno.example/nano/wire/tlsconn"
	"dyno.example/nanogate/internal/acme"
	"dyno.example/nanogate/internal/bounds"
	"dyno.example/nanogate/internal/snapshot"
)

// Server is the loops of a gateway.
type Server struct {
	sys      eventloop.System
	log      *slog.Logger
	loops    []*loop
	current  atomic.Pointer[snapshot.Snapshot]
	acceptor eventloop.Acceptor[*loop, entry]
	clients  atomic.Int64 // open connections of clients
	running  sync.WaitGroup
	ended    chan struct{}   // closed when all loops have ended
	workers  *bounds.Workers // that compute
	askers   *bounds.Workers // that ask others
	heavy    atomic.Bool     // more memory is in use than should be
	issuer   *acme.Manager   // that gets certificates; nil: none

	turns     tlsconn.Turns       // of handshakes
	sealed    sync.Pool           // buffers of what is encrypted
	refused   bounds.ThrottledLog // handshakes that fail
	untrusted bounds.ThrottledLog // those with endpoints
	panics    bounds.ThrottledLog // of middleware, at the end of a request
	violated  bounds.ThrottledLog // mistakes of the gateway's own
	refusals  bounds.Few          // that are logged, if all is
	files     bounds.Files

	Violations atomic.Uint64   // of what must hold, panics included: each cost a connection or a request
	Shakes     tlsconn.Results // of handshakes with clients
}

// Loops returns how many loops [Start] makes when it is asked for n: one for each CPU
// if that is 0.
func Loops(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// Start makes and starts so many loops, which serve from s until another snapshot is
// swapped in. They respond to ACME challenges for issuer, which may be nil.
func Start(loops int, s *snapshot.Snapshot, issuer *acme.Manager, log *slog.Logger) (*Server, error) {
	v, err := New(eventloop.Kernel{}, loops, s, issuer, log)
	if err != nil {
		return nil, err
	}
	v.running.Add(loops)
	for _, l := range v.loops {
		go l.run()
	}
	go func() {
		v.running.Wait()
		v.acceptor.Close()
		close(v.ended)
	}()
	return v, nil
}

// New makes loops on a system, which [Start] has run by goroutines, and a simulator by calls
// of [Server.Step].
func New(sys eventloop.System, loops int, s *snapshot.Snapshot, issuer *acme.Manager, log *slog.Logger) (*Server, error) {
	v := &Server{sys: sys, log: log, issuer: issuer, ended: make(chan struct{}), turns: tlsconn.NewTurns(loops), workers: bounds.NewWorkers(runtime.GOMAXPROCS(0)), askers: bounds.NewAskers()}
	v.workers.Go, v.askers.Go = sys.Go, sys.Go
	v.current.Store(s)
	for i := range loops {
		l, err := newLoop(v, i)
		if err != nil {
			for _, l := range v.loops {
				l.Poller.Close()
			}
			return nil, fmt.Errorf("starting an event loop: %w", err)
		}
		v.loops = append(v.loops, l)
	}
	v.acceptor.Begin(sys, v.admission())
	v.files.Measure()
	return v, nil
}

// Snapshot returns what is served from now.
func (v *Server) Snapshot() *snapshot.Snapshot { return v.current.Load() }

// Swap serves from s from now on and returns the snapshot before. Requests under way
// end as they began.
func (v *Server) Swap(s *snapshot.Snapshot) (before *snapshot.Snapshot) {
	return v.current.Swap(s)
}

// Clients returns how many connections of clients are open.
func (v *Server) Clients() int { return int(v.clients.Load()) }

// Draining reports whether the gateway is about to end.
func (v *Server) Draining() bool { return v.acceptor.Draining() }

// Shutdown accepts no more clients, lets requests under way end until ctx does, and
// closes what is left then. It returns when all loops have ended, with ctx's error if
// it had to cut.
func (v *Server) Shutdown(ctx context.Context) error {
	v.drain()
	select {
	case <-v.ended:
		return nil
	case <-ctx.Done():
	}
	v.cut()
	select {
	case <-v.ended:
	case <-time.After(10 * time.Second):
		return errors.Join(ctx.Err(), errors.New("a loop doesn't end"))
	}
	return ctx.Err()
}

// drain has the loops accept no more and end when nothing is under way.
func (v *Server) drain() {
	v.acceptor.Drain()
	for _, l := range v.loops {
		l.call(func(l *loop) { l.downstream.beginDrain() })
	}
}

// cut has them close what is left.
func (v *Server) cut() {
	for _, l := range v.loops {
		l.call(func(l *loop) { l.downstream.cutAll() })
	}
}

// Files are how many files connections have open, how many they may, and how often
// accepting paused for want of room, or because client.connections were open.
func (v *Server) Files() (open, most int64, pauses uint64) {
	return v.files.Open.Load(), v.files.Most, v.files.Pauses.Load()
}
