package engine

import (
	"crypto/tls"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/internal/netconn"
	eventloop "dyno.example/nano/wire/loop"
)

// admission is the limits of connections, and what becomes of an accepted one.
func (s *Server) admission() eventloop.Admission[*loop, *tls.Config] {
	most := int64(s.config.Limits.Connections) // negative: any number
	return eventloop.Admission[*loop, *tls.Config]{
		Count:     func(n int64) bool { return s.conns.Add(n) <= most || most < 0 },
		Room:      func() bool { return s.conns.Load() < most },
		AllowPeer: s.enter,
		Silent:    func(config *tls.Config) bool { return config != nil },
		Accepted: func(l *loop, fd int, from netip.AddrPort, config *tls.Config) {
			l.openings.take(fd, from, config)
		},
		OutOfFiles: func(*loop) { s.noFiles() },
		AcceptFailed: func(l *loop, errno unix.Errno) {
			s.refusals.Log(l.log(), "accepting a connection", "error", errno)
		},
		ListenFailed: func(l *loop, err error) { l.log().Error("can't listen", "error", err) },
	}
}

// take makes the loop the owner of an accepted connection. With config it begins with TLS.
func (l *openings) take(fd int, from netip.AddrPort, config *tls.Config) {
	if l.Over() {
		l.Sys.Close(fd)
		return
	}
	c, id := l.conns.Add()
	c.begin(fd, id, from)
	if err := l.Poller.Add(fd, c.id); err != nil {
		l.log().Error("connection refused", "error", err)
		l.lifecycle.drop(c)
		return
	}
	if config != nil {
		c.secure, c.opening, c.readable = netconn.NewSecured(fd, config, &l.server.sealed), l.openingOf(from)&opensProxy, false
		l.lifecycle.await(c, phaseHello)
		return
	}
	if c.opening = l.openingOf(from); c.opening&opensProxy != 0 {
		l.lifecycle.await(c, phaseHead) // the proxy has its header ready
	} else {
		l.lifecycle.await(c, phaseIdle)
	}
	l.more = append(l.more, c.id) // most clients send at once
}

// noFiles says, once a second, that connections are turned away.
func (s *Server) noFiles() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.sys.Wall(); now.Sub(s.noticed) > time.Second {
		s.noticed = now
		s.config.Logger.Error("too many open files: connections are turned away", "connections", s.conns.Load())
	}
}
