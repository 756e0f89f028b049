package load

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/internal/freeport"
)

// peer is one connection of a server that does what a test wants, by x/net's framer.
type peer struct {
	*xhttp2.Framer
	conn    net.Conn
	fields  bytes.Buffer
	encoder *hpack.Encoder
	nth     int   // the connection's number, from 1
	asked   int   // requests on it
	failed  error // of the last head that was sent
}

// script is what such a server does with a request that is complete.
type script func(p *peer, stream uint32)

// scripted starts a server that speaks frames.
func scripted(t *testing.T, do script, settings ...xhttp2.Setting) string {
	t.Helper()
	var conns atomic.Int64
	return server(t, func(c net.Conn) {
		if p := newPeer(c, settings...); p != nil {
			p.nth = int(conns.Add(1))
			p.serve(do)
		}
	})
}

// newPeer begins HTTP/2 on a connection; nil if the client doesn't.
func newPeer(c net.Conn, settings ...xhttp2.Setting) *peer {
	p := &peer{Framer: xhttp2.NewFramer(c, c), conn: c}
	p.encoder = hpack.NewEncoder(&p.fields)
	p.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if _, err := io.ReadFull(c, make([]byte, len(xhttp2.ClientPreface))); err != nil {
		return nil
	}
	p.WriteSettings(settings...)
	return p
}

func (p *peer) serve(do script) {
	for {
		f, err := p.ReadFrame()
		if err != nil {
			return
		}
		ended := false
		switch f := f.(type) {
		case *xhttp2.SettingsFrame:
			if !f.IsAck() {
				p.WriteSettingsAck()
			}
		case *xhttp2.PingFrame:
			if !f.IsAck() {
				p.WritePing(true, f.Data)
			}
		case *xhttp2.MetaHeadersFrame:
			ended = f.StreamEnded()
		case *xhttp2.DataFrame:
			ended = f.StreamEnded()
		}
		if ended {
			p.asked++
			do(p, f.Header().StreamID)
		}
	}
}

// head sends the head of a response.
func (p *peer) head(stream uint32, end bool, fields ...string) {
	p.fields.Reset()
	for i := 0; i < len(fields); i += 2 {
		p.encoder.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	p.failed = p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: stream, BlockFragment: p.fields.Bytes(), EndHeaders: true, EndStream: end})
}

func (p *peer) ok(stream uint32) { p.head(stream, true, ":status", "200") }

