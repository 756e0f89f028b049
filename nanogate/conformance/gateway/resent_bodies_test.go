//go:build linux

package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"
)

// lines is content of n bytes that says its own offsets.
func lines(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i += 8 {
		fmt.Fprintf(&b, "%07d\n", i)
	}
	return b.String()[:n]
}

// bodies serves requests over HTTP/2 with their bodies, and gives windows back. Each request
// is told of when its head is there, and done is called when all of its body is.
func (f *framed) bodies(came func(id uint32), part func(id uint32, all string), done func(id uint32, all string)) {
	got := map[uint32]string{}
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		id := frame.Header().StreamID
		switch frame := frame.(type) {
		case *xhttp2.SettingsFrame:
			if !frame.IsAck() {
				f.WriteSettingsAck()
			}
		case *xhttp2.MetaHeadersFrame:
			came(id)
			if frame.StreamEnded() {
				done(id, got[id])
			}
		case *xhttp2.DataFrame:
			got[id] += string(frame.Data())
			if frame.StreamEnded() {
				done(id, got[id])
			} else {
				part(id, got[id])
			}
		}
	}
}

// difference says how a body differs from what was sent.
func difference(got, sent string) string {
	if got == sent {
		return "whole"
	}
	return fmt.Sprintf("%d of %d bytes, beginning with %.8q", len(got), len(sent), got)
}

// A request that an endpoint refuses, or is lost with, after a part of its body has been sent
// goes elsewhere whole, or nowhere: no endpoint ever takes the rest of a body for all of it.
func TestBodiesAreSentAgainWhole(t *testing.T) {
	body := lines(100_000)
	for name, refuse := range map[string]func(f *framed, id uint32){
		"refused": func(f *framed, id uint32) { f.WriteRSTStream(id, xhttp2.ErrCodeRefusedStream) },
		"GOAWAY":  func(f *framed, id uint32) { f.WriteGoAway(0, xhttp2.ErrCodeNo, nil) },
		"closed":  func(f *framed, id uint32) { f.Conn.Close() },
	} {
		for _, method := range []string{"PUT", "POST"} {
			for _, version := range []int{1, 2} {
				for _, chunked := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s, %s over HTTP/%d, chunked %t", name, method, version, chunked), func(t *testing.T) {
						t.Parallel()
						var requests atomic.Int32
						upstream := func() string {
							return "h2c://" + ungreeted(t, func(f *framed) {
								f.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: 16384})
								first := uint32(0)
								f.bodies(func(id uint32) {
									if requests.Add(1) == 1 {
										first = id
										return
									}
									f.WriteWindowUpdate(0, 1<<20)
									f.WriteWindowUpdate(id, 1<<20)
								}, func(id uint32, all string) {
									if id == first && len(all) == 16384 {
										time.Sleep(20 * time.Millisecond) // for the gateway to read on
										refuse(f, id)
									}
								}, func(id uint32, all string) {
									if all != body {
										t.Errorf("an endpoint was sent %s", difference(all, body))
									}
									f.head(id, true, ":status", "200")
								})
							})
						}
						_, at := startLoops(t, 1, fmt.Sprintf("routes: [{to: u}]\nupstreams: {u: {endpoints: [%q, %q], response: 10s}}\n", upstream(), upstream()))
						r, _ := http.NewRequest(method, "http://"+at, strings.NewReader(body))
						if chunked {
							r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), -1
						}
						resp, err := clientOver(t, version).Do(r)
						if err != nil {
							return // reset: what was sent couldn't be sent again
						}
						resp.Body.Close()
						if resp.StatusCode != 200 && resp.StatusCode != 502 {
							t.Errorf("%d", resp.StatusCode)
						}
					})
				}
			}
		}
	}
}

// An endpoint that takes one request at a time, and says so late, gets all requests, with
// whole bodies.
func TestBodiesWaitForPlaces(t *testing.T) {
	body := lines(200_000)
	for _, chunked := range []bool{false, true} {
		t.Run(fmt.Sprintf("chunked %t", chunked), func(t *testing.T) {
			t.Parallel()
			url := "h2c://" + ungreeted(t, func(f *framed) {
				time.Sleep(100 * time.Millisecond) // while all requests come
				f.WriteSettings(xhttp2.Setting{ID: xhttp2.SettingMaxConcurrentStreams, Val: 1})
				f.WriteWindowUpdate(0, 1<<30)
				f.bodies(func(id uint32) { f.WriteWindowUpdate(id, 1<<20) }, func(uint32, string) {}, func(id uint32, all string) {
					if all != "" && all != body {
						t.Errorf("the endpoint was sent %s", difference(all, body))
					}
					f.head(id, true, ":status", "200")
				})
			})
			_, at := startLoops(t, 1, "routes: [{to: \""+url+"\"}]\n")
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() {
					request := "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
					switch {
					case i%2 == 1 && chunked:
						request = fmt.Sprintf("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(body), body)
					case i%2 == 1:
						request = fmt.Sprintf("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
					}
					c := dial(t, at)
					go io.WriteString(c, request)
					if resp, err := http.ReadResponse(c.r, nil); err != nil || resp.StatusCode != 200 {
						t.Errorf("request %d: %v, %v", i, resp, err)
					}
				})
			}
			all.Wait()
		})
	}
}
