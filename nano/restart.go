package nano

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"dyno/nano/internal/handoff"
	"dyno/nano/internal/sockets"
)

// Restart starts the program anew, as its file is now, with the same arguments,
// and gives it the listening sockets of the app and of others in the same
// process. When the new process serves on all of them, this one stops accepting
// and shuts down. No connection is refused or dropped in between: the sockets and
// the queues behind them are the same.
//
// The new process must call [App.Listen] or [App.ListenTLS] with the same
// addresses. If it ends before that, or ctx does, it is stopped, this one goes on
// serving, and Restart returns an error. The listeners of [App.Serve] can't be
// handed over: those are the caller's, or systemd's, who keeps them itself.
func (a *App) Restart(ctx context.Context, others ...*App) error {
	apps := []*App{a}
	for _, other := range others {
		if !slices.Contains(apps, other) {
			apps = append(apps, other)
		}
	}
	var listeners []*handoff.Listeners
	for _, a := range apps {
		listeners = append(listeners, &a.listeners)
	}
	next, err := handoff.Start(listeners)
	if err != nil {
		return fmt.Errorf("nano: restart: %w", err)
	}
	if err := next.Wait(ctx); err != nil {
		return fmt.Errorf("nano: restart: %w", err)
	}
	_, _ = Notify("MAINPID=" + strconv.Itoa(next.PID()))
	var failures sync.WaitGroup
	errs := make([]error, len(apps))
	for i, a := range apps {
		a.listeners.Give()
		failures.Go(func() { errs[i] = a.Shutdown(ctx) })
	}
	failures.Wait()
	return errors.Join(errs...)
}

// listenStd opens or inherits the socket of an address for net/http. config is
// nil without TLS.
func (a *App) listenStd(address string, config *tls.Config) error {
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
	if config == nil {
		return a.std.serve(a, ln, nil)
	}
	return a.serveTLS(ln, config)
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
	ln, err = net.Listen("tcp", address)
	return ln, false, err
}

// unlink removes the file of a unix socket, unless another process has it now.
func (a *App) unlink(address string) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok && sockets.HasFile(path) && !a.listeners.Given() {
		os.Remove(path)
	}
}
