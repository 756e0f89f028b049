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
//
// What clients send is held against RFC 6455 before the library sees it: frames that
// aren't masked, lengths that aren't in their shortest form, text and reasons that
// aren't UTF-8 and whatever else the protocol forbids end the connection with status
// 1002 or 1007, and are no failure of the handler. Only text that was compressed
// comes unchecked: where that matters, use utf8.Valid. Fields that middleware sets
// are in the 101.
package ws

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/coder/websocket"

	"dyno.example/nano"
)

// Options bound a WebSocket. The zero value is safe.
type Options struct {
	// Origins may connect as well as the host itself: host patterns in the manner of
	// path.Match, such as "*.example.com". Browsers let any page connect, with the
	// cookies of its user.
	Origins []string
	// Subprotocols are offered in this order.
	Subprotocols []string
	// MaxMessage is the largest message that is taken, in bytes; default 32 KiB. A
	// larger one closes the connection with status 1009. Negative: no limit.
	MaxMessage int64
	// Ping is the interval of pings to the client; default 30 s. Negative: never. Pong
	// is how long the client has for the pong, and to close its side when the server
	// closes; default 10 s.
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

// Handler returns a handler for a GET route that makes a WebSocket of the connection
// and calls serve. serve has the connection until it returns; then it is closed: with
// status 1000 if it returned nil, 1011 if it failed. It has to keep reading, as reading
// responds to pings; conn.CloseRead does so for one that only writes.
//
// ctx ends when the pong to a ping is missing. When the app shuts down the client gets
// a close frame of status 1001, which ends the reading. A request that isn't for a
// WebSocket, or from another origin, gets an error response of its own.
func Handler(o Options, serve func(ctx context.Context, conn *websocket.Conn) error) nano.Handler {
	o = o.withDefaults()
	return func(c nano.Ctx) error {
		conn, below, err := accept(c, &o)
		if err != nil {
			return err
		}
		defer conn.CloseNow()
		s := &socket{conn, below, &o}
		ctx, cancel := context.WithCancelCause(c.Context())
		var watching sync.WaitGroup
		draining := c.Draining()
		watching.Go(func() { s.watch(ctx, cancel, draining) })
		err = serve(ctx, conn)
		cancel(context.Canceled)
		watching.Wait()
		return s.closed(err)
	}
}

// socket is a WebSocket and the connection below it.
type socket struct {
	*websocket.Conn
	below *checked
	o     *Options
}

// end closes the WebSocket; an error says that the client has not closed its side.
// The library waits for that, but for ever if the client is silent in the middle of
// a message, so the connection gets a deadline.
func (s *socket) end(code websocket.StatusCode) error {
	_ = s.below.SetDeadline(time.Now().Add(s.o.Pong)) // an error: it is closed already
	return s.Close(code, "")
}

// watch pings the client, and closes with 1001 when the app shuts down.
func (s *socket) watch(ctx context.Context, cancel context.CancelCauseFunc, draining <-chan struct{}) {
	var due <-chan time.Time
	if s.o.Ping > 0 {
		ticker := time.NewTicker(s.o.Ping)
		defer ticker.Stop()
		due = ticker.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-draining:
			_ = s.end(websocket.StatusGoingAway) // an error: it has gone already
			return
		case <-due:
		}
		if err := s.ping(ctx); err != nil {
			cancel(errors.Join(errNoPong, err))
			return
		}
	}
}

var errNoPong = errors.New("ws: the client does not respond to pings")

func (s *socket) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.Pong)
	defer cancel()
	return s.Ping(ctx)
}

// closed closes the connection as serve has ended. That the client went, with a word
// or without, or did what it mustn't, is no error.
func (s *socket) closed(err error) error {
	if v := s.below.wrong.Load(); v != nil { // whatever serve made of it
		_ = s.end(websocket.StatusCode(v.Status()))
		return nil
	}
	if errors.Is(err, websocket.ErrMessageTooBig) { // the library has said so
		return nil
	}
	if err == nil {
		_ = s.end(websocket.StatusNormalClosure) // an error: it has gone already
		return nil
	}
	if websocket.CloseStatus(err) != -1 || errors.Is(err, context.Canceled) {
		return nil
	}
	if s.end(websocket.StatusInternalError) != nil && lost(err) {
		return nil
	}
	return err
}

// lost reports whether an error can be that of a connection that the client has
// left, or that was closed for good while serve was reading.
func lost(err error) bool {
	for _, one := range [...]error{io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}