// TestHTTP2Faults: each way in which a server can fail requests is a kind of its own,
// counted as often as it happened; what it has not looked at is sent again.
func TestHTTP2Faults(t *testing.T) {
	t.Parallel()
	const n = 60
	each := func(k int, bad script) script { // every k-th request of a connection
		return func(p *peer, stream uint32) {
			if p.asked%k == 0 {
				bad(p, stream)
				return
			}
			p.ok(stream)
		}
	}
	reset := func(code xhttp2.ErrCode) script {
		return func(p *peer, stream uint32) { p.WriteRSTStream(stream, code) }
	}
	tests := []struct {
		name   string
		do     script
		errors measure.Errors // where it is known how many
		some   string         // kind of which there must be some, and no other; "" if errors has them all
		resent bool           // requests were sent again
		says   string
	}{
		{name: "none", do: each(1000, nil)},
		{name: "resets", do: each(3, reset(xhttp2.ErrCodeInternal)), errors: measure.Errors{Stream: n / 3}, says: "INTERNAL_ERROR"},
		{name: "wants HTTP/1.1", do: each(3, reset(xhttp2.ErrCodeHTTP11Required)), errors: measure.Errors{Stream: n / 3}, says: "over HTTP/1.1"},
		{name: "refuses some", do: each(3, reset(xhttp2.ErrCodeRefusedStream)), resent: true},
		{name: "refuses all", do: reset(xhttp2.ErrCodeRefusedStream), errors: measure.Errors{Refused: n}, resent: true, says: "11 times"},
		{name: "status", do: each(3, func(p *peer, stream uint32) { p.head(stream, true, ":status", "503") }), errors: measure.Errors{Status: n / 3}, says: "503"},
		{name: "not as long as promised", do: each(3, func(p *peer, stream uint32) {
			p.head(stream, false, ":status", "200", "content-length", "10")
			p.WriteData(stream, true, []byte("short"))
		}), errors: measure.Errors{Body: n / 3}, says: "RFC 9113 8.1.1"},
		{name: "no status", do: each(3, func(p *peer, stream uint32) { p.head(stream, true, "server", "x") }), errors: measure.Errors{Body: n / 3}, says: "RFC 9113 8.3"},
		{name: "graceful GOAWAY", do: func(p *peer, stream uint32) {
			// One that is under way already, however late its client reads.
			if p.asked == 6 {
				p.WriteGoAway(stream-2, xhttp2.ErrCodeNo, nil)
			}
			if p.asked <= 5 {
				p.ok(stream)
			}
		}, resent: true},
		{name: "GOAWAY and gone", do: func(p *peer, stream uint32) {
			if p.asked == 5 {
				p.WriteGoAway(1<<31-1, xhttp2.ErrCodeInternal, []byte("out of luck"))
				p.conn.(*net.TCPConn).CloseWrite() // closing would lose the GOAWAY, if there is more to read
			}
			if p.asked < 5 {
				p.ok(stream)
			}
		}, some: "goaway", says: "out of luck"},
		{name: "closed in the middle", do: each(7, func(p *peer, stream uint32) {
			p.head(stream, false, ":status", "200")
			p.conn.Close()
		}), some: "reset", says: "before the response was complete"},
		{name: "bad HPACK", do: each(7, func(p *peer, stream uint32) {
			p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte{0xff, 0xff, 0xff}, EndHeaders: true, EndStream: true})
		}), some: "protocol", says: "COMPRESSION_ERROR"},
		{name: "frame that is too large", do: each(7, func(p *peer, stream uint32) {
			p.WriteRawFrame(xhttp2.FrameHeaders, 0, stream, make([]byte, 20_000))
		}), some: "protocol", says: "FRAME_SIZE_ERROR"},
		{name: "interleaved field blocks", do: each(7, func(p *peer, stream uint32) {
			p.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte{0x88}})
			p.WritePing(false, [8]byte{})
		}), some: "protocol", says: "field block"},
		{name: "speaks HTTP/1.1 from then on", do: each(7, func(p *peer, stream uint32) {
			io.WriteString(p.conn, "HTTP/1.1 400 Bad Request\r\n\r\n")
		}), some: "protocol"},
	}
	eachHTTP2Engine(t, func(t *testing.T, engine string) {
		for _, tt := range tests {
			connections, streams := 1, 1
			if tt.some != "" || tt.resent {
				connections, streams = 2, 5
			}
			r := ran(t, overHTTP2(scripted(t, tt.do), engine, connections, streams, n))
			all := everything(r)
			if all.Completed+all.Drained+all.Errors.Total() < n || all.Sent != n {
				t.Errorf("%s: sent %d, completed %d, drained %d, errors %+v (%v)", tt.name, all.Sent, all.Completed, all.Drained, all.Errors, r.FirstErrors)
			}
			if tt.some != "" {
				for _, k := range all.Errors.ByKind() {
					if (k.Count > 0) != (k.Kind == tt.some) {
						t.Errorf("%s: %d errors of kind %s (%v)", tt.name, k.Count, k.Kind, r.FirstErrors)
					}
				}
			} else if all.Errors != tt.errors {
				t.Errorf("%s: errors %+v, want %+v (%v)", tt.name, all.Errors, tt.errors, r.FirstErrors)
			}
			if (all.Resubmitted > 0) != tt.resent {
				t.Errorf("%s: %d requests sent again", tt.name, all.Resubmitted)
			}
			if text := fmt.Sprint(r.FirstErrors); !strings.Contains(text, tt.says) {
				t.Errorf("%s: %s, want %q in it", tt.name, text, tt.says)
			}
		}
	})
}

