package load

import (
	"crypto/tls"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/nano/wire/clock"
)

// fate is what becomes of a request: it returns at once, later, or never while the
// request is waited for.
type fate func(over <-chan struct{})

// freezes holds what comes between two instants since the first request until the end
// of it.
func freezes(from, until time.Duration) fate {
	var first atomic.Int64
	return func(over <-chan struct{}) {
		first.CompareAndSwap(0, clock.Now())
		if at := time.Duration(clock.Now() - first.Load()); at >= from && at < until {
			select {
			case <-time.After(until - at):
			case <-over:
			}
		}
	}
}

// hangs never lets one in n go on.
func hangs(n int64) fate {
	var seen atomic.Int64
	return func(over <-chan struct{}) {
		if seen.Add(1)%n == 0 {
			<-over
		}
	}
}

// protocols are ways to send requests that have code of their own for what is under
// way, each with a server that does with every request what a fate says.
var protocols = map[string]func(t *testing.T, s *Spec, f fate){
	"http1-tls": func(t *testing.T, s *Spec, f fate) {
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			f(r.Context().Done())
			io.WriteString(w, "ok")
		}))
		srv.Config.ErrorLog = log.New(io.Discard, "", 0)
		cert, _, _ := certificate(t, time.Now().Add(time.Hour))
		srv.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
		srv.StartTLS()
		t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
		s.Target, s.TLS.Insecure = srv.URL, true
	},
	"http2": func(t *testing.T, s *Spec, f fate) {
		s.Target = http2Server(t, nil, 1000, func(w http.ResponseWriter, r *http.Request) {
			f(r.Context().Done())
			io.WriteString(w, "ok")
		})
		multiplex(s)
	},
	"http2-tls": func(t *testing.T, s *Spec, f fate) {
		cert, _, _ := certificate(t, time.Now().Add(time.Hour))
		s.Target = http2Server(t, &tls.Config{Certificates: []tls.Certificate{cert}}, 1000, func(w http.ResponseWriter, r *http.Request) {
			f(r.Context().Done())
			io.WriteString(w, "ok")
		})
		s.TLS.Insecure = true
		multiplex(s)
	},
	"grpc": func(t *testing.T, s *Spec, f fate) {
		s.Target = http2Server(t, nil, 1000, echoing(f))
		multiplex(s)
		s.Requests = []request.Request{request.NewGRPC(&request.GRPC{Method: "echo.Echo/One", Schema: echoSchema(t)}, `{"text": "a"}`)}
	},
	"grpc-messages": func(t *testing.T, s *Spec, f fate) {
		s.Target = http2Server(t, nil, 1000, echoing(f))
		multiplex(s)
		s.Requests = []request.Request{request.NewGRPC(&request.GRPC{Method: "echo.Echo/Talk", Schema: echoSchema(t), Unit: request.UnitMessage}, `{"text": "a"}`)}
	},
}

// multiplex puts two requests on each connection, half as many of these.
func multiplex(s *Spec) { s.Link.Streams, s.Profile.Connections = 2, s.Profile.Connections/2 }

func echoSchema(t *testing.T) request.Schema {
	file := filepath.Join(t.TempDir(), "echo.proto")
	if err := os.WriteFile(file, []byte(echoProto), 0o600); err != nil {
		t.Fatal(err)
	}
	return request.Schema{Protos: []string{file}}
}

// echoing responds to each message of a call with one, as a fate lets it.
func echoing(f fate) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status")
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		prefix := make([]byte, 5)
		for {
			if _, err := io.ReadFull(r.Body, prefix); err != nil {
				break
			}
			if _, err := io.CopyN(io.Discard, r.Body, int64(prefix[4])); err != nil {
				break
			}
			f(r.Context().Done())
			w.Write(framed("\x0a\x01x"))
			w.(http.Flusher).Flush()
		}
		w.Header().Set("Grpc-Status", "0")
	}
}

