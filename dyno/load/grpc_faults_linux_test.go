package load

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	xhttp2 "golang.org/x/net/http2"

	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/grpc"
	"dyno.example/nano/wire/http2"
)

const echoProto = `
syntax = "proto3";
package echo;
message Text { string text = 1; int64 n = 2; }
service Echo {
  rpc One(Text) returns (Text);
  rpc Many(Text) returns (stream Text);
  rpc Talk(stream Text) returns (stream Text);
}
`

// echoes is a spec of n calls of a service that no server describes.
func echoes(t *testing.T, target, engine, method, message string, n uint64) Spec {
	t.Helper()
	file := filepath.Join(t.TempDir(), "echo.proto")
	if err := os.WriteFile(file, []byte(echoProto), 0o600); err != nil {
		t.Fatal(err)
	}
	s := overHTTP2(target, engine, 1, 2, n)
	s.Requests = []request.Request{request.NewGRPC(&request.GRPC{Method: "echo.Echo/" + method, Schema: request.Schema{Protos: []string{file}}}, message)}
	return s
}

// framed is a message with its prefix.
func framed(text string) []byte { return append(grpc.AppendPrefix(nil, len(text), false), text...) }

// respond sends a response of gRPC: its head, messages, and trailers unless there are none.
func (p *peer) respond(stream uint32, body []byte, trailers ...string) {
	p.head(stream, false, ":status", "200", "content-type", "application/grpc")
	p.WriteData(stream, len(trailers) == 0, body)
	if len(trailers) > 0 {
		p.head(stream, true, trailers...)
	}
}

