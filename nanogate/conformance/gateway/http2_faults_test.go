//go:build linux

package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"
)

// flood does something again and again until its connection is ended, and returns why.
func flood(t testing.TB, at string, once func(f *framed, i uint32) error) xhttp2.ErrCode {
	f := dialFramed(t, at)
	f.TB = quiet{t} // what is written to a connection that ended fails
	gone := make(chan xhttp2.ErrCode, 1)
	go func() {
		defer close(gone)
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			if g, ok := frame.(*xhttp2.GoAwayFrame); ok {
				gone <- g.ErrCode
				return
			}
		}
	}()
	for i := uint32(0); i < 1_000_000; i++ {
		select {
		case code := <-gone:
			return code
		default:
		}
		if once(f, i) != nil {
			break
		}
	}
	return <-gone
}

// More of what clients do that costs them nothing: each loses its connection, and what an
// upstream has had to do with it is bounded.
func TestMoreFloods(t *testing.T) {
	var came atomic.Int64
	url := serverOver(t, 2, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ok" {
			return
		}
		came.Add(1)
		<-r.Context().Done()
	})
	_, at := startLoops(t, 1, "routes: [{to: \""+url+"\"}]\n")
	for name, once := range map[string]func(f *framed, i uint32) error{
		"rapid reset": func(f *framed, i uint32) error {
			f.get(2*i+1, "/")
			return f.WriteRSTStream(2*i+1, xhttp2.ErrCodeCancel)
		},
		"made to reset": func(f *framed, i uint32) error { // CVE-2025-8671
			f.get(2*i+1, "/")
			return f.WriteRawFrame(xhttp2.FrameWindowUpdate, 0, 2*i+1, []byte{0, 0, 0, 0})
		},
		"too many streams": func(f *framed, i uint32) error {
			f.get(2*i+1, "/")
			return nil
		},
		"windows":  func(f *framed, _ uint32) error { return f.WriteWindowUpdate(0, 1) },
		"priority": func(f *framed, _ uint32) error { return f.WritePriority(1, xhttp2.PriorityParam{}) },
		"empty data": func(f *framed, i uint32) error {
			if i == 0 {
				f.head(1, false, ":method", "POST", ":scheme", "http", ":authority", "h", ":path", "/")
			}
			return f.WriteData(1, false, nil)
		},
		"unknown frames": func(f *framed, _ uint32) error { return f.WriteRawFrame(0xbe, 0, 0, []byte("x")) },
	} {
		came.Store(0)
		began := time.Now()
		if code := flood(t, at, once); code != xhttp2.ErrCodeEnhanceYourCalm {
			t.Errorf("%s: %v", name, code)
		}
		// Streams that are reset are counted: 500, and 50 a second; 100 are under way at once.
		if n, most := came.Load(), 700+50*int64(time.Since(began)/time.Second+1); n > most {
			t.Errorf("%s: the upstream had %d requests, of %d at most", name, n, most)
		}
		if resp, err := clientOver(t, 2).Get("http://" + at + "/ok"); err != nil || resp.StatusCode != 200 {
			t.Errorf("%s: others: %v, %v", name, resp, err)
		}
	}
}

// A few bytes of a field block that stand for many are a head over the limit, not memory.
func TestFieldBlockBomb(t *testing.T) {
	url := serverOver(t, 2, func(w http.ResponseWriter, r *http.Request) {})
	_, at := startLoops(t, 1, "routes: [{to: \""+url+"\"}]\n")
	f := dialFramed(t, at)
	f.head(1, true, ":method", "GET", ":scheme", "http", ":authority", "h", ":path", "/", "x", strings.Repeat("v", 3800))
	if status, _ := f.responseHead(); status != "200" {
		t.Fatal(status)
	}
	// The field is in the table of fields now, and takes a byte.
	f.block.Reset()
	f.block.WriteString("\x82\x86\x84\x01\x01h")
	f.block.WriteString(strings.Repeat("\xbe", 15_000))
	f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: 3, BlockFragment: f.block.Bytes(), EndStream: true, EndHeaders: true})
	head := f.until("a response", func(frame xhttp2.Frame) bool {
		return frame.Header().StreamID == 3 && frame.Header().Type == xhttp2.FrameHeaders
	}).(*xhttp2.MetaHeadersFrame)
	if head.PseudoValue("status") != "431" {
		t.Errorf("%v", head.Fields)
	}
}