// TestNothingIsForgottenOverAnyProtocol: what TestDrain… and others say of HTTP/1.1
// holds of all that has code of its own for what is under way.
func TestNothingIsForgottenOverAnyProtocol(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	open := profile.Profile{Mode: profile.Open, Connections: 4, Rate: 400, Arrivals: profile.Uniform}
	const patience = 2 * time.Second // in which a busy machine makes dozens of connections with TLS
	wide := open
	wide.Connections = 60
	type one struct {
		what                     string
		profile                  profile.Profile
		fate                     func() fate
		duration, drain, timeout time.Duration
		holds                    func(wrong func(string, ...any), r *Result, w *measure.Window)
	}
	cases := []one{
		{"what was due is sent", open, func() fate { return freezes(300*ms, 900*ms) }, 600 * ms, 0, 0, func(wrong func(string, ...any), _ *Result, w *measure.Window) {
			if w.Offered != 240 || w.Completed+w.Drained != 240 || w.Unfinished != 0 || w.Sent != 240 {
				wrong("offered %d, sent %d, completed %d, drained %d, unfinished %d, errors %+v", w.Offered, w.Sent, w.Completed, w.Drained, w.Unfinished, w.Errors)
			}
			if p60, known := w.Quantile(measure.Response, 60); !known || time.Duration(p60) < 250*ms {
				wrong("p60 is %v, %v", time.Duration(p60), known)
			}
		}},
		{"the drain has an end", open, func() fate { return freezes(200*ms, time.Hour) }, 500 * ms, 200 * ms, 0, func(wrong func(string, ...any), r *Result, w *measure.Window) {
			if w.Offered != 200 || w.Completed+w.Drained+w.Unfinished != 200 || w.Unfinished < 100 {
				wrong("offered %d, completed %d, drained %d, unfinished %d, errors %+v", w.Offered, w.Completed, w.Drained, w.Unfinished, w.Errors)
			}
			if ns, known := w.Quantile(measure.Response, 100); known || time.Duration(ns) < 350*ms {
				wrong("the maximum is at least %v, %v", time.Duration(ns), known)
			}
			if r.leftOut == 0 && !hasFinding(r, finding.Unfinished) {
				wrong("findings %+v", r.Findings)
			}
		}},
		{"closed loops know what hangs", profile.Profile{Mode: profile.Closed, Connections: 20, Think: profile.Think{Mean: 5 * ms}}, func() fate { return hangs(25) }, 900 * ms, 300 * ms, 0, func(wrong func(string, ...any), r *Result, w *measure.Window) {
			if w.Unfinished == 0 || w.Unfinished > 20 || w.Errors.Total() != 0 {
				wrong("unfinished %d, errors %+v", w.Unfinished, w.Errors)
			}
			if ns, known := w.Quantile(measure.Response, 100); known || time.Duration(ns) < 350*ms {
				wrong("the maximum is at least %v, %v", time.Duration(ns), known)
			}
			if r.leftOut == 0 && r.Validity == finding.Valid {
				wrong("a load of which many requests hang is valid")
			}
		}},
		{"closed loops see a freeze at the end", profile.Profile{Mode: profile.Closed, Connections: 16}, func() fate { return freezes(350*ms, 850*ms) }, 600 * ms, 0, 0, func(wrong func(string, ...any), _ *Result, w *measure.Window) {
			if w.Drained != 16 || w.Unfinished != 0 || time.Duration(w.Longest(measure.Response)) < 400*ms {
				wrong("drained %d, unfinished %d, the longest response is %v, errors %+v", w.Drained, w.Unfinished, time.Duration(w.Longest(measure.Response)), w.Errors)
			}
		}},
		{"time-outs prove their limit", wide, func() fate { return hangs(10) }, 800 * ms, 0, patience, func(wrong func(string, ...any), _ *Result, w *measure.Window) {
			if w.Errors.Timeout < 15 || w.Errors.Total() != w.Errors.Timeout+w.Errors.Connect { // a busy machine is late with handshakes
				wrong("errors %+v", w.Errors)
			}
			for _, c := range []measure.Clock{measure.Response, measure.Service, measure.FirstByte} {
				if ns, known := w.Quantile(c, 96); known || time.Duration(ns) < patience-ms {
					wrong("p96 of %s is at least %v, %v", c, time.Duration(ns), known)
				}
			}
		}},
	}
	ways := append(loops(), "portable")
	i := 0
	for _, c := range cases {
		for _, name := range slices.Sorted(maps.Keys(protocols)) {
			speak, way := protocols[name], ways[i%len(ways)] // each protocol has most of the cases on each engine
			i++
			if name == "grpc-messages" && way == "portable" {
				way = loops()[0] // which has no streams of messages
			}
			t.Run(strings.ReplaceAll(c.what, " ", "-")+"/"+name+"/"+way, func(t *testing.T) {
				t.Parallel()
				eventually(t, func(wrong func(string, ...any)) {
					s := spec("", c.profile)
					s.Engine, s.Duration, s.Timeout = way, c.duration, 30*time.Second
					if c.drain > 0 {
						s.Drain = c.drain
					}
					if c.timeout > 0 {
						s.Timeout = c.timeout
					}
					speak(t, &s, c.fate())
					r := ran(t, s)
					c.holds(wrong, r, total(r))
					if hasFinding(r, finding.Little) {
						t.Errorf("the record contradicts itself: %+v", r.Findings)
					}
				})
			})
		}
	}
}