// TestGRPCFaults: what is no response of gRPC, or a wrong one, is an error of its kind.
func TestGRPCFaults(t *testing.T) {
	one := framed("\x0a\x01x")
	for _, c := range []struct {
		name, method string
		do           script
		kind, why    string // "" if it is no fault
	}{
		{"as it should be", "One", func(p *peer, id uint32) { p.respond(id, one, "grpc-status", "0") }, "", ""},
		{"trailers only", "One", func(p *peer, id uint32) {
			p.head(id, true, ":status", "200", "content-type", "application/grpc", "grpc-status", "7", "grpc-message", "not%20you")
		}, "grpc", "PERMISSION_DENIED: not you"},
		{"trailers only that say OK", "One", func(p *peer, id uint32) {
			p.head(id, true, ":status", "200", "content-type", "application/grpc", "grpc-status", "0")
		}, "body", "a call with one response message had 0"},
		{"no messages of a stream", "Many", func(p *peer, id uint32) {
			p.head(id, true, ":status", "200", "content-type", "application/grpc", "grpc-status", "0")
		}, "", ""},
		{"status of a number that has no meaning", "One", func(p *peer, id uint32) { p.respond(id, nil, "grpc-status", "77") }, "grpc", "UNKNOWN"},
		{"no status", "One", func(p *peer, id uint32) { p.respond(id, one) }, "body", "without a status of gRPC"},
		{"no status in the trailers", "One", func(p *peer, id uint32) { p.respond(id, one, "x", "y") }, "body", "without a status of gRPC"},
		{"status that is no number", "One", func(p *peer, id uint32) { p.respond(id, one, "grpc-status", "OK") }, "body", `the status is no number: grpc-status: "OK"`},
		{"two messages", "One", func(p *peer, id uint32) { p.respond(id, bytes.Repeat(one, 2), "grpc-status", "0") }, "body", "a call with one response message had 2"},
		{"half a message", "Many", func(p *peer, id uint32) { p.respond(id, one[:6], "grpc-status", "0") }, "body", "ended within a message"},
		{"a wrong flag", "Many", func(p *peer, id uint32) { p.respond(id, []byte{9, 0, 0, 0, 0}, "grpc-status", "0") }, "body", "neither 0 nor 1"},
		{"compressed without a word", "Many", func(p *peer, id uint32) {
			p.respond(id, []byte{1, 0, 0, 0, 0}, "grpc-status", "0")
		}, "body", "no field grpc-encoding"},
		{"a message that is too long", "Many", func(p *peer, id uint32) {
			p.respond(id, []byte{0, 0xff, 0xff, 0xff, 0xff}, "grpc-status", "0")
		}, "body", "more than the limit"},
		{"status of HTTP", "One", func(p *peer, id uint32) {
			p.head(id, false, ":status", "503", "content-type", "text/html")
			p.WriteData(id, true, []byte("<h1>no"))
		}, "status", "status 503 Service Unavailable instead of a response of gRPC, which clients take for UNAVAILABLE"},
		{"a page", "One", func(p *peer, id uint32) {
			p.head(id, false, ":status", "200", "content-type", "text/html")
			p.WriteData(id, true, []byte("<h1>hello"))
		}, "body", "its content-type is not application/grpc"},
		{"grpc-web", "One", func(p *peer, id uint32) {
			p.head(id, true, ":status", "200", "content-type", "application/grpc-web+proto", "grpc-status", "0")
		}, "body", "its content-type is not application/grpc"},
		{"a reset", "One", func(p *peer, id uint32) { p.WriteRSTStream(id, xhttp2.ErrCodeInternal) }, "stream", "INTERNAL_ERROR"},
		{"another codec's name", "One", func(p *peer, id uint32) {
			p.head(id, false, ":status", "200", "content-type", "application/grpc+proto")
			p.WriteData(id, false, one)
			p.head(id, true, "grpc-status", "0")
		}, "", ""},
		{"in pieces", "Many", func(p *peer, id uint32) {
			p.head(id, false, ":status", "200", "content-type", "application/grpc")
			for _, b := range bytes.Repeat(one, 3) {
				p.WriteData(id, false, []byte{b})
			}
			p.head(id, true, "grpc-status", "0")
		}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachLoop(t, func(t *testing.T, engine string) {
				const n = 10
				r := ran(t, echoes(t, scripted(t, c.do), engine, c.method, `{"text": "a"}`, n))
				all := allWindows(r)
				if c.kind == "" {
					if all.Completed+all.Drained != n || all.Errors.Total() != 0 {
						t.Fatalf("completed %d, errors %+v (%v)", all.Completed, all.Errors, r.FirstErrors)
					}
					return
				}
				if all.Completed+all.Drained != 0 || !strings.Contains(r.FirstErrors[c.kind].String(), c.why) {
					t.Fatalf("completed %d, errors %+v (%q), want %s: %q", all.Completed, all.Errors, r.FirstErrors, c.kind, c.why)
				}
				for _, e := range all.Errors.ByKind() {
					if want := map[bool]uint64{true: n}[e.Kind == c.kind]; e.Count != want {
						t.Errorf("%d errors of kind %s, want %d", e.Count, e.Kind, want)
					}
				}
				f := r.Failures[0]
				if head, message, _ := strings.Cut(f.Sent, "\r\n\r\n"); !strings.HasPrefix(head, "POST /echo.Echo/"+c.method+" ") || !strings.Contains(strings.ReplaceAll(message, " ", ""), `{"text":"a"`) {
					t.Errorf("it is shown as %q", f.Sent)
				}
			})
		})
	}
}

// talks is a server that does with each message on a stream what a test wants.
func talks(t *testing.T, each func(p *peer, stream uint32, nth int)) string {
	return server(t, func(c net.Conn) {
		p := newPeer(c)
		if p == nil {
			return
		}
		said := map[uint32]int{}
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
			case *xhttp2.MetaHeadersFrame:
				p.head(f.StreamID, false, ":status", "200", "content-type", "application/grpc")
			case *xhttp2.DataFrame:
				if len(f.Data()) > 0 {
					said[f.StreamID]++
					each(p, f.StreamID, said[f.StreamID])
				}
				if f.StreamEnded() {
					p.head(f.StreamID, true, "grpc-status", "0")
				}
			}
		}
	})
}