// Upstreams over HTTP/2 that flood, stop, or take back what they have said: their requests
// fail in time, others don't notice, and nothing waits for ever.
func TestUpstreamsThatFlood(t *testing.T) {
	until := func(do func() error) {
		for do() == nil {
		}
	}
	ok := func(f *framed, id uint32) { f.head(id, false, ":status", "200") }
	for name, do := range map[string]func(f *framed, id uint32){
		"continuation": func(f *framed, id uint32) {
			f.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: id, BlockFragment: []byte{0x88}})
			until(func() error { return f.WriteContinuation(id, false, []byte{0x0f, 0, 1, 'a', 0}) })
		},
		"settings": func(f *framed, id uint32) { until(func() error { return f.WriteSettings() }) },
		"pings":    func(f *framed, id uint32) { until(func() error { return f.WritePing(false, [8]byte{}) }) },
		"interim responses": func(f *framed, id uint32) {
			for range 10_000 {
				f.head(id, false, ":status", "103", "link", strings.Repeat("x", 5000))
			}
		},
		"empty data": func(f *framed, id uint32) {
			ok(f, id)
			until(func() error { return f.WriteData(id, false, nil) })
		},
		"no regard to windows": func(f *framed, id uint32) {
			ok(f, id)
			until(func() error { return f.WriteData(id, false, make([]byte, 16<<10)) })
		},
		"large head": func(f *framed, id uint32) {
			pairs := []string{":status", "200"}
			for range 30 { // which is a byte each after the first
				pairs = append(pairs, "x", strings.Repeat("v", 3800))
			}
			f.head(id, true, pairs...)
		},
		"wrong index":           func(f *framed, id uint32) { f.WriteRawFrame(xhttp2.FrameHeaders, 5, id, []byte{0xff, 0xff, 0x7f}) },
		"trailers without end":  func(f *framed, id uint32) { ok(f, id); f.head(id, false, "a", "b") },
		"refuses for ever":      func(f *framed, id uint32) { f.WriteRSTStream(id, xhttp2.ErrCodeRefusedStream) },
		"goes away for ever":    func(f *framed, id uint32) { f.WriteGoAway(0, xhttp2.ErrCodeNo, nil) },
		"a part of a frame":     func(f *framed, id uint32) { f.Conn.Write([]byte{0, 0, 9, 1, 4}) },
		"says nothing":          func(f *framed, id uint32) {},
		"stops in the middle":   func(f *framed, id uint32) { ok(f, id); f.WriteData(id, false, []byte("part")) },
		"resets":                func(f *framed, id uint32) { f.WriteRSTStream(id, xhttp2.ErrCodeInternal) },
		"resets after its head": func(f *framed, id uint32) { ok(f, id); f.WriteRSTStream(id, xhttp2.ErrCodeNo) },
		"takes its windows back": func(f *framed, id uint32) {
			f.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 0})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := framedServer(t, func(f *framed) {
				f.TB = quiet{t}
				f.requests(func(h *xhttp2.MetaHeadersFrame) { do(f, h.StreamID) })
			})
			suffers(t, url)
		})
	}
	for name, settings := range map[string][]xhttp2.Setting{
		"no streams": {{ID: xhttp2.SettingMaxConcurrentStreams, Val: 0}},
		"no window":  {{ID: xhttp2.SettingInitialWindowSize, Val: 0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			suffers(t, "h2c://"+scripted(t, func(p *peer) {
				io.ReadFull(p.Conn, make([]byte, len(xhttp2.ClientPreface)))
				f := newFramed(t, p.Conn)
				f.TB = quiet{t}
				f.WriteSettings(settings...)
				f.requests(func(*xhttp2.MetaHeadersFrame) {})
			}))
		})
	}
	t.Run("no settings", func(t *testing.T) {
		t.Parallel()
		suffers(t, "h2c://"+scripted(t, func(p *peer) { io.Copy(io.Discard, p.Conn) }))
	})
}

// suffers sees requests to an upstream fail, and others not.
func suffers(t *testing.T, url string) {
	well := serverOver(t, 2, func(w http.ResponseWriter, r *http.Request) {})
	_, at := startLoops(t, 1, `client: {rate: 0B}
routes: [{match: {path: /ok}, to: "`+well+`"}, {to: bad, retry: {attempts: 1}}]
upstreams: {bad: {endpoints: ["`+url+`"], connect: 300ms, response: 300ms, idle: 300ms}}
`)
	for in := 1; in <= 2; in++ {
		client := clientOver(t, in)
		resp, err := client.Post("http://"+at, "text/plain", strings.NewReader("body"))
		if err == nil {
			var body []byte
			body, err = io.ReadAll(resp.Body)
			if err == nil && resp.StatusCode < 500 {
				t.Errorf("over HTTP/%d: %d %q, as if all were well", in, resp.StatusCode, body)
			}
		}
		if err != nil && strings.Contains(fmt.Sprint(err), "Timeout") {
			t.Errorf("over HTTP/%d: %v", in, err)
		}
		if resp, err := clientOver(t, in).Get("http://" + at + "/ok"); err != nil || resp.StatusCode != 200 {
			t.Errorf("others: %v, %v", resp, err)
		}
	}
}
