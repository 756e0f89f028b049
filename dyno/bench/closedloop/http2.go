//go:build linux

package closedloop

import (
	"errors"
	"fmt"

	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/grpc"
	"dyno.example/nano/wire/http2"
)

// HTTP2 gets a path over HTTP/2, which a server without TLS is taken to speak.
func HTTP2(scheme, path string) func() Protocol {
	return multiplexed(&call{method: "GET", scheme: scheme, path: path})
}

// GRPC calls a method, a path, with a message that has its prefix. A response is whole
// when the call's status is in, which must be OK.
func GRPC(path string, message []byte) func() Protocol {
	return multiplexed(&call{method: "POST", scheme: "http", path: path, message: message})
}

// call is a request that is made again and again.
type call struct {
	method, scheme, path string
	message              []byte // nil: the request has no body
}

// window is what a server may send before it learns that something was read.
const window = 1 << 20

func multiplexed(r *call) func() Protocol {
	settings := http2.DefaultSettings
	settings.InitialWindow = window
	config := http2.NewConfig(http2.Config{Settings: settings, Table: 4096, Window: window})
	pool := new(http2.Pool)
	return func() Protocol { return &http2Client{request: r, config: config, pool: pool} }
}

type http2Client struct {
	request *call
	config  *http2.Config
	pool    *http2.Pool
	conn    http2.Conn
	greeted bool
}

func (h *http2Client) Greet(out []byte) []byte {
	h.conn.Start(h.config, h.pool, clock.Now())
	return h.flush(out)
}

// Ready is it once the server's settings are in.
func (h *http2Client) Ready() bool { return h.greeted }

// flush appends what the connection has to send.
func (h *http2Client) flush(out []byte) []byte {
	out = append(out, h.conn.Out...)
	h.conn.Out = h.conn.Out[:0]
	h.conn.Flushed()
	return out
}

func (h *http2Client) Request(out []byte) ([]byte, error) {
	c, r := &h.conn, h.request
	s, err := c.Open()
	if err != nil {
		return out, err
	}
	c.Request(s, []byte(r.method), []byte(r.scheme), []byte("localhost"), []byte(r.path))
	if r.message == nil {
		c.EndHeaders(true)
		return h.flush(out), nil
	}
	c.Known(http2.NameContentType, []byte(grpc.ContentType))
	c.Known(http2.NameTE, []byte("trailers"))
	c.EndHeaders(false)
	if n := c.SendData(s, r.message, true); n < len(r.message) {
		return out, errors.New("the server's window has no room for another message")
	}
	return h.flush(out), nil
}

func (h *http2Client) Read(out, in []byte) (_ []byte, used, responses int, err error) {
	for {
		n, ev, err := h.conn.Next(in[used:], clock.Now())
		used += n
		if err != nil {
			return out, used, responses, err
		}
		if ev.Kind == http2.More {
			return h.flush(out), used, responses, nil
		}
		if err := h.happened(ev); err != nil {
			return out, used, responses, err
		}
		if ev.End {
			h.conn.Release(ev.Stream)
			responses++
		}
	}
}

// happened takes note of an event, and says what is wrong about it.
func (h *http2Client) happened(ev *http2.Event) error {
	switch ev.Kind {
	case http2.EventSettings:
		h.greeted = true
	case http2.EventHead:
		if ev.Header.Status != 200 {
			return fmt.Errorf("a response has the status %d", ev.Header.Status)
		}
		if h.request.message != nil && ev.End {
			return h.status(ev)
		}
	case http2.EventData:
		h.conn.Consume(ev.Stream, len(ev.Data))
		if h.request.message != nil && ev.End {
			return errors.New("a call ends without a status")
		}
	case http2.EventTrailers:
		if h.request.message != nil {
			return h.status(ev)
		}
	case http2.EventReset, http2.EventGoAway:
		return fmt.Errorf("the server ends it: %v", ev.Code)
	}
	return nil
}

// status says what is wrong about the status of a call.
func (h *http2Client) status(ev *http2.Event) error {
	value, _ := ev.Header.Find(grpc.FieldStatus)
	if code, ok := grpc.ParseCode(value); !ok || code != grpc.OK {
		return fmt.Errorf("a call ends with the status %q", value)
	}
	return nil
}
