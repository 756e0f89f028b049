//go:build linux

package gateway_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// onlyHTTP2 is HTTP/2 by prior knowledge.
func onlyHTTP2() *http.Protocols {
	p := &http.Protocols{}
	p.SetUnencryptedHTTP2(true)
	return p
}

// client1 and client2 are clients over HTTP/1.1 and HTTP/2.
func clientOver(t testing.TB, version int) *http.Client {
	tr := &http.Transport{DisableCompression: true}
	if version == 2 {
		tr.Protocols = onlyHTTP2()
	}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: lifetime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// serverOver is an upstream over HTTP/1.1 or HTTP/2, and its URL.
func serverOver(t testing.TB, version int, h http.HandlerFunc) (url string) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	scheme := "http://"
	if version == 2 {
		s.Config.Protocols, scheme = onlyHTTP2(), "h2c://"
	}
	s.Start()
	t.Cleanup(s.Close)
	return scheme + s.Listener.Addr().String()
}

// TestVersions: what one version says the other is told, in all four combinations.
func TestVersions(t *testing.T) {
	for in := 1; in <= 2; in++ {
		for out := 1; out <= 2; out++ {
			t.Run(fmt.Sprintf("%d to %d", in, out), func(t *testing.T) {
				var seen atomic.Pointer[http.Request]
				url := serverOver(t, out, func(w http.ResponseWriter, r *http.Request) {
					body, _ := io.ReadAll(r.Body)
					seen.Store(r)
					switch r.URL.Path {
					case "/early":
						w.Header().Set("Link", "</x>")
						w.WriteHeader(103)
					case "/none":
						w.WriteHeader(204)
						return
					case "/same":
						w.Header().Set("ETag", `"a"`)
						w.WriteHeader(304)
						return
					}
					w.Header().Add("Set-Cookie", "a=1")
					w.Header().Add("Set-Cookie", "b=2")
					w.Header().Set("Connection", "x-hop")
					w.Header().Set("X-Hop", "1")
					w.Header().Set("Trailer", "X-Sum")
					io.WriteString(w, "got:")
					w.(http.Flusher).Flush()
					w.Write(body)
					w.Header().Set("X-Sum", fmt.Sprint(len(body)))
				})
				_, at := start(t, "routes: [{to: \""+url+"\"}]\n")
				client := clientOver(t, in)
				for _, size := range []int{0, 5, 70_000, 1_000_000} {
					body := bytes.Repeat([]byte("b"), size)
					for _, sized := range []bool{true, false} {
						var from io.Reader = bytes.NewReader(body)
						if !sized {
							from = io.MultiReader(from) // its length isn't known
						}
						req, _ := http.NewRequest("POST", "http://"+at+"/a/b?c=d", from)
						req.Header.Set("Cookie", "k=1; l=2")
						req.Header.Set("TE", "trailers")
						req.Header.Set("X-A", "b")
						if !sized {
							req.Trailer = http.Header{"X-End": {"yes"}}
						}
						resp, err := client.Do(req)
						if err != nil {
							t.Fatal(err)
						}
						got, err := io.ReadAll(resp.Body)
						if err != nil || string(got) != "got:"+string(body) {
							t.Fatalf("%d bytes: %d, %v", size, len(got), err)
						}
						if resp.ProtoMajor != in || len(resp.Header["Set-Cookie"]) != 2 || resp.Trailer.Get("X-Sum") != fmt.Sprint(size) || resp.Header.Get("Date") == "" {
							t.Errorf("%+v", resp)
						}
						if out == 1 && resp.Header.Get("X-Hop") != "" {
							t.Error("a field for one hop went on")
						}
						r := seen.Load()
						if r.ProtoMajor != out || r.Host != at || r.RequestURI != "/a/b?c=d" || r.Header.Get("Cookie") != "k=1; l=2" || r.Header.Get("X-A") != "b" || r.Header.Get("X-Forwarded-For") != "127.0.0.1" {
							t.Errorf("the upstream saw %+v", r)
						}
						if want := fmt.Sprintf("%d.%d nanogate", in, 2-in); r.Header.Get("Via") != want {
							t.Errorf("Via: %s", r.Header.Get("Via"))
						}
						if !sized && size > 0 && r.Trailer.Get("X-End") != "yes" {
							t.Errorf("trailers: %v", r.Trailer)
						}
						if sized && r.ContentLength != int64(size) {
							t.Errorf("content-length: %d", r.ContentLength)
						}
					}
				}
				for path, want := range map[string]int{"/none": 204, "/same": 304, "/early": 200} {
					resp, err := client.Get("http://" + at + path)
					if err != nil || resp.StatusCode != want {
						t.Fatalf("%s: %v, %v", path, resp, err)
					}
					io.Copy(io.Discard, resp.Body)
				}
				resp, err := client.Head("http://" + at + "/")
				if err != nil || resp.StatusCode != 200 {
					t.Errorf("HEAD: %v, %v", resp, err)
				}
			})
		}
	}
}