// TestGRPCStreamFaults: what goes wrong on a stream that stays open fails the message
// that is under way, and no other.
func TestGRPCStreamFaults(t *testing.T) {
	one := framed("\x0a\x01x")
	for _, c := range []struct {
		name      string
		each      func(p *peer, stream uint32, nth int)
		kind, why string
		failed    uint64 // of 12
	}{
		{"as it should be", func(p *peer, id uint32, nth int) { p.WriteData(id, false, one) }, "", "", 0},
		{"a response to no request", func(p *peer, id uint32, nth int) {
			p.WriteData(id, false, bytes.Repeat(one, 2))
		}, "", "", 0},
		{"an end instead of the third response", func(p *peer, id uint32, nth int) {
			if nth == 3 {
				p.head(id, true, "grpc-status", "14", "grpc-message", "gone")
				return
			}
			p.WriteData(id, false, one)
		}, "grpc", "UNAVAILABLE: gone", 4},
		{"success instead of the third response", func(p *peer, id uint32, nth int) {
			if nth == 3 {
				p.head(id, true, "grpc-status", "0")
				return
			}
			p.WriteData(id, false, one)
		}, "body", "the server ended the stream (OK) before it had responded to the message", 4},
		{"a reset instead of the third response", func(p *peer, id uint32, nth int) {
			if nth == 3 {
				p.WriteRSTStream(id, xhttp2.ErrCodeCancel)
				return
			}
			p.WriteData(id, false, one)
		}, "stream", "CANCEL", 4},
		{"a wrong flag", func(p *peer, id uint32, nth int) {
			if nth == 3 {
				p.WriteData(id, false, []byte{7, 0, 0, 0, 0})
				return
			}
			p.WriteData(id, false, one)
		}, "body", "neither 0 nor 1", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachLoop(t, func(t *testing.T, engine string) {
				s := echoes(t, talks(t, c.each), engine, "Talk", `{"text": "a"}`, 12)
				s.Link.Streams = 1
				r := ran(t, s)
				all := allWindows(r)
				if all.Completed+all.Drained != 12-c.failed || all.Errors.Total() != c.failed || !strings.Contains(r.FirstErrors[c.kind].String(), c.why) {
					t.Errorf("completed %d, errors %+v (%q)", all.Completed+all.Drained, all.Errors, r.FirstErrors)
				}
			})
		})
	}
}

// TestGRPCDoesNotAllocate counts what calls allocate while they go on: constant ones, ones
// whose messages are templates, and messages on streams that stay open.
func TestGRPCDoesNotAllocate(t *testing.T) {
	target := nullGRPC(t)
	for _, c := range []struct{ method, message string }{
		{"One", `{"text": "a"}`}, {"One", `{"text": "user {{string 8}}", "n": {{seq}}}`}, {"Talk", `{"text": "{{uuid}}"}`}, {"Many", `{}`},
	} {
		eachLoopAlone(t, func(t *testing.T, engine string) {
			s := echoes(t, target, engine, c.method, c.message, 0)
			s.Profile, s.Link.Streams = profile.Profile{Mode: profile.Closed, Connections: 4}, 10
			doesNotAllocate(t, s)
		})
	}
}

// nullGRPC responds to each message with an empty one, and each end with OK, without
// allocating, so that what is counted is ours.
func nullGRPC(t *testing.T) string {
	config := http2.NewConfig(http2.Config{Server: true, Table: 4096, Settings: http2.Settings{HeaderTable: 4096, MaxConcurrent: 1000, InitialWindow: 1 << 20, MaxFrame: http2.MinMaxFrame, MaxHeaderList: 16 << 10}, Window: 1 << 30})
	kind, zero, empty := []byte(grpc.ContentType), []byte("0"), framed("")
	return server(t, func(c net.Conn) {
		var wire http2.Conn
		var pool http2.Pool
		var in bytes.Buffer
		buf := make([]byte, 64<<10)
		wire.Start(config, &pool, clock.Now())
		for {
			if _, err := c.Write(wire.Out); err != nil {
				return
			}
			wire.Out = wire.Out[:0]
			wire.Flushed()
			n, err := c.Read(buf)
			if err != nil {
				return
			}
			in.Write(buf[:n])
			for {
				n, ev, err := wire.Next(in.Bytes(), clock.Now())
				if err != nil {
					return
				}
				in.Next(n)
				if ev.Kind == http2.More {
					break
				}
				switch s := ev.Stream; ev.Kind {
				case http2.EventHead:
					wire.Response(s, 200)
					wire.Known(http2.NameContentType, kind)
					wire.EndHeaders(false)
				case http2.EventData:
					wire.Consume(s, len(ev.Data))
					if len(ev.Data) > 0 {
						wire.SendData(s, empty, false)
					}
				case http2.EventReset:
					wire.Release(s)
				}
				if ev.End {
					wire.Trailers(ev.Stream)
					wire.Known(http2.NameGRPCStatus, zero)
					wire.EndHeaders(true)
					wire.Release(ev.Stream)
				}
			}
		}
	})
}
