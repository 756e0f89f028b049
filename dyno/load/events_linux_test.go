package load

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/load/stamp"
	"dyno.example/nano/wire/clock"
)

// ofEvents is a spec of connections that listen.
func ofEvents(target, engine string, connections int, e request.Events) Spec {
	s := spec(target, profile.Profile{Mode: profile.Closed, Connections: connections})
	s.Engine, s.Link.Events = engine, &e
	s.TLS.Insecure = true
	return s
}

// eventServer starts a server of events by net/http; do writes them, and nth counts the
// streams from 1.
func eventServer(t *testing.T, secure bool, do func(w http.ResponseWriter, r *http.Request, nth int)) string {
	t.Helper()
	var streams atomic.Int64
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		do(w, r, int(streams.Add(1)))
	}))
	if secure {
		srv.StartTLS()
	} else {
		srv.Start()
	}
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// tell writes and flushes; ok is false when nobody listens any more.
func tell(w http.ResponseWriter, format string, args ...any) (ok bool) {
	_, err := fmt.Fprintf(w, format, args...)
	return err == nil && http.NewResponseController(w).Flush() == nil
}

// TestEvents: each event is counted, and took as long as its stamp says, by either
// clock and wherever the stamp is.
func TestEvents(t *testing.T) {
	const behind = 40 * time.Millisecond
	for _, tt := range []struct {
		stamp  request.Stamp
		secure bool
		event  func() string
	}{
		{request.Stamp{Where: "json:.meta.at", Clock: stamp.Monotonic}, false, func() string {
			return fmt.Sprintf("data: {\"x\": [1, 2],\ndata: \"meta\": {\"at\": %d}}\n\n", clock.Now()-int64(behind))
		}},
		{request.Stamp{Where: "json:.at"}, true, func() string {
			return fmt.Sprintf("event: tick\r\ndata: {\"at\": \"%d\"}\r\n\r\n", time.Now().Add(-behind).UnixNano())
		}},
		{request.Stamp{Where: "id", Clock: stamp.UnixMicro}, false, func() string {
			return fmt.Sprintf("id: %d\ndata: x\n\n", time.Now().Add(-behind).UnixMicro())
		}},
		{request.Stamp{Where: `regexp:at=(\d+)`, Clock: stamp.Monotonic}, false, func() string {
			return fmt.Sprintf(": comment\rdata: at=%d;\r\r", clock.Now()-int64(behind))
		}},
	} {
		eachLoop(t, func(t *testing.T, engine string) {
			target := eventServer(t, tt.secure, func(w http.ResponseWriter, r *http.Request, nth int) {
				if r.Header.Get("Accept") != "text/event-stream" || r.Header.Get("Last-Event-ID") != "" {
					t.Errorf("header %v", r.Header)
				}
				for tell(w, "%s", tt.event()) {
					time.Sleep(2 * time.Millisecond)
				}
			})
			s := ofEvents(target, engine, 5, request.Events{Stamp: &tt.stamp})
			eventually(t, func(wrong func(string, ...any)) {
				r := mustRun(t, s)
				m, h := r.Total.Messages, r.Total.Hist[measure.Response]
				if m.In < 5 {
					wrong("%s: %d events", tt.stamp.Where, m.In)
					return
				}
				if m.In != r.Total.Completed || r.Total.Errors.Total() != 0 || m.Unstamped+m.Ahead+m.Missed+m.Repeated+m.Reconnects != 0 || r.Unit != "events" {
					t.Fatalf("%s: %+v, completed %d %s, errors %v", tt.stamp.Where, m, r.Total.Completed, r.Unit, r.FirstErrors)
				}
				if h == nil || uint64(h.TotalCount()) != m.In || time.Duration(h.Min()) < behind*95/100 {
					t.Errorf("%s: delays %v of %d events", tt.stamp.Where, h, m.In)
				}
				if has(r, finding.Little) {
					t.Errorf("findings %v", r.Findings)
				}
			})
		})
	}
}

