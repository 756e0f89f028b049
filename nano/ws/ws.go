// Package ws serves WebSockets (RFC 6455) on nano routes, by
// github.com/coder/websocket:
//
//	app.Get("/echo", ws.Handler(ws.Options{}, func(ctx context.Context, conn *websocket.Conn) error {
//		for {
//			kind, message, err := conn.Read(ctx)
//			if err != nil {
//				return err
//			}
//			if err := conn.Write(ctx, kind, message); err != nil {
//				return err
//			}
//		}
//	}))
package ws

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/coder/websocket"

	"dyno/nano"
)

// Options bound a WebSocket. The zero value is safe.
type Options struct {
	// Origins may connect besides the host itself: host patterns in the manner of
	// path.Match, such as "*.example.com". Browsers let any page connect, with the
	// cookies of its user.
	Origins []string
	// Subprotocols are offered in this order.
	Subprotocols []string
	// MaxMessage is the largest message that is taken, in bytes; default 32 KiB. A
	// larger one closes the connection with status 1009. Negative: no limit.
	MaxMessage int64
	// Ping is how often the client is asked whether it is still there; default
	// 30 s. Pong is how long it has to answer; default 10 s. Negative Ping: never.
	Ping, Pong time.Duration
	// Compression lets clients compress messages (RFC 7692). It costs memory for
	// each connection.
	Compression bool
}

func (o Options) withDefaults() Options {
	o.MaxMessage = cmp.Or(o.MaxMessage, 32<<10)
	o.Ping = cmp.Or(o.Ping, 30*time.Second)
	o.Pong = cmp.Or(o.Pong, 10*time.Second)
	return o
}

// Handler returns a handler for a GET route that makes a WebSocket of the
// connection and calls serve. serve has the connection until it returns; then it is
// closed: with status 1000 if it returned nil, 1011 if it failed. It has to keep
// reading, for pings are answered by reading; conn.CloseRead does so for one that
// only writes.
//
// ctx ends when the client doesn't answer a ping. When the app shuts down the
// client is told to go (status 1001), which ends the reading. A request that asks for
// no WebSocket, or from another origin, is answered with an error of its own.
func Handler(o Options, serve func(ctx context.Context, conn *websocket.Conn) error) nano.Handler {
	o = o.withDefaults()
	return func(c nano.Ctx) error {
		conn, err := accept(c, &o)
		if err != nil {
			return err
		}
		defer conn.CloseNow()
		ctx, cancel := context.WithCancelCause(c.Context())
		var watching sync.WaitGroup
		draining := c.Draining()
		watching.Go(func() { watch(ctx, cancel, conn, &o, draining) })
		err = serve(ctx, conn)
		cancel(context.Canceled)
		watching.Wait()
		return closed(conn, err)
	}
}

// watch pings the client, and tells it to go when the app shuts down.
func watch(ctx context.Context, cancel context.CancelCauseFunc, conn *websocket.Conn, o *Options, draining <-chan struct{}) {
	var due <-chan time.Time
	if o.Ping > 0 {
		ticker := time.NewTicker(o.Ping)
		defer ticker.Stop()
		due = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-draining:
			_ = conn.Close(websocket.StatusGoingAway, "") // an error: it has gone already
			return
		case <-due:
		}
		if err := ping(ctx, conn, o.Pong); err != nil {
			cancel(errors.Join(errNoPong, err))
			return
		}
	}
}

var errNoPong = errors.New("ws: the client does not answer pings")

func ping(ctx context.Context, conn *websocket.Conn, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return conn.Ping(ctx)
}

// closed closes the connection as serve has ended. That the client went is no
// error.
func closed(conn *websocket.Conn, err error) error {
	if err == nil {
		_ = conn.Close(websocket.StatusNormalClosure, "") // an error: it has gone already
		return nil
	}
	if websocket.CloseStatus(err) != -1 || errors.Is(err, context.Canceled) {
		return nil
	}
	_ = conn.Close(websocket.StatusInternalError, "")
	return err
}