// framed is a client or server made of x/net's framer, which says what a test wants.
type framed struct {
	testing.TB
	net.Conn
	*xhttp2.Framer
	block   bytes.Buffer
	encoder *hpack.Encoder
}

func newFramed(t testing.TB, c net.Conn) *framed {
	f := &framed{TB: t, Conn: c, Framer: xhttp2.NewFramer(c, c)}
	f.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	f.encoder = hpack.NewEncoder(&f.block)
	return f
}

// dialFramed connects to the gateway.
func dialFramed(t testing.TB, at string, settings ...xhttp2.Setting) *framed {
	f := newFramed(t, dial(t, at).Conn)
	io.WriteString(f.Conn, xhttp2.ClientPreface)
	f.WriteSettings(settings...)
	f.WriteSettingsAck()
	return f
}

// head sends a section of fields, as names and values.
func (f *framed) head(stream uint32, end bool, pairs ...string) {
	f.block.Reset()
	for i := 0; i < len(pairs); i += 2 {
		f.encoder.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	if err := f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: stream, BlockFragment: f.block.Bytes(), EndStream: end, EndHeaders: true}); err != nil {
		f.Error(err)
	}
}

// get sends a GET.
func (f *framed) get(stream uint32, path string) {
	f.head(stream, true, ":method", "GET", ":scheme", "http", ":authority", "h", ":path", path)
}

// until reads frames until one is what is looked for.
func (f *framed) until(what string, is func(xhttp2.Frame) bool) xhttp2.Frame {
	f.Helper()
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			f.Fatalf("%s: %v", what, err)
		}
		if is(frame) {
			return frame
		}
	}
}

// ended reads to the end of a stream, and returns the code of its reset.
func (f *framed) reset(stream uint32) xhttp2.ErrCode {
	f.Helper()
	return f.until("a reset", func(frame xhttp2.Frame) bool {
		r, ok := frame.(*xhttp2.RSTStreamFrame)
		return ok && r.StreamID == stream
	}).(*xhttp2.RSTStreamFrame).ErrCode
}

// framedServer is an upstream that does what the test says with each connection, whose
// preface and settings have been exchanged.
func framedServer(t testing.TB, do func(f *framed)) (url string) {
	return "h2c://" + scripted(t, func(p *peer) {
		preface := make([]byte, len(xhttp2.ClientPreface))
		if _, err := io.ReadFull(p.Conn, preface); err != nil {
			return
		}
		f := newFramed(t, p.Conn)
		f.WriteSettings()
		do(f)
	})
}

// requests calls do for each request that comes.
func (f *framed) requests(do func(h *xhttp2.MetaHeadersFrame)) {
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *xhttp2.SettingsFrame:
			if !frame.IsAck() {
				f.WriteSettingsAck()
			}
		case *xhttp2.PingFrame:
			if !frame.IsAck() {
				f.WritePing(true, frame.Data)
			}
		case *xhttp2.MetaHeadersFrame:
			do(frame)
		}
	}
}

