package nano

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nano/internal/netconn"
	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/tlsconn"
)

// stdServer serves an app by net/http: listeners that aren't sockets, and systems that
// have no event loop of ours. All its connections come to net/http through one queue,
// each when it is ready: its PROXY header read and its TLS handshake done. On systems with
// loops it also serves connections whose handshake, on a loop, has agreed on another
// protocol than loops speak.
type stdServer struct {
	once   sync.Once
	server *http.Server
	queue  *netconn.Queue
	gate   netconn.Gate
	// uncounted says that there were connections which gate doesn't know of.
	uncounted atomic.Bool

	mu        sync.Mutex
	listeners map[net.Listener]struct{}
	stopped   bool
	accepting sync.WaitGroup // listeners
	preparing sync.WaitGroup
	refusals  netconn.ThrottledLog
	done      chan struct{} // closed when Shutdown has ended
}

// maxStreams is the number of requests under way on one HTTP/2 connection.
const maxStreams = 100

// get makes the server. It serves as soon as something comes into its queue.
func (s *stdServer) get(a *App) *http.Server {
	s.once.Do(func() {
		l := a.config.Limits
		s.done, s.listeners, s.queue = make(chan struct{}), make(map[net.Listener]struct{}), netconn.NewQueue()
		s.gate = netconn.Gate{Most: l.Connections, MostOfOne: l.PerAddress}
		var protocols http.Protocols
		protocols.SetHTTP1(true)
		protocols.SetHTTP2(true)
		protocols.SetUnencryptedHTTP2(a.config.H2C)
		s.server = &http.Server{
			Handler:           a,
			ConnContext:       named,
			ReadHeaderTimeout: positive(l.ReadHead),
			IdleTimeout:       positive(l.Idle),
			MaxHeaderBytes:    l.Head,
			Protocols:         &protocols,
			HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
			ErrorLog:          slog.NewLogLogger(a.config.Logger.Handler(), slog.LevelWarn),
		}
		go func() { _ = s.server.Serve(s.queue) }() // until Shutdown closes the queue
	})
	return s.server
}

// unnamed is the context key of connections whose proxy named no client.
type unnamed struct{}

func named(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if below, ok := c.(*netconn.Conn); ok && below.Unnamed {
		return context.WithValue(ctx, unnamed{}, true)
	}
	return ctx
}

func positive(d time.Duration) time.Duration { return max(d, 0) }

// serve accepts from ln until the app has been shut down; then it returns nil.
// config is nil for connections without TLS.
func (s *stdServer) serve(a *App, ln net.Listener, config *tls.Config) error {
	s.get(a)
	s.mu.Lock()
	if s.stopped {
		s.mu.Unlock()
		return errors.Join(ErrServerClosed, ln.Close())
	}
	s.listeners[ln] = struct{}{}
	s.accepting.Add(1)
	s.mu.Unlock()
	stopped, err := s.accept(a, ln, config)
	s.accepting.Done()
	if stopped {
		<-s.done
	}
	return err
}

// accept accepts until the app shuts down, or ln fails.
func (s *stdServer) accept(a *App, ln net.Listener, config *tls.Config) (stopped bool, err error) {
	wait := time.Millisecond
	for {
		c, err := ln.Accept()
		switch {
		case err == nil:
			wait = time.Millisecond
			s.welcome(a, c, config)
		case s.isStopped():
			s.welcomeQueue(a, ln, config)
			ln.Close()
			return true, nil
		case isTemporary(err):
			a.config.Logger.Error("accepting a connection", "error", err)
			time.Sleep(wait)
			wait = min(2*wait, time.Second)
		default:
			return false, err
		}
	}
}

// stopAccepting ends a call of Accept. Where it can, it leaves the listener open:
// closing it would reset the connections in its queue.
func stopAccepting(ln net.Listener) {
	if d, ok := ln.(interface{ SetDeadline(time.Time) error }); !ok || d.SetDeadline(time.Unix(1, 0)) != nil {
		ln.Close()
	}
}

