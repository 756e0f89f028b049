package engine

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/internal/netconn"
	"dyno.example/nano/wire/http2"
	eventloop "dyno.example/nano/wire/loop"
	"dyno.example/nano/wire/sockets"
	"dyno.example/nano/wire/tlsconn"
)

// Server is what the loops of an app share.
type Server struct {
	config   *Config
	sys      eventloop.System
	http2    *http2.Config
	loops    []*loop
	watchdog watchdog
	turns    sync.Pool // of *turn
	sealed   sync.Pool // of *[]byte: buffers of TLS connections
	ctx      context.Context
	cancel   context.CancelCauseFunc
	acceptor eventloop.Acceptor[*loop, *tls.Config]
	ended    chan struct{} // closed when all loops have ended
	running  atomic.Int32  // loops

	tickEvery time.Duration // of connections with HTTP/2

	handshakes tlsconn.Turns   // to compute
	shaken     tlsconn.Results // of handshakes

	elsewhere atomic.Int64 // goroutines without a loop that work: handlers, handshakes
	conns     atomic.Int64 // open connections

	mu      sync.Mutex
	peers   map[netip.Addr]int // connections by address, if that is limited
	noticed time.Time          // last message about a full file table
	sockets []string           // paths of unix sockets, removed at the end

	refusals netconn.ThrottledLog
}

// Start makes the loops and starts them.
func Start(config Config) (*Server, error) { return StartOn(eventloop.Kernel{}, config) }

// StartOn does so on a system.
func StartOn(sys eventloop.System, config Config) (*Server, error) {
	s, err := newServer(config, sys)
	if err != nil {
		return nil, err
	}
	s.running.Store(int32(len(s.loops)))
	for _, l := range s.loops {
		s.sys.Go(func() { l.run(s.newTurn(l)) })
	}
	s.sys.Go(func() { s.watchdog.watch(s.sys, s.loops, s.ended) })
	return s, nil
}

// newServer makes the loops, which run on a system.
func newServer(config Config, sys eventloop.System) (*Server, error) {
	s := &Server{config: &config, sys: sys, ended: make(chan struct{}), peers: make(map[netip.Addr]int)}
	s.http2, s.tickEvery = http2Config(&config.Limits), tickEvery(&config.Limits)
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.watchdog.rouse = make(chan struct{}, 1)
	n := config.Loops
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	s.handshakes = tlsconn.NewTurns(n)
	s.handshakes.Longest, s.handshakes.Working = longestTurn, &s.elsewhere
	for range n {
		l, err := newLoop(s)
		if err != nil {
			for _, l := range s.loops {
				l.Poller.Close()
			}
			return nil, fmt.Errorf("nano: %w", err)
		}
		s.loops = append(s.loops, l)
	}
	s.acceptor.Begin(s.sys, s.admission())
	return s, nil
}

// loopEnded is called by each loop when it has ended.
func (s *Server) loopEnded() {
	if s.running.Add(-1) == 0 {
		s.close()
	}
}

// close releases what is left when the last loop has ended.
func (s *Server) close() {
	s.cancel(exchange.ErrDrainTimeout)
	s.acceptor.Close()
	s.mu.Lock()
	if !s.config.App.KeepsSockets() {
		for _, path := range s.sockets {
			os.Remove(path)
		}
	}
	s.mu.Unlock()
	close(s.ended)
	signal(s.watchdog.rouse)
}

// newTurn returns a turn for a loop or a spawned handler.
func (s *Server) newTurn(l *loop) *turn {
	if t, ok := s.turns.Get().(*turn); ok {
		t.loop = l
		return t
	}
	return newTurn(l)
}

// oldTurn takes a turn back. No handler has it any more.
func (s *Server) oldTurn(t *turn) {
	t.renew()
	s.turns.Put(t)
}

// keeps reports whether a connection may carry another request after this one.
func (s *Server) keeps(c *conn) bool {
	most := s.config.Limits.Requests
	return (most <= 0 || int(c.requests) < most) && !s.acceptor.Draining()
}

// enter counts a connection of an address and reports whether there may be one
// more.
func (s *Server) enter(a netip.Addr) bool {
	most := s.config.Limits.PerAddress
	if most <= 0 || !a.IsValid() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.peers[a] >= most {
		return false
	}
	s.peers[a]++
	return true
}

// gone uncounts a connection that was entered.
func (s *Server) gone(from netip.AddrPort) {
	s.forgetPeer(from)
	s.acceptor.Release()
}

func (s *Server) forgetPeer(from netip.AddrPort) {
	if a := from.Addr(); s.config.Limits.PerAddress > 0 && a.IsValid() {
		s.mu.Lock()
		if s.peers[a]--; s.peers[a] == 0 {
			delete(s.peers, a)
		}
		s.mu.Unlock()
	}
}

// Serve deals the listening sockets out to the loops, which are no more than they,
// and waits for the end. With config connections begin with TLS.
func (s *Server) Serve(fds []int, tcp bool, config *tls.Config) error {
	if s.acceptor.Draining() {
		sockets.CloseAll(fds)
		return exchange.ErrServerClosed
	}
	if tcp {
		for _, fd := range fds {
			sockets.KeepAlive(fd)
		}
	}
	s.Listen(fds, config)
	<-s.ended
	return nil
}

// Listen deals the listening sockets out to the loops.
func (s *Server) Listen(fds []int, config *tls.Config) {
	for i, fd := range fds {
		s.loops[i%len(s.loops)].Hand(&message{Open: func(l *loop) { l.listeners.Listen(fd, config) }})
	}
}

// RemoveAtEnd has a unix socket's file removed when the app has ended.
func (s *Server) RemoveAtEnd(path string) {
	if !sockets.HasFile(path) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sockets = append(s.sockets, path)
}

// Loops returns how many there are.
func (s *Server) Loops() int { return len(s.loops) }

// Draining reports whether Drain was called.
func (s *Server) Draining() bool { return s.acceptor.Draining() }

// Ended is closed when all loops have ended.
func (s *Server) Ended() <-chan struct{} { return s.ended }