// Why a stream was reset is told to the other side.
func TestResetsArePassedOn(t *testing.T) {
	came := make(chan xhttp2.ErrCode, 1)
	url := framedServer(t, func(f *framed) {
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			switch frame := frame.(type) {
			case *xhttp2.MetaHeadersFrame:
				f.head(frame.StreamID, false, ":status", "200")
				f.WriteData(frame.StreamID, false, []byte("part"))
				if frame.PseudoValue("path") == "/up" {
					f.WriteRSTStream(frame.StreamID, xhttp2.ErrCodeEnhanceYourCalm)
				}
			case *xhttp2.RSTStreamFrame:
				came <- frame.ErrCode
			}
		}
	})
	_, at := start(t, "routes: [{to: \""+url+"\"}]\n")
	f := dialFramed(t, at)
	f.get(1, "/up")
	if code := f.reset(1); code != xhttp2.ErrCodeEnhanceYourCalm {
		t.Errorf("the client was told %v", code)
	}
	f.get(3, "/down")
	f.until("data", func(frame xhttp2.Frame) bool {
		return frame.Header().StreamID == 3 && frame.Header().Type == xhttp2.FrameData
	})
	f.WriteRSTStream(3, xhttp2.ErrCodeInternal)
	if code := <-came; code != xhttp2.ErrCodeInternal {
		t.Errorf("the upstream was told %v", code)
	}
}

// A request that the upstream says it hasn't looked at is sent again, whatever it is:
// with its body, on another connection.
func TestRefusedStreamsAreSentAgain(t *testing.T) {
	for _, how := range []string{"reset", "goaway"} {
		t.Run(how, func(t *testing.T) {
			var connections atomic.Int32
			url := framedServer(t, func(f *framed) {
				first := connections.Add(1) == 1
				body := map[uint32]string{}
				for {
					frame, err := f.ReadFrame()
					if err != nil {
						return
					}
					data, ok := frame.(*xhttp2.DataFrame)
					if !ok {
						continue
					}
					id := data.StreamID
					if body[id] += string(data.Data()); !data.StreamEnded() {
						continue
					}
					switch {
					case first && how == "reset":
						first = false
						f.WriteRSTStream(id, xhttp2.ErrCodeRefusedStream)
					case first:
						f.WriteGoAway(0, xhttp2.ErrCodeNo, nil)
					default:
						f.head(id, false, ":status", "200")
						f.WriteData(id, true, []byte(body[id]))
					}
				}
			})
			_, at := start(t, "routes: [{to: \""+url+"\"}]\n")
			resp, err := clientOver(t, 2).Post("http://"+at, "text/plain", strings.NewReader(strings.Repeat("x", 10_000)))
			if err != nil {
				t.Fatal(err)
			}
			if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 200 || len(body) != 10_000 {
				t.Errorf("%d, %d bytes", resp.StatusCode, len(body))
			}
			if n := connections.Load(); how == "goaway" && n != 2 || how == "reset" && n != 1 {
				t.Errorf("%d connections", n)
			}
		})
	}
}

// A stream that its client doesn't read holds a bounded part of its response, and others
// on the same connections go on.
func TestStreamThatIsNotRead(t *testing.T) {
	for out := 1; out <= 2; out++ {
		t.Run(fmt.Sprint(out), func(t *testing.T) {
			var sent atomic.Int64
			url := serverOver(t, out, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/large" {
					io.WriteString(w, "small")
					return
				}
				piece := make([]byte, 16<<10)
				for r.Context().Err() == nil {
					n, err := w.Write(piece)
					if sent.Add(int64(n)); err != nil {
						return
					}
				}
			})
			_, at := startLoops(t, 1, "routes: [{to: \""+url+"\"}]\n")
			f := dialFramed(t, at, xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 1 << 16})
			f.WriteWindowUpdate(0, 1<<20)
			f.get(1, "/large")
			f.until("data", func(frame xhttp2.Frame) bool { return frame.Header().Type == xhttp2.FrameData })
			last := int64(-1)
			for settled := 0; settled < 3; { // what the upstream could send has come to its end
				time.Sleep(30 * time.Millisecond)
				if now := sent.Load(); now == last {
					settled++
				} else {
					settled, last = 0, now
				}
			}
			if last > 24<<20 { // windows, and what kernels hold
				t.Errorf("%d bytes of a response nobody reads were sent", last)
			}
			for i := range 20 {
				id := uint32(3 + 2*i)
				f.get(id, "/small")
				f.until("a response", func(frame xhttp2.Frame) bool {
					return frame.Header().StreamID == id && frame.Header().Flags.Has(xhttp2.FlagDataEndStream)
				})
			}
		})
	}
}

