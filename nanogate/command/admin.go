//go:build linux

package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"dyno.example/nano/wire/handoff"
	"dyno.example/nanogate/internal/admin"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
)

// listenAdmin opens the admin address. A socket's file that a process left behind is
// replaced; only the user the gateway runs as can open it.
func listenAdmin(address string) (net.Listener, error) {
	path, isUnix := strings.CutPrefix(address, "unix:")
	if !isUnix {
		return net.Listen("tcp", address)
	}
	ln, err := net.Listen("unix", path)
	if errors.Is(err, syscall.EADDRINUSE) {
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
			return nil, fmt.Errorf("%s: another process listens on it", address)
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
		ln, err = net.Listen("unix", path)
	}
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		ln.Close()
		return nil, err
	}
	return ln, nil
}

// serveAdmin shows the gateway on an address of its own until stop is called. The
// listening socket is held for the process that takes over.
func serveAdmin(g *gateway.Gateway, at config.Admin, held *handoff.Listeners, log *slog.Logger) (stop func(), err error) {
	options := admin.Options{Local: at.Local(), Token: at.Token}
	if err := options.Check(); err != nil {
		return nil, err
	}
	if !options.Local && options.Token == "" {
		log.Warn("the admin address is reachable from other machines and needs no token: anyone who reaches it sees routes, upstreams and metrics", "address", at.Address)
	}
	ln, err := claimAdmin(at.Address)
	if err == nil {
		err = hold(held, at.Address, ln)
	}
	if err != nil {
		return nil, fmt.Errorf("admin: %w", err)
	}
	g.Reserve(ln.Addr())
	if u, ok := ln.(*net.UnixListener); ok {
		u.SetUnlinkOnClose(true) // also of one that was taken over
	}
	app := admin.New(g, options)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := app.Serve(admin.Outside(ln, log)); err != nil {
			log.Error("admin interface stopped", "error", err)
		}
	}()
	if ln.Addr().Network() == "unix" {
		log.Info("admin", "address", at.Address)
	} else {
		log.Info("admin", "address", "http://"+ln.Addr().String()+"/")
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = app.Shutdown(ctx)
		<-ended
	}, nil
}
