package nano

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/internal/engine"
	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/handoff"
	"dyno.example/nano/wire/loop"
	"dyno.example/nano/wire/reactor"
	"dyno.example/nano/wire/sockets"
)

// serving is the state of an app that serves.
type serving struct {
	once      sync.Once
	server    *engine.Server
	broken    error
	std       stdServer // for what loops don't speak, and listeners that aren't sockets
	listeners handoff.Listeners
}

func init() {
	engine.OnSystem = func(app any, sys loop.System) (*engine.Server, error) {
		a := app.(*App)
		a.endRegistration()
		a.once.Do(func() { a.server, a.broken = engine.StartOn(sys, a.engineConfig()) })
		return a.server, a.broken
	}
}

// start makes the loops, once.
func (a *App) start() (*engine.Server, error) {
	a.once.Do(func() { a.server, a.broken = engine.Start(a.engineConfig()) })
	return a.server, a.broken
}

// listen opens a socket for each loop on the same address (SO_REUSEPORT), or takes
// those of the process before. config is nil without TLS.
func (a *App) listen(address string, config *tls.Config) error {
	s, err := a.start()
	if err != nil {
		return err
	}
	if files := handoff.Claim(address); len(files) > 0 {
		return a.listenInherited(s, address, files, config)
	}
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return a.listenUnix(s, address, path, config)
	}
	fds, err := sockets.OpenEach(address, s.Loops(), a.config.ReusePort)
	if err != nil {
		return inUse(err)
	}
	a.holdSockets(address, fds)
	return s.Serve(fds, true, config)
}

// listenUnix opens one socket, which all loops share.
func (a *App) listenUnix(s *engine.Server, address, path string, config *tls.Config) error {
	ln, err := sockets.ListenUnix(path, a.config.UnixMode)
	if err != nil {
		return err
	}
	fds, err := sockets.Share(ln, s.Loops())
	if err != nil {
		return err
	}
	a.holdSockets(address, fds[:1])
	s.RemoveAtEnd(path)
	return s.Serve(fds, false, config)
}

// serveListener takes over a listener's socket. All loops share it.
func (a *App) serveListener(ln net.Listener, config *tls.Config) error {
	tcp := false
	switch ln := ln.(type) {
	case *net.TCPListener:
		tcp = true
	case *net.UnixListener:
		ln.SetUnlinkOnClose(false)
	default:
		return a.std.serve(a, ln, config)
	}
	s, err := a.start()
	if err != nil {
		return err
	}
	fds, err := sockets.Share(ln.(sockets.Listener), s.Loops())
	if err != nil {
		return err
	}
	if !tcp {
		s.RemoveAtEnd(ln.Addr().String())
	}
	return s.Serve(fds, tcp, config)
}

// holdSockets notes the sockets of an address. The loops close them when the app
// drains; until then duplicates can be made.
func (a *App) holdSockets(address string, fds []int) {
	fds = append([]int(nil), fds...)
	a.listeners.Hold(address, func() (files []*os.File, err error) {
		if a.server.Draining() {
			return nil, ErrServerClosed
		}
		for _, fd := range fds {
			other, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
			if err != nil {
				return files, err
			}
			files = append(files, os.NewFile(uintptr(other), address))
		}
		return files, nil
	})
}

// listenInherited serves on the sockets of the process before. If there are more
// loops than sockets, some share one.
func (a *App) listenInherited(s *engine.Server, address string, files []*os.File, config *tls.Config) error {
	fds := make([]int, 0, max(len(files), s.Loops()))
	for i := range cap(fds) {
		fd, err := sockets.Descriptor(files[i%len(files)])
		if err != nil {
			sockets.CloseAll(fds)
			return err
		}
		fds = append(fds, fd)
	}
	for _, f := range files {
		f.Close()
	}
	a.holdSockets(address, fds[:len(files)])
	path, isUnix := strings.CutPrefix(address, "unix:")
	if isUnix {
		s.RemoveAtEnd(path)
	}
	handoff.Served()
	return s.Serve(fds, !isUnix, config)
}