// An upstream over HTTP/2 that is shut down while there is traffic, with its successor
// beside it, fails no request.
func TestUpstreamRestart(t *testing.T) {
	type server struct {
		*http.Server
		url string
	}
	begin := func() server {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := &http.Server{Protocols: onlyHTTP2(), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			w.Write(body)
		})}
		go s.Serve(ln)
		t.Cleanup(func() { s.Close() })
		return server{s, "h2c://" + ln.Addr().String()}
	}
	one, two := begin(), begin()
	_, at := start(t, "routes: [{to: u, retry: {budget: 100%}}]\nupstreams: {u: [\""+one.url+"\", \""+two.url+"\"]}\n")
	client := clientOver(t, 2)
	stop := make(chan struct{})
	var asked atomic.Int32
	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				resp, err := client.Post("http://"+at, "text/plain", strings.NewReader("hello"))
				if err != nil {
					t.Error(err)
					return
				}
				if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 || string(body) != "hello" {
					t.Errorf("%d %q, %v", resp.StatusCode, body, err)
					return
				}
				asked.Add(1)
			}
		})
	}
	wait := func(more int32) {
		for until := asked.Load() + more; asked.Load() < until && !t.Failed(); {
			time.Sleep(time.Millisecond)
		}
	}
	wait(100)
	if err := one.Shutdown(soon(t)); err != nil {
		t.Error(err)
	}
	wait(100)
	close(stop)
	asking.Wait()
}

// A gateway that ends lets streams go on to their end, and says which is the last.
func TestDrainOverHTTP2(t *testing.T) {
	begun, go1 := make(chan struct{}), make(chan struct{})
	url := serverOver(t, 2, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "first ")
		w.(http.Flusher).Flush()
		close(begun)
		<-go1
		io.WriteString(w, "last")
	})
	g, at := start(t, "routes: [{to: \""+url+"\"}]\n")
	f := dialFramed(t, at)
	f.get(1, "/")
	<-begun
	ended := make(chan error, 1)
	go func() { ended <- g.Shutdown(soon(t)) }()
	f.until("GOAWAY", func(frame xhttp2.Frame) bool { return frame.Header().Type == xhttp2.FrameGoAway })
	close(go1)
	var body []byte
	f.until("the end", func(frame xhttp2.Frame) bool {
		if data, ok := frame.(*xhttp2.DataFrame); ok {
			body = append(body, data.Data()...)
			return data.StreamEnded()
		}
		return false
	})
	if !strings.HasSuffix(string(body), "last") {
		t.Errorf("%q", body)
	}
	f.Conn.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Clients that cost too much are told so, and lose their connection; others don't notice.
func TestFloods(t *testing.T) {
	url := serverOver(t, 2, func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	quick := serverOver(t, 2, func(w http.ResponseWriter, r *http.Request) {})
	_, at := startLoops(t, 1, "routes: [{match: {path: /ok}, to: \""+quick+"\"}, {to: \""+url+"\"}]\n")
	for name, once := range map[string]func(f *framed, i uint32) error{
		"rapid reset": func(f *framed, i uint32) error {
			f.get(2*i+1, "/")
			return f.WriteRSTStream(2*i+1, xhttp2.ErrCodeCancel)
		},
		"pings":    func(f *framed, _ uint32) error { return f.WritePing(false, [8]byte{}) },
		"settings": func(f *framed, _ uint32) error { return f.WriteSettings() },
		"continuation": func(f *framed, i uint32) error {
			if i == 0 {
				return f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 1})
			}
			return f.WriteContinuation(1, false, []byte{0x0f, 0, 1, 'a', 0})
		},
	} {
		if code := flood(t, at, once); code != xhttp2.ErrCodeEnhanceYourCalm {
			t.Errorf("%s: %v", name, code)
		}
		if resp, err := clientOver(t, 2).Get("http://" + at + "/ok"); err != nil || resp.StatusCode != 200 {
			t.Errorf("%s: others: %v, %v", name, resp, err)
		}
	}
}

// quiet keeps errors to itself.
type quiet struct{ testing.TB }

func (quiet) Error(...any) {}