// isTemporary reports whether accepting may succeed again, as when the file table
// was full.
func isTemporary(err error) bool {
	var t interface{ Temporary() bool }
	return errors.As(err, &t) && t.Temporary()
}

func (s *stdServer) isStopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

// welcome lets a connection in.
func (s *stdServer) welcome(a *App, nc net.Conn, config *tls.Config) {
	from := netconn.AddrOf(nc.RemoteAddr())
	if !s.gate.Enter(from.Addr()) {
		nc.Close()
		return
	}
	if t, ok := nc.(*tls.Conn); ok {
		// net/http must see it as it is, or it would not speak HTTP/2 on it. So its
		// end is not seen here, and it can't count towards the limits.
		s.gate.Leave(from.Addr())
		s.uncounted.Store(true)
		s.queue.Put(t)
		return
	}
	c := &netconn.Conn{Conn: nc, Leave: func() { s.gate.Leave(from.Addr()) }, Guard: netconn.Guard{Limit: positive(a.config.Limits.WriteStall)}}
	if config == nil && !a.awaitsProxy(from) {
		s.queue.Put(c)
		return
	}
	s.preparing.Go(func() {
		ready, err := a.prepare(c, config)
		switch {
		case tlsconn.LacksTLS(err):
			a.refusing(400, tlsconn.DetailLacksTLS, netconn.AddrOf(c.RemoteAddr()))
			c.Refuse(appendRefusal(nil, http1.AppendDateLine(nil, time.Now().Unix()), 400, tlsconn.DetailLacksTLS))
			return
		case err != nil:
			s.refusals.Log(a.config.Logger, "connection refused", "from", from, "error", err)
			c.Close()
			return
		}
		s.queue.Put(ready)
	})
}

// takeOver serves a connection that comes from a loop, which counts it.
func (s *stdServer) takeOver(a *App, c net.Conn) {
	s.get(a)
	s.uncounted.Store(true)
	s.queue.Put(c)
}

// stdGrace is how long connections without a request stay open when the app shuts
// down.
const stdGrace = 500 * time.Millisecond

// graceLook is how often it is looked whether a connection is left.
const graceLook = 5 * time.Millisecond

// awaitRequests gives connections that haven't sent their request yet time for it, as long
// as there are any, and for grace at most.
func (s *stdServer) awaitRequests(ctx context.Context, grace time.Duration) {
	over := time.After(grace)
	look := time.NewTicker(graceLook)
	defer look.Stop()
	for s.gate.Open() > 0 || s.uncounted.Load() {
		select {
		case <-over:
			return
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// shutdown drains; what is left when ctx ends is cut.
func (s *stdServer) shutdown(a *App, ctx context.Context) error {
	server := s.get(a)
	s.mu.Lock()
	first, served := !s.stopped, len(s.listeners) > 0 || s.queue.Used()
	s.stopped = true
	for ln := range s.listeners {
		stopAccepting(ln)
	}
	s.mu.Unlock()
	s.gate.Unlimit() // those that have connected are served, however many there are
	if !first {
		<-s.done
		return nil
	}
	defer close(s.done)
	if served {
		s.accepting.Wait()
		s.preparing.Wait() // Limits.Handshake and Limits.ReadHead bound it
		s.awaitRequests(ctx, stdGrace)
	}
	err := server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(errors.New("nano: requests were cut off by the shutdown"), err, server.Close())
	}
	return err
}

// drainTime bounds ctx by Limits.Drain.
func (a *App) drainTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if d := a.config.Limits.Drain; d > 0 {
		return context.WithTimeout(ctx, d)
	}
	return context.WithCancel(ctx)
}

// prepare does what comes before the first request of a connection.
func (a *App) prepare(c *netconn.Conn, config *tls.Config) (net.Conn, error) {
	if a.awaitsProxy(netconn.AddrOf(c.Conn.RemoteAddr())) {
		if err := c.ReadProxy(a.config.Limits.ReadHead); err != nil {
			return nil, err
		}
	}
	if config == nil {
		return c, nil
	}
	return c.Handshake(config, a.config.Limits.Handshake)
}