// Shutdown stops accepting, completes the requests that have been received, and closes
// the connections. It returns when all that is done. When ctx or Limits.Drain ends
// first, the contexts of requests that are left are cancelled with [ErrDrainTimeout],
// their connections are cut, and an error is returned.
func (a *App) Shutdown(ctx context.Context) error {
	a.drains.begin()
	s, err := a.start()
	if err != nil {
		return err
	}
	ctx, cancel := a.drainTime(ctx)
	defer cancel()
	std := make(chan error, 1)
	go func() { std <- a.std.shutdown(a, ctx) }()
	s.Drain()
	select {
	case <-s.Ended():
		return <-std
	case <-ctx.Done():
	}
	s.Cut()
	return errors.Join(errors.New("nano: requests were cut off by the shutdown"), ctx.Err(), <-std)
}

// engineConfig is how the event loops serve the app.
func (a *App) engineConfig() engine.Config {
	l := &a.config.Limits
	return engine.Config{
		App: engineApp{a}, Loops: a.config.Loops, H2C: a.config.H2C, Debug: a.config.Debug, Logger: a.config.Logger,
		BodyTooLarge: ErrBodyTooLarge, BodyTooSlow: errTooSlow,
		Limits: engine.Limits{
			Head: l.Head, URI: l.URI, Fields: l.Fields, Body: l.Body, BufferBody: l.BufferBody,
			Connections: l.Connections, PerAddress: l.PerAddress, Requests: l.Requests,
			Handshake: l.Handshake, ReadHead: l.ReadHead, ReadBody: l.ReadBody, MinRate: l.MinRate,
			Idle: l.Idle, WriteStall: l.WriteStall, MinTake: l.MinTake, Handler: l.Handler, Drain: l.Drain,
		},
	}
}

// engineApp is the app as the event loops see it.
type engineApp struct{ app *App }

func (e engineApp) NewExchange() *exchange.Exchange { return &e.app.newRequest().Exchange }

func (e engineApp) BodyLimits() bool { return e.app.routes.bodyLimits }

func (e engineApp) AwaitsProxy(peer netip.AddrPort) bool { return e.app.awaitsProxy(peer) }

func (e engineApp) Refuse(out, date []byte, status int, detail string, from netip.AddrPort) []byte {
	e.app.refusing(status, detail, from)
	return appendRefusal(out, date, status, detail)
}

func (e engineApp) KeepsSockets() bool { return e.app.listeners.Given() }

func (e engineApp) RefusalBody(status int, detail string, from netip.AddrPort) []byte {
	e.app.refusing(status, detail, from)
	return refusalBody(status, detail)
}

func (e engineApp) Violated(err error, from netip.AddrPort) { e.app.violated(err, from) }

func (e engineApp) TakeOver(c net.Conn) { e.app.std.takeOver(e.app, c) }

func (e engineApp) BadBody(status int, detail string, err error) error {
	return NewProblem(status, detail).Because(err)
}

func (e engineApp) BodyCut(err error) error { return bodyCut(err) }

// welcomeQueue serves the connections in the queue of a listener that accepts no more.
func (s *stdServer) welcomeQueue(a *App, ln net.Listener, config *tls.Config) {
	socket, ok := ln.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return
	}
	for {
		fd, errno := -1, unix.Errno(0)
		if err := raw.Control(func(ln uintptr) { fd, _, errno = reactor.Accept(int(ln)) }); err != nil || errno != 0 {
			return
		}
		c, err := sockets.Conn(fd)
		unix.Close(fd) // the net.Conn has one of its own
		if err == nil {
			s.welcome(a, c, config)
		}
	}
}

// changed is when a file or what is known of it changed last; no program can set it.
func changed(info fs.FileInfo) time.Time {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(s.Ctim.Unix())
	}
	return time.Now()
}