// What isn't HTTP/2 as it should be from an upstream is 502, and costs it the connection.
func TestHostileUpstreamOverHTTP2(t *testing.T) {
	for name, response := range map[string]func(f *framed, id uint32){
		"no status":       func(f *framed, id uint32) { f.head(id, true, "a", "b") },
		"upper case":      func(f *framed, id uint32) { f.head(id, true, ":status", "200", "X-A", "b") },
		"connection":      func(f *framed, id uint32) { f.head(id, true, ":status", "200", "connection", "close") },
		"too short":       func(f *framed, id uint32) { f.head(id, true, ":status", "200", "content-length", "5") },
		"switching":       func(f *framed, id uint32) { f.head(id, false, ":status", "101") },
		"push":            func(f *framed, id uint32) { f.WriteRawFrame(xhttp2.FramePushPromise, 4, id, []byte{0, 0, 0, 2}) },
		"data before":     func(f *framed, id uint32) { f.WriteData(id, true, []byte("x")) },
		"unknown stream":  func(f *framed, id uint32) { f.WriteData(id+100, true, []byte("x")) },
		"window overflow": func(f *framed, id uint32) { f.WriteWindowUpdate(0, 1<<31-1) },
		"no HTTP/2":       func(f *framed, id uint32) { io.WriteString(f.Conn, "HTTP/1.1 200 OK\r\n\r\n") },
	} {
		url := framedServer(t, func(f *framed) {
			f.requests(func(h *xhttp2.MetaHeadersFrame) { response(f, h.StreamID) })
		})
		_, at := startLoops(t, 1, "routes: [{to: \""+url+"\", retry: {attempts: 1}}]\n")
		for in := 1; in <= 2; in++ {
			resp, err := clientOver(t, in).Get("http://" + at)
			if err != nil || resp.StatusCode != 502 {
				t.Errorf("%s to HTTP/%d: %v, %v", name, in, resp, err)
			}
		}
	}
}

// Client and server of HTTP/1.1 text that would be read otherwise in HTTP/2 can't smuggle:
// the fields that frame messages don't pass.
func TestWhatIsRefusedOverHTTP2(t *testing.T) {
	var seen atomic.Int32
	url := serverOver(t, 1, func(w http.ResponseWriter, r *http.Request) { seen.Add(1) })
	_, at := startLoops(t, 1, "client: {head: 4KiB}\nroutes: [{to: \""+url+"\"}]\n")
	request := []string{":method", "POST", ":scheme", "http", ":authority", "h", ":path", "/"}
	for name, pairs := range map[string][]string{
		"chunked":    append(request[:8:8], "transfer-encoding", "chunked"),
		"connection": append(request[:8:8], "connection", "close"),
		"upgrade":    append(request[:8:8], "upgrade", "h2c"),
		"lengths":    append(request[:8:8], "content-length", "1", "content-length", "2"),
		"line end":   append(request[:8:8], "a", "b\r\nc: d"),
		"name":       append(request[:8:8], "a: b\r\nc", "d"),
		"no path":    request[:6],
		"host":       append(request[:8:8], "host", "other"),
		"path":       {":method", "GET", ":scheme", "http", ":authority", "h", ":path", "/ HTTP/1.1\r\nx: y"},
		"te":         append(request[:8:8], "te", "gzip"),
	} {
		f := dialFramed(t, at)
		f.head(1, true, pairs...)
		if code := f.reset(1); code != xhttp2.ErrCodeProtocol {
			t.Errorf("%s: %v", name, code)
		}
	}
	if n := seen.Load(); n != 0 {
		t.Errorf("the upstream saw %d requests", n)
	}
	f := dialFramed(t, at)
	f.head(1, true, append(request[:8:8], "x-large", strings.Repeat("ab", 4000))...)
	head := f.until("431", func(frame xhttp2.Frame) bool { return frame.Header().Type == xhttp2.FrameHeaders }).(*xhttp2.MetaHeadersFrame)
	if head.PseudoValue("status") != "431" {
		t.Errorf("%v", head)
	}
}

