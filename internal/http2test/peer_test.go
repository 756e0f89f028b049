package http2test

import (
	"net"
	"testing"
	"time"

	"dyno.example/nano/wire/http2"
)

// drive runs one end of a connection: it reads, hands what comes to the Conn, gives
// its events to act, and writes what there is to send. It returns when the
// connection ends. do, if not nil, is called before each read.
func drive(nc net.Conn, c *http2.Conn, act func(*http2.Event), do func()) {
	start := time.Now()
	var in []byte
	buf := make([]byte, 4096)
	for {
		if do != nil {
			do()
		}
		for len(c.Out) > 0 {
			out := c.Out
			c.Out = nil
			if _, err := nc.Write(out); err != nil {
				return
			}
			c.Flushed()
		}
		if c.Err() != nil || c.Drained() {
			return
		}
		n, err := nc.Read(buf)
		if err != nil {
			return
		}
		in = append(in, buf[:n]...)
		for {
			n, ev, err := c.Next(in, int64(time.Since(start)))
			in = in[n:]
			if err != nil || ev.Kind == http2.More {
				break
			}
			act(ev)
		}
	}
}

// dial gives the two ends of a TCP connection: writes to it don't wait for reads,
// as they would on a pipe.
func dial(t *testing.T) (here, there net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	here, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	there, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { here.Close(); there.Close() })
	return here, there
}

// echo is a server that sends each request's body back, or a greeting if there is
// none, with the fields that start with "x-", and the body's length as a trailer.
type echo struct {
	c     *http2.Conn
	waits map[*http2.Stream]*reply
}

// reply is what is to be sent on a stream.
type reply struct {
	body  []byte
	total int
	end   bool
}

func (e *echo) act(ev *http2.Event) {
	s := ev.Stream
	switch ev.Kind {
	case http2.EventHead:
		e.waits[s] = new(reply)
		h := ev.Header
		e.c.Response(s, 200)
		e.c.Known(http2.NameContentType, []byte("text/plain"))
		for _, f := range h.Fields {
			if name := f.Name.Of(h.Bytes); len(name) > 2 && string(name[:2]) == "x-" {
				e.c.Field(name, f.Value.Of(h.Bytes))
			}
		}
		e.c.EndHeaders(false)
		if ev.End {
			e.waits[s].body = []byte("hello, world")
		}
	case http2.EventTooLarge:
		e.c.Response(s, 431)
		e.c.EndHeaders(true)
		e.c.Release(s)
		return
	case http2.EventData:
		r := e.waits[s]
		r.body = append(r.body, ev.Data...)
		r.total += len(ev.Data)
		e.c.Consume(s, len(ev.Data))
	case http2.EventReset:
		if e.waits[s] != nil {
			delete(e.waits, s)
			e.c.Release(s)
		}
		return
	case http2.EventTrailers, http2.EventWritable:
	default:
		return
	}
	r := e.waits[s]
	r.end = r.end || ev.End
	r.body = r.body[e.c.SendData(s, r.body, false):]
	if len(r.body) == 0 && r.end {
		e.c.Trailers(s)
		e.c.Field([]byte("X-Length"), []byte{byte('0' + r.total%10)})
		e.c.EndHeaders(true)
		delete(e.waits, s)
		e.c.Release(s)
	}
}

// serveEcho serves one connection.
func serveEcho(nc net.Conn, cfg *http2.Config) {
	c := new(http2.Conn)
	c.Start(cfg, new(http2.Pool), 0)
	e := &echo{c, map[*http2.Stream]*reply{}}
	drive(nc, c, e.act, nil)
	nc.Close()
}