// TestHTTP2Windows: bodies wait for windows that are closed, and shrunk while they are
// sent, and arrive whole.
func TestHTTP2Windows(t *testing.T) {
	const size = 40_000
	eachHTTP2Engine(t, func(t *testing.T, engine string) {
		var mu sync.Mutex
		got := make(map[uint32]int) // by stream
		target := server(t, func(c net.Conn) {
			p := &peer{Framer: xhttp2.NewFramer(c, c), conn: c}
			p.encoder = hpack.NewEncoder(&p.fields)
			io.ReadFull(c, make([]byte, len(xhttp2.ClientPreface)))
			p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 10_000})
			for {
				f, err := p.ReadFrame()
				if err != nil {
					return
				}
				switch f := f.(type) {
				case *xhttp2.SettingsFrame:
					if !f.IsAck() {
						p.WriteSettingsAck()
					}
				case *xhttp2.HeadersFrame:
					// To nothing: what is under way may be below zero.
					p.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 0})
					p.WriteWindowUpdate(f.StreamID, 15_000)
				case *xhttp2.DataFrame:
					mu.Lock()
					got[f.StreamID] += len(f.Data())
					n := got[f.StreamID]
					mu.Unlock()
					p.WriteWindowUpdate(0, max(uint32(len(f.Data())), 1))
					if f.StreamEnded() {
						p.head(f.StreamID, true, ":status", "200", "x-size", fmt.Sprint(n))
						continue
					}
					p.WriteWindowUpdate(f.StreamID, uint32(len(f.Data())))
				}
			}
		})
		s := overHTTP2(target, engine, 1, 4, 12)
		s.Requests = []request.Request{{Method: "POST", Path: "/", Body: strings.Repeat("z", size), Expect: []string{fmt.Sprintf("header x-size == %d", size)}}}
		r := ran(t, s)
		if all := everything(r); all.Completed+all.Drained != 12 || all.Errors.Total() != 0 {
			t.Errorf("completed %d, errors %+v (%v)", all.Completed+all.Drained, all.Errors, r.FirstErrors)
		}
	})
}

// TestHTTP2Silence: a server that stops responding costs its requests their time limit,
// and the connection, once a PING on it has no response either. One that responds to PINGs
// keeps its connection.
func TestHTTP2Silence(t *testing.T) {
	t.Parallel()
	eachHTTP2Engine(t, func(t *testing.T, engine string) {
		for _, pings := range []bool{false, true} {
			eventually(t, func(wrong func(string, ...any)) {
				stopped := make(chan struct{})
				var conns atomic.Int64
				target := scripted(t, func(p *peer, stream uint32) {
					conns.Store(int64(p.nth))
					if p.nth == 1 && !pings {
						<-stopped // reads nothing either
					}
				})
				s := overHTTP2(target, engine, 1, 2, 0)
				s.Duration, s.Timeout = 2500*time.Millisecond, 500*time.Millisecond
				r := ran(t, s)
				close(stopped)
				all := everything(r)
				if all.Completed != 0 || all.Errors.Timeout < 4 || all.Errors.Timeout+all.Errors.Reset != all.Errors.Total() {
					wrong("pings %v: %+v (%v)", pings, all.Errors, r.FirstErrors)
				}
				if (conns.Load() > 1) == pings {
					wrong("pings %v: %d connections", pings, conns.Load())
				}
				// Since it was due: on a connection that is made again it waits before it is sent.
				waited := r.Total.Waited[measure.Response]
				if waited == nil && r.leftOut == 0 {
					t.Errorf("pings %v: nothing was waited for; %+v", pings, all.Errors)
				}
				if waited != nil && time.Duration(waited.Min()) < s.Timeout*9/10 {
					t.Errorf("pings %v: waited for %v only; %+v, unfinished %d", pings, time.Duration(waited.Min()), all.Errors, all.Unfinished)
				}
			})
		}
	})
}