// Sticky, guards, limits, rewriting: all work on requests over HTTP/2 as on others.
func TestRoutesOverHTTP2(t *testing.T) {
	url := serverOver(t, 2, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path, r.Header.Get("X-Env")) })
	_, at := start(t, `routes:
  - {match: {path: "/v1/{id}"}, rewrite: "/v2/{id}", request-headers: {set: {X-Env: a}}, response-headers: {set: {X-Out: b}}, to: u}
  - {match: {path: /old}, redirect: "/new"}
  - {match: {path: /fixed}, respond: {status: 418, type: text/plain, body: tea}}
  - {match: {path: /keys}, keys: {file: testdata/none}, to: u}
  - {match: {path: /rate}, limit: {rate: 1/h, burst: 1}, to: u}
  - {match: {path: /fault}, fault: {abort: {status: 503}}, to: u}
upstreams: {u: ["`+url+`"]}
`)
	client := clientOver(t, 2)
	for _, tt := range []struct {
		path   string
		status int
		body   string
	}{{"/v1/7", 200, "/v2/7a"}, {"/old", 308, ""}, {"/fixed", 418, "tea"}, {"/keys", 503, ""}, {"/rate", 200, "/rate"}, {"/rate", 429, ""}, {"/fault", 503, ""}, {"/else", 404, ""}} {
		resp, err := client.Get("http://" + at + tt.path)
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(resp.Body); resp.StatusCode != tt.status || tt.body != "" && string(body) != tt.body {
			t.Errorf("%s: %d %q", tt.path, resp.StatusCode, body)
		}
		if tt.path == "/v1/7" && resp.Header.Get("X-Out") != "b" {
			t.Errorf("%v", resp.Header)
		}
	}
}

// A client of HTTP/2 that says nothing for long is sent away.
func TestIdleOverHTTP2(t *testing.T) {
	_, at := start(t, "client: {idle: 200ms}\nroutes: [{respond: {status: 200, body: a, type: text/plain}}]\n")
	waitFor(t, "a request comes before its connection is too old", func() bool {
		f := dialFramed(t, at)
		f.TB = quiet{t}
		f.get(1, "/")
		responded := false
		var goaway *xhttp2.GoAwayFrame
		for goaway == nil {
			frame, err := f.ReadFrame()
			if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
				return false // nothing came of it in 200 ms, so nobody knows that it is one of HTTP/2
			}
			if err != nil {
				t.Fatalf("GOAWAY: %v", err)
			}
			responded = responded || frame.Header().Type == xhttp2.FrameHeaders
			goaway, _ = frame.(*xhttp2.GoAwayFrame)
		}
		if goaway.ErrCode != xhttp2.ErrCodeNo || responded != (goaway.LastStreamID == 1) {
			t.Errorf("%v, got %v", goaway, responded)
		}
		for {
			if _, err := f.ReadFrame(); err != nil {
				if errors.Is(err, os.ErrDeadlineExceeded) {
					t.Error("the connection stays open")
				}
				return responded
			}
		}
	})
}

// Over TLS both sides agree on HTTP/2 or HTTP/1.1, each by what it speaks.
func TestVersionsOverTLS(t *testing.T) {
	for _, second := range []bool{true, false} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "%s %s %s", r.Proto, r.Header.Get("X-Forwarded-Proto"), body)
		}))
		s.EnableHTTP2 = second
		s.StartTLS()
		t.Cleanup(s.Close)
		at, config := securely(t, 1, "routes: [{to: u}]\nupstreams: {u: {endpoints: [\""+s.URL+"\"], tls: {insecure: true}}}\n")
		for _, client := range []bool{true, false} {
			p := &http.Protocols{}
			p.SetHTTP1(!client)
			p.SetHTTP2(client)
			tr := &http.Transport{TLSClientConfig: config.Clone(), Protocols: p}
			t.Cleanup(tr.CloseIdleConnections)
			var asking sync.WaitGroup
			for range 4 {
				asking.Go(func() {
					for range 5 {
						resp, err := (&http.Client{Transport: tr, Timeout: patience}).Post("https://"+at+"/", "text/plain", strings.NewReader("hi"))
						if err != nil {
							t.Error(err)
							return
						}
						body, err := io.ReadAll(resp.Body)
						resp.Body.Close()
						want := map[bool]string{true: "HTTP/2.0 https hi", false: "HTTP/1.1 https hi"}[second]
						if err != nil || string(body) != want || resp.ProtoMajor != map[bool]int{true: 2, false: 1}[client] {
							t.Errorf("%v: %q, %v", resp.Proto, body, err)
						}
					}
				})
			}
			asking.Wait()
		}
	}
}

