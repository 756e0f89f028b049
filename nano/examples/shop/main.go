// Command shop is a small service that has what most services have: groups, tokens,
// validation, uploads, server-sent events, WebSockets, an OpenAPI document, metrics,
// traces, a graceful end and restarts that lose no request.
//
//	SHOP_SECRET=$(openssl rand -hex 32) go run ./nano/examples/shop -address 127.0.0.1:8080 -files /tmp/shop
//
// SIGTERM drains and ends it. SIGHUP starts the program's file as it is now, and hands
// the sockets over.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"dyno.example/nano"
)

func main() {
	address := flag.String("address", "127.0.0.1:8080", "where to listen")
	files := flag.String("files", "files", "folder of uploaded pictures")
	flag.Parse()
	if err := run(*address, *files, os.Getenv("SHOP_SECRET")); err != nil {
		slog.Error("shop", "error", err)
		os.Exit(1)
	}
}

// minSecret is the size of a key for HS256 (RFC 7518 3.2).
const minSecret = 32

func run(address, files, secret string) error {
	if len(secret) < minSecret {
		return fmt.Errorf("the environment variable SHOP_SECRET must have at least %d bytes; make it with: openssl rand -hex 32", minSecret)
	}
	if err := os.MkdirAll(files, 0o750); err != nil {
		return err
	}
	root, err := os.OpenRoot(files)
	if err != nil {
		return err
	}
	defer root.Close()
	s := newShop(root)
	app := s.app([]byte(secret), nil)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt, syscall.SIGHUP) // before others can see that it is up
	defer signal.Stop(signals)
	ended := make(chan error, 1)
	go func() { ended <- app.Listen(address) }()
	return untilSignal(app, signals, ended)
}

// untilSignal serves until a signal ends it, or it ends by itself. After a restart
// the new process serves, and this one ends when its requests have ended.
func untilSignal(app *nano.App, signals <-chan os.Signal, ended <-chan error) error {
	for {
		select {
		case err := <-ended:
			return err
		case s := <-signals:
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			err := end(ctx, app, s)
			cancel()
			if err == nil {
				return <-ended
			}
			slog.Error("going on", "signal", s, "error", err)
		}
	}
}

// end restarts or shuts down, by the signal. After an error the service goes on.
func end(ctx context.Context, app *nano.App, s os.Signal) error {
	if s == syscall.SIGHUP {
		return app.Restart(ctx)
	}
	if err := app.Shutdown(ctx); err != nil {
		slog.Warn("requests were cut", "error", err)
	}
	return nil
}

var errNoItem = errors.New("there is no such item")
