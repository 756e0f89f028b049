//go:build !linux

package nano

import (
	"context"
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"os"
	"strings"
	"time"

	"dyno.example/nano/wire/handoff"
	"dyno.example/nano/wire/sockets"
)

func (s *stdServer) welcomeQueue(*App, net.Listener, *tls.Config) {}

// serving is the state of an app that serves.
type serving struct {
	std       stdServer
	listeners handoff.Listeners
}

// listen opens or inherits the socket of an address for net/http. config is
// nil without TLS.
func (a *App) listen(address string, config *tls.Config) error {
	ln, claimed, err := openOrInherit(a, address)
	if err != nil {
		return err
	}
	a.listeners.Hold(address, func() ([]*os.File, error) {
		f, err := ln.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			return nil, err
		}
		return []*os.File{f}, nil
	})
	if claimed {
		handoff.Served()
	}
	defer a.unlink(address)
	return a.std.serve(a, ln, config)
}

// unlink removes the file of a unix socket, unless another process has it now.
func (a *App) unlink(address string) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok && sockets.HasFile(path) && !a.listeners.Given() {
		os.Remove(path)
	}
}

func openOrInherit(a *App, address string) (ln net.Listener, claimed bool, err error) {
	if files := handoff.Claim(address); len(files) > 0 {
		for _, f := range files[1:] {
			f.Close() // of more loops than there are now
		}
		ln, err := net.FileListener(files[0])
		return ln, true, errors.Join(err, files[0].Close())
	}
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		ln, err := sockets.ListenUnix(path, a.config.UnixMode)
		return ln, false, err
	}
	ln, err = sockets.Config(a.config.ReusePort).Listen(context.Background(), "tcp", address)
	return ln, false, inUse(err)
}

func (a *App) serveListener(ln net.Listener, config *tls.Config) error {
	return a.std.serve(a, ln, config)
}

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