// TestHTTP2OpenLoopAccounts: whatever a server does to an open loop, each arrival of
// the schedule is accounted for.
func TestHTTP2OpenLoopAccounts(t *testing.T) {
	eachHTTP2Engine(t, func(t *testing.T, engine string) {
		target := scripted(t, func(p *peer, stream uint32) {
			switch {
			case p.nth%4 == 0 && p.asked == 3:
				p.conn.Close()
			case p.asked == 20:
				p.WriteGoAway(stream, xhttp2.ErrCodeNo, nil)
				p.ok(stream)
			case p.asked > 20:
			case p.asked%5 == 0:
				p.WriteRSTStream(stream, xhttp2.ErrCodeRefusedStream)
			case p.asked%7 == 0:
				p.WriteRSTStream(stream, xhttp2.ErrCodeCancel)
			default:
				p.ok(stream)
			}
		}, xhttp2.Setting{ID: xhttp2.SettingMaxConcurrentStreams, Val: 3})
		s := overHTTP2(target, engine, 2, 4, 0)
		s.Profile = profile.Profile{Mode: profile.Open, Connections: 2, Rate: 1000, Arrivals: profile.Poisson}
		s.Duration = 500 * time.Millisecond
		r := ran(t, s)
		all := everything(r)
		if all.Offered != all.Completed+all.Drained+all.Errors.Total()+all.Shed+all.Unfinished {
			t.Errorf("offered %d, but completed %d, drained %d, errors %+v, shed %d, unfinished %d", all.Offered, all.Completed, all.Drained, all.Errors, all.Shed, all.Unfinished)
		}
		if all.Errors.Stream == 0 || all.Resubmitted == 0 || all.Connects == 0 || all.Completed+all.Drained == 0 {
			t.Errorf("%+v", all)
		}
	})
}

// TestHTTP2ServerStops: a server that is stopped while a load runs, and started again,
// costs what was under way and no more; the load goes on.
func TestHTTP2ServerStops(t *testing.T) {
	t.Parallel()
	eachHTTP2Engine(t, func(t *testing.T, engine string) {
		eventually(t, func(wrong func(string, ...any)) {
			ln, err := net.Listen("tcp", freeport.Address(t))
			if err != nil {
				t.Fatal(err)
			}
			address := ln.Addr().String()
			var served atomic.Int64
			serve := func(ln net.Listener) (stop func()) {
				var mu sync.Mutex
				var open []net.Conn
				go func() {
					for {
						c, err := ln.Accept()
						if err != nil {
							return
						}
						mu.Lock()
						open = append(open, c)
						mu.Unlock()
						go func() {
							defer c.Close()
							p := &peer{Framer: xhttp2.NewFramer(c, c), conn: c}
							p.encoder = hpack.NewEncoder(&p.fields)
							p.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
							io.ReadFull(c, make([]byte, len(xhttp2.ClientPreface)))
							p.WriteSettings()
							p.serve(func(p *peer, stream uint32) {
								served.Add(1)
								time.Sleep(time.Millisecond)
								p.ok(stream)
							})
						}()
					}
				}()
				return func() {
					ln.Close()
					mu.Lock()
					defer mu.Unlock()
					for _, c := range open {
						c.Close()
					}
				}
			}
			stop := serve(ln)
			defer func() { stop() }()
			s := overHTTP2("http://"+address, engine, 2, 3, 0)
			s.Duration = time.Second
			back := make(chan int64, 1)
			s.OnStart = func(int64) {
				time.AfterFunc(200*time.Millisecond, func() {
					stop()
					time.Sleep(300 * time.Millisecond)
					again, err := net.Listen("tcp", address)
					if err != nil {
						back <- -1
						return
					}
					at := served.Load()
					stop = serve(again)
					back <- at
				})
			}
			r := ran(t, s)
			at := <-back
			if at < 0 {
				t.Skip("somebody else has taken the port")
			}
			all := everything(r)
			if all.Errors.Reset == 0 || all.Errors.Connect == 0 || all.Errors.Reset+all.Errors.Connect != all.Errors.Total() {
				wrong("errors %+v (%v)", all.Errors, r.FirstErrors)
			}
			if served.Load() == at {
				wrong("nothing was sent after the server had come back")
			}
		})
	})
}
