//go:build linux

package storm

import (
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2"
)

// exchange2 is a request over HTTP/2.
type exchange2 struct {
	*h2stream
	e    *endpoint
	none bool
}

// serve2 serves a connection over HTTP/2.
func (e *endpoint) serve2(nc net.Conn) {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(nc, preface); err != nil {
		return
	}
	time.Sleep(e.greet)
	c := newH2(nc, true, e.window)
	c.most, c.piece = e.streams, e.piece
	c.complain = func(kind, what string) { e.s.violate(kind, "at %s: %s", e.name, what) }
	c.serve = e.stream
	if c.write(func() error { return c.greet2() }) != nil {
		return
	}
	c.frames()
}

// greet2 sends a server's settings; the lock is held.
func (c *h2conn) greet2() error {
	settings := []http2.Setting{{ID: http2.SettingEnableConnectProtocol, Val: 1}}
	if c.window != 65535 {
		settings = append(settings, http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(c.window)})
	}
	if c.most != 0 {
		settings = append(settings, http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: uint32(c.most)})
	}
	if err := c.fr.WriteSettings(settings...); err != nil {
		return err
	}
	return c.fr.WriteWindowUpdate(0, 1<<20)
}

// stream serves one.
func (e *endpoint) stream(s *h2stream) {
	method, path := value(s.head, ":method"), value(s.head, ":path")
	r, one := e.s.begins(e, &s.c.broken, value(s.head, "x-token"), method, path, value(s.head, ":authority"), value(s.head, "x-mirrored") != "")
	if r == nil {
		s.reset(http2.ErrCodeProtocol)
		return
	}
	x := &exchange2{h2stream: s, e: e, none: r.method == "HEAD"}
	switch r.route.kind {
	case "ws":
		e.tunnel2(s, r, one)
	case "json":
		e.handleJSON(x, r, one)
	default:
		e.handle(x, r, one)
	}
	for _, f := range s.trailers {
		e.s.requestTrailer(r, f.Name, []string{f.Value})
	}
	s.c.mu.Lock()
	open := (one.responded || r.route.kind == "ws") && !s.ended && s.err == nil
	s.c.mu.Unlock()
	if open {
		s.reset(http2.ErrCodeNo) // the rest of the body isn't wanted
	}
}

func (x *exchange2) interim() {
	x.c.write(func() error {
		return x.c.headersFrame(x.id, []field{{":status", "103"}, {"link", "</a>; rel=preload"}}, false)
	})
}

func (x *exchange2) head(status int, fields []field, length int) error {
	fields = append([]field{{":status", strconv.Itoa(status)}}, fields...)
	if length >= 0 {
		fields = append(fields, field{"content-length", strconv.Itoa(length)})
	}
	return x.c.write(func() error { return x.c.headersFrame(x.id, fields, false) })
}

func (x *exchange2) Write(p []byte) (int, error) {
	if x.none {
		return len(p), nil
	}
	return x.h2stream.Write(p)
}

func (x *exchange2) end(trailers []field) error {
	if x.none {
		trailers = nil
	}
	return x.h2stream.end(trailers)
}

func (x *exchange2) fail(fault string) (goesOn bool) {
	c := x.c
	switch {
	case fault == "refused":
		x.reset(http2.ErrCodeRefusedStream)
	case strings.HasPrefix(fault, "rst-"):
		x.reset([]http2.ErrCode{http2.ErrCodeInternal, http2.ErrCodeCancel, http2.ErrCodeEnhanceYourCalm, http2.ErrCodeProtocol}[x.id/2%4])
	case fault == "goaway0":
		x.e.of.goes()
		if !c.goAway(x.id) {
			x.reset(http2.ErrCodeRefusedStream)
		}
	case fault == "goaway", fault == "goaway-after":
		x.e.of.goes()
		c.goAway(0)
		return true
	case fault == "graceful":
		x.e.of.goes()
		c.write(func() error { return c.fr.WriteGoAway(1<<31-1, http2.ErrCodeNo, nil) })
		time.Sleep(5 * time.Millisecond)
		c.goAway(0)
		return true
	case fault == "close-after":
		x.e.of.disturb() // what else is under way on it
		shut(c.nc)
	default: // close-, cut-
		c.broken.Store(true)
		x.e.of.disturb()
		closeConn(c.nc, strings.HasPrefix(fault, "cut"))
		x.e.of.disturb()
	}
	return false
}

// goAway says which streams are looked at: all up to the one that was served last, or, to
// refuse one, those before it, which it does only if none above it was served.
func (c *h2conn) goAway(refuse uint32) (said bool) {
	c.write(func() error {
		c.mu.Lock()
		last := c.last
		if refuse != 0 {
			if last != refuse || c.went {
				c.mu.Unlock()
				return nil
			}
			last = uint32(max(0, int(refuse)-2))
			delete(c.streams, refuse)
		}
		if c.went {
			last = min(last, c.above)
		}
		c.went, c.above = true, last
		c.mu.Unlock()
		said = true
		return c.fr.WriteGoAway(last, http2.ErrCodeNo, nil)
	})
	return said
}

func (s *h2stream) String() string { return fmt.Sprintf("stream %d", s.id) }
