//go:build !linux

package nano

import (
	"context"
	"crypto/tls"
	"io/fs"
	"net"
	"time"

	"dyno.example/nano/internal/netconn"
	"dyno.example/nano/wire/handoff"
)

func (s *stdServer) welcomeQueue(*App, net.Listener, *tls.Config) {}

// workBegins and workEnds: there are no loops that have to know.
func (a *App) workBegins() {}
func (a *App) workEnds()   {}

// hear: the same.
func (a *App) hear(net.Listener) (stop func()) { return func() {} }

// giveToLoop: there are no loops.
func (a *App) giveToLoop(*tls.Conn, *netconn.Conn) bool { return false }

// serving is the state of an app that serves.
type serving struct {
	std       stdServer
	listeners handoff.Listeners
}

func (a *App) listen(address string) error { return a.listenStd(address, nil) }

func (a *App) serveListener(ln net.Listener) error { return a.std.serve(a, ln, nil) }

// Shutdown stops accepting and waits until the requests under way are complete, for as
// long as ctx and Limits.Drain allow. Then it cuts what is left.
func (a *App) Shutdown(ctx context.Context) error {
	a.drains.begin()
	ctx, cancel := a.drainTime(ctx)
	defer cancel()
	return a.std.shutdown(a, ctx)
}

// changed is not known here, so that nothing is kept.
func changed(fs.FileInfo) time.Time { return time.Now() }
