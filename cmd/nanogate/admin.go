//go:build linux

package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"dyno/gate"
	"dyno/gate/admin"
)

// serveAdmin shows the gateway on an address of its own until stop is called.
func serveAdmin(g *gate.Gateway, address string, log *slog.Logger) (stop func(), err error) {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("admin: %w", err)
	}
	app := admin.New(g)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := app.Serve(ln); err != nil {
			log.Error("the admin address has ended", "error", err)
		}
	}()
	log.Info("admin", "address", "http://"+ln.Addr().String()+"/")
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = app.Shutdown(ctx)
		<-ended
	}, nil
}