// TestEventsMissed: what a server drops is seen by the ids, also across connections
// that are taken up again; what it repeats is, too.
func TestEventsMissed(t *testing.T) {
	eachLoop(t, func(t *testing.T, engine string) {
		eventually(t, func(wrong func(string, ...any)) {
			var asked sync.Map
			// The first stream begins before the load does, which counts from then on.
			hold := make(chan struct{})
			target := eventServer(t, false, func(w http.ResponseWriter, r *http.Request, nth int) {
				if nth == 1 {
					tell(w, "\n")
					<-hold
					time.Sleep(20 * time.Millisecond)
				}
				last := r.Header.Get("Last-Event-ID")
				asked.Store(nth, last)
				switch nth {
				case 1:
					for _, id := range []int{1, 2, 3, 6, 7} {
						tell(w, "retry: 1\nid: %d\ndata: x\n\n", id)
					}
				case 2:
					for _, id := range []int{11, 11, 12} {
						tell(w, "id: %d\ndata: x\n\n", id)
					}
				default:
					tell(w, ": idle\n\n")
					<-r.Context().Done()
				}
			})
			s := ofEvents(target, engine, 1, request.Events{})
			s.OnStart, s.Duration = func(int64) { close(hold) }, 500*time.Millisecond
			r, err := begun(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			all := allWindows(r)
			if m := all.Messages; m.In != 8 || m.Missed != 5 || m.Repeated != 1 || m.Reconnects != 2 || all.Errors.Total() != 0 {
				wrong("%+v, errors %+v %v", m, all.Errors, r.FirstErrors)
			}
			for nth, want := range map[int]string{1: "", 2: "7", 3: "12"} {
				if got, _ := asked.Load(nth); got != want {
					wrong("stream %d began after %q, want %q", nth, got, want)
				}
			}
			if r.leftOut == 0 && !has(r, finding.MissedEvents) {
				wrong("findings %v", r.Findings)
			}
		})
	})
}

// TestEventsFaults: each way in which a stream can fail is reported.
func TestEventsFaults(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, tt := range []struct {
		name, response string
		stays          bool
		kind, says     string
	}{
		{"reset", head + "5\r\ndata:", false, "reset", "in the middle of its stream"},
		{"no chunk", head + "x\r\n", true, "body", "chunk"},
		{"beyond the end", head + "0\r\n\r\nmore", true, "body", "beyond the end"},
		{"too long", head + "ffff\r\n" + strings.Repeat("x", 200), true, "oversize", "longer than the 100 bytes"},
		{"silence", head, true, "timeout", "nothing came for"},
		{"status", "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n", true, "handshake", "503 Service Unavailable"},
		{"kind", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n", true, "handshake", "text/html"},
		{"no kind", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true, "handshake", "no Content-Type"},
		{"no more", "HTTP/1.1 204 No Content\r\n\r\n", true, "handshake", "not to come back"},
	} {
		eachLoop(t, func(t *testing.T, engine string) {
			eventually(t, func(wrong func(string, ...any)) {
				var conns atomic.Int64
				start := make(chan struct{})
				target := server(t, func(c net.Conn) {
					if _, err := http.ReadRequest(bufio.NewReader(c)); err != nil {
						return
					}
					if conns.Add(1) == 1 { // so that the load begins
						io.WriteString(c, head+"3\r\n:\n\n\r\n")
						<-start
						time.Sleep(20 * time.Millisecond)
						if tt.kind != "handshake" {
							io.WriteString(c, strings.TrimPrefix(tt.response, head))
							if !tt.stays {
								return
							}
						} else {
							return
						}
					} else {
						io.WriteString(c, tt.response)
						if !tt.stays {
							return
						}
					}
					io.Copy(io.Discard, c)
				})
				s := ofEvents(target, engine, 1, request.Events{Retry: time.Millisecond, MaxEvent: 100})
				if tt.kind == "timeout" {
					s.Link.Events.Silence = 100 * time.Millisecond
				}
				s.OnStart = func(int64) { close(start) }
				r, err := begun(t.Context(), s)
				if err != nil {
					t.Fatal(err)
				}
				all := allWindows(r)
				count := uint64(0)
				for _, k := range all.Errors.ByKind() {
					if k.Kind == tt.kind {
						count = k.Count
					} else if k.Count > 0 && !(tt.kind == "handshake" && k.Kind == "reset") {
						wrong("%s: %d errors of kind %s (%s)", tt.name, k.Count, k.Kind, r.FirstErrors[k.Kind])
					}
				}
				if count == 0 || !strings.Contains(r.FirstErrors[tt.kind].String(), tt.says) {
					wrong("%s: errors %+v: %v, want %q in it", tt.name, all.Errors, r.FirstErrors, tt.says)
				}
				if tt.name == "no more" && conns.Load() != 2 {
					wrong("%d connections, though the server wants it not to come back", conns.Load())
				}
			})
		})
	}
}

// TestEventsRefused: nothing to listen to is an error before the load.
func TestEventsRefused(t *testing.T) {
	eachLoop(t, func(t *testing.T, engine string) {
		target := server(t, replies("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
		var none *request.UnreachableError
		if _, err := begun(t.Context(), ofEvents(target, engine, 2, request.Events{})); !errors.As(err, &none) || !strings.Contains(none.Why.String(), "404 Not Found") {
			t.Error(err)
		}
	})
}

// TestEventsUntil ends a load by the number of events; a stream without a length, and
// one whose length is known, end without an error.
func TestEventsUntil(t *testing.T) {
	eachLoop(t, func(t *testing.T, engine string) {
		for _, framing := range []string{"", "Content-Length: 9\r\n"} {
			target := server(t, func(c net.Conn) {
				http.ReadRequest(bufio.NewReader(c))
				io.WriteString(c, "HTTP/1.1 200 OK\r\ncontent-type: Text/Event-Stream\r\n"+framing+"\r\ndata: x\n\n")
			})
			s := ofEvents(target, engine, 2, request.Events{Retry: time.Millisecond})
			s.MaxRequests, s.Duration = 20, 0
			r := ran(t, s)
			if all := allWindows(r); all.Completed < 20 || all.Completed > 22 || all.Errors.Total() != 0 || all.Messages.Reconnects < 18 {
				t.Errorf("%q: completed %d, %+v, errors %v", framing, all.Completed, all.Messages, r.FirstErrors)
			}
		}
	})
}

// TestEventsDoNotAllocate per event.
func TestEventsDoNotAllocate(t *testing.T) {
	eachLoopAlone(t, func(t *testing.T, engine string) {
		target := server(t, func(c net.Conn) {
			http.ReadRequest(bufio.NewReader(c))
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
			some := []byte(strings.Repeat("id: 7\ndata: {\"at\": 5}\n\n", 100))
			for {
				if _, err := c.Write(some); err != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
		s := ofEvents(target, engine, 4, request.Events{Stamp: &request.Stamp{Where: "json:.at", Clock: stamp.Monotonic}})
		doesNotAllocate(t, s)
	})
}

func TestEventsSpecCheck(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(s *Spec)
		says   string
	}{
		{"HTTP/2", func(s *Spec) { s.Link.Streams = 1 }, "over HTTP/1.1 only"},
		{"a rate", func(s *Spec) { s.Profile.Mode, s.Profile.Rate, s.Profile.Arrivals = profile.Open, 5, profile.Uniform }, "no rate"},
		{"a think time", func(s *Spec) { s.Profile.Think = profile.Think{Mean: time.Second, Spread: profile.Fixed} }, "no think time"},
		{"reuse", func(s *Spec) { s.Link.Reuse = request.NoReuse }, "held open"},
		{"stamp", func(s *Spec) { s.Link.Events.Stamp = &request.Stamp{Where: "at"} }, "expected id"},
		{"clock", func(s *Spec) { s.Link.Events.Stamp = &request.Stamp{Where: "id", Clock: "sundial"} }, "monotonic-ns"},
		{"silence", func(s *Spec) { s.Link.Events.Silence = -1 }, "silence"},
		{"retry", func(s *Spec) { s.Link.Events.Retry = -1 }, "taken up again"},
		{"longest", func(s *Spec) { s.Link.Events.MaxEvent = -1 }, "longest event"},
		{"expect", func(s *Spec) { s.Requests[0].Expect = []string{"body contains x"} }, "nothing can be expected"},
		{"last id", func(s *Spec) { s.Requests[0].Headers = []request.Header{{Name: "last-event-id", Value: "1"}} }, "leave it out"},
	} {
		s := ofEvents("http://127.0.0.1:1", "", 1, request.Events{})
		tt.change(&s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q in it", tt.name, err, tt.says)
		}
	}
}