// TestH2spec runs the conformance suite h2spec, in its strict mode, through the gateway,
// where it is installed. One case is left out: a wrong preface is a request of HTTP/1.1,
// and treated as one (RFC 9113 3.3, 3.4).
func TestH2spec(t *testing.T) {
	suite, err := exec.LookPath("h2spec")
	if err != nil {
		t.Skip("h2spec is not installed")
	}
	for out := 1; out <= 2; out++ {
		url := serverOver(t, out, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // so that streams stay open as long as their clients want
			io.WriteString(w, "hello")
		})
		_, at := start(t, "routes: [{to: \""+url+"\"}]\n")
		host, port, _ := net.SplitHostPort(at)
		out, err := exec.Command(suite, "-S", "-h", host, "-p", port, "--timeout", "5", "generic", "hpack", "http2/3.5/1", "http2/4", "http2/5", "http2/6", "http2/7", "http2/8").CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
	}
}

// A request's body that its upstream doesn't read is held back, and others go on.
func TestBodyThatIsNotRead(t *testing.T) {
	for out := 1; out <= 2; out++ {
		for in := 1; in <= 2; in++ {
			t.Run(fmt.Sprintf("%d to %d", in, out), func(t *testing.T) {
				read := make(chan struct{})
				url := serverOver(t, out, func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/large" {
						<-read
					}
					n, _ := io.Copy(io.Discard, r.Body)
					fmt.Fprint(w, n)
				})
				_, at := startLoops(t, 1, "routes: [{to: \""+url+"\"}]\n")
				client := clientOver(t, in)
				var sent atomic.Int64
				from := &metered{left: 40 << 20, sent: &sent}
				response := make(chan string, 1)
				go func() {
					resp, err := client.Post("http://"+at+"/large", "text/plain", from)
					if err != nil {
						response <- err.Error()
						return
					}
					body, _ := io.ReadAll(resp.Body)
					response <- string(body)
				}()
				last := int64(-1)
				for settled := 0; settled < 3; {
					time.Sleep(30 * time.Millisecond)
					if now := sent.Load(); now == last {
						settled++
					} else {
						settled, last = 0, now
					}
				}
				if last > 24<<20 {
					t.Errorf("%d bytes of a body nobody reads were taken", last)
				}
				for _, target := range []string{"/empty", "/small"} {
					resp, err := client.Post("http://"+at+target, "text/plain", strings.NewReader(map[string]string{"/small": "abc"}[target]))
					if err != nil {
						t.Fatal(err)
					}
					if body, _ := io.ReadAll(resp.Body); string(body) != map[string]string{"/small": "3", "/empty": "0"}[target] {
						t.Errorf("%q", body)
					}
					time.Sleep(20 * time.Millisecond) // an endpoint's window is shut for 10 ms before requests go elsewhere
				}
				close(read)
				if got := <-response; got != fmt.Sprint(40<<20) {
					t.Errorf("%s bytes came", got)
				}
			})
		}
	}
}

// metered gives bytes and counts them.
type metered struct {
	left int
	sent *atomic.Int64
}

func (m *metered) Read(p []byte) (int, error) {
	if m.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), m.left)
	m.left -= n
	m.sent.Add(int64(n))
	return n, nil
}

// A second endpoint is asked over HTTP/2 as over HTTP/1.1 when the first is late.
func TestHedgeOverHTTP2(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	gone := make(chan struct{}, 100)
	slow := serverOver(t, 2, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
			gone <- struct{}{}
		}
	})
	quick := serverOver(t, 2, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "quick") })
	_, at := startLoops(t, 1, "routes: [{to: u, hedge: {after: 10ms, budget: 100%}}]\nupstreams: {u: {endpoints: [\""+slow+"\", \""+quick+"\"], balance: round-robin}}\n")
	for in := 1; in <= 2; in++ {
		for range 4 {
			resp, err := clientOver(t, in).Get("http://" + at)
			if err != nil {
				t.Fatal(err)
			}
			if body, _ := io.ReadAll(resp.Body); string(body) != "quick" {
				t.Errorf("%d %q", resp.StatusCode, body)
			}
		}
	}
	select {
	case <-gone:
	case <-time.After(patience):
		t.Error("the one that was late wasn't told that nobody waits for it")
	}
}
