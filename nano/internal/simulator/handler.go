//go:build linux

package simulator

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"time"

	"dyno.example/nano"
)

// routes are those of the app: a handler does what is planned for the request.
func (w *world) routes(app *nano.App) {
	for n := range 3 {
		for _, route := range []string{"auto", "loop", "goroutine", "suspended"} {
			var options []nano.Option
			switch route {
			case "loop":
				options = append(options, nano.OnLoop)
			case "goroutine":
				options = append(options, nano.OnGoroutine)
			case "suspended":
				options = append(options, nano.Suspended, nano.WithLimits(nano.RouteLimits{ReadBody: -1, MinRate: -1}))
			}
			app.Any(fmt.Sprintf("/%s%d/{id}", route, n), w.handle, options...)
		}
	}
}

var errHandler = errors.New("the handler fails")

// handle runs the handler of a request.
func (w *world) handle(c nano.Ctx) (err error) {
	id, err := c.Param("id").Int()
	if err != nil || id <= 0 || id >= len(w.exchanges) || w.exchanges[id] == nil {
		w.violate("request", "a handler gets %q", c.Path())
		return nano.ErrAborted
	}
	x := w.exchanges[id]
	w.sys.Note("handle", uint64(id), 0, 0)
	if x.handled++; x.handled > 1 || x.begun == 0 {
		w.violate("served-again", "%s", x)
	}
	defer func() {
		x.ended++
		w.sys.Note("handled", uint64(id), 0, 0)
	}()
	token, path := c.Header("X-Token"), c.Path()
	same := func() {
		if string(token) != strconv.Itoa(id) || string(path) != x.path() || c.Method().String() != x.Method {
			w.violate("request", "it is %s %q with token %q: %s", c.Method(), path, token, x)
		}
	}
	same()
	w.sys.Sleep(time.Duration(x.Do.Before))
	if x.switches() {
		return w.switches(c, x)
	}
	if err := w.readBody(c, x); err != nil {
		w.unread(x, err)
		return err
	}
	w.sys.Sleep(time.Duration(x.Do.Between))
	same()
	if x.Do.Waits {
		x.waiting = true
		if !w.sys.Await(c.Done(), 100*time.Second) && x.left && !x.on.deaf {
			w.violate("not-told", "that its client has gone: %s", x)
		}
	}
	err = w.respond(c, x)
	same()
	return err
}

// unread is when a handler can't read the body.
func (w *world) unread(x *exchange, err error) {
	if !w.mayCut(x) {
		w.violate("body", "%v: %s", err, x)
	}
}

// readBody reads what the handler reads of the body.
func (w *world) readBody(c nano.Ctx, x *exchange) error {
	var got []byte
	want := x.body
	x.reading = x.Do.Body != "none" && x.Do.Body != "echo"
	switch x.Do.Body {
	case "whole":
		b, err := c.Body()
		if err != nil {
			return err
		}
		got = b
	case "none":
		x.partly = len(x.body) > 0 || x.Chunked
		return nil
	case "echo":
		return nil
	default:
		r, b := c.BodyReader(), make([]byte, 1+len(x.body)/3)
		for {
			n, err := r.Read(b)
			got = append(got, b[:n]...)
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			if x.Do.Body == "some" && len(got) > len(want)/2 {
				x.partly = true
				want = want[:min(len(got), len(want))]
				break
			}
			w.sys.Sleep(time.Duration(x.Do.Pause))
		}
	}
	if !bytes.Equal(got, want) {
		w.violate("body", "%d of %d bytes, or others: %s", len(got), len(want), x)
	}
	return nil
}

// respond sends the response.
func (w *world) respond(c nano.Ctx, x *exchange) error {
	do := &x.Do
	if do.How == "whole" {
		if err := w.fail(do.End); err != nil {
			return err
		}
		c.SetHeader("X-Id", strconv.Itoa(x.ID))
		if do.Status == 204 || do.Status == 304 {
			return c.NoContent(do.Status)
		}
		return c.Bytes(do.Status, "application/octet-stream", x.response)
	}
	c.SetHeader("X-Id", strconv.Itoa(x.ID))
	length := int64(-1)
	if do.How == "sized" {
		length = int64(len(x.response))
	}
	return c.StreamSized(do.Status, "application/octet-stream", length, func(s *nano.Stream) error {
		if do.Body == "echo" {
			return w.echo(c, s, x)
		}
		err := w.stream(s, x)
		if err != nil && !errors.Is(err, errHandler) && !errors.Is(err, nano.ErrAborted) {
			w.unsent(x, err)
		}
		return err
	})
}

// unsent is when a handler can't write its response.
func (w *world) unsent(x *exchange, err error) {
	if !w.mayCut(x) {
		w.violate("write", "%v: %s", err, x)
	}
}

// echo sends what it reads.
func (w *world) echo(c nano.Ctx, s *nano.Stream, x *exchange) error {
	x.reading = true
	r, b := c.BodyReader(), make([]byte, 1+len(x.body)/x.Do.Pieces)
	for {
		n, err := r.Read(b)
		if err == io.EOF {
			break
		}
		if err != nil {
			w.unread(x, err)
			return err
		}
		if _, err := s.Write(b[:n]); err != nil {
			w.unsent(x, err)
			return err
		}
		if x.Do.Flushes {
			if err := s.Flush(); err != nil {
				w.unsent(x, err)
				return err
			}
		}
		w.sys.Sleep(time.Duration(x.Do.Pause))
	}
	if x.Do.Trailer {
		s.Trailer("X-End", strconv.Itoa(x.ID))
	}
	return nil
}

// stream writes the content in pieces.
func (w *world) stream(s *nano.Stream, x *exchange) error {
	do, rest := &x.Do, x.response
	each := len(rest)/do.Pieces + 1
	for i := range do.Pieces {
		n := min(each, len(rest))
		if do.breaks() && (i == do.Pieces-1 || n == len(rest)) {
			if do.End == "short" && len(x.response) > 0 {
				return nil
			}
			return w.fail(do.End)
		}
		if _, err := s.Write(rest[:n]); err != nil {
			return err
		}
		if rest = rest[n:]; do.Flushes {
			if err := s.Flush(); err != nil {
				return err
			}
		}
		w.sys.Sleep(time.Duration(do.Pause))
	}
	if do.Trailer {
		s.Trailer("X-End", strconv.Itoa(x.ID))
	}
	return nil
}

// fail is how a handler ends that doesn't end well.
func (w *world) fail(how string) error {
	switch how {
	case "abort":
		return nano.ErrAborted
	case "error", "short":
		return errHandler
	case "panic":
		panic("a mistake of the handler")
	case "exit":
		runtime.Goexit()
	}
	return nil
}
