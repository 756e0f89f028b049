//go:build linux

package gateway_test

import (
	"bytes"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	xhttp2 "golang.org/x/net/http2"

	"dyno.example/nanogate/internal/middleware"
	"dyno.example/nanogate/internal/request"
)

// A response that is all in is the gateway's to give: that the endpoint closes the connection
// then takes nothing from a client that hasn't taken all of it yet, or that waits for what a
// middleware says of it.
func TestWholeResponsesOutliveTheirConnection(t *testing.T) {
	content := strings.Repeat("0123456789", 3000)
	for name, trailers := range map[string]bool{"with DATA last": false, "with trailers last": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			closed := make(chan struct{}, 1)
			var asked atomic.Int32
			url := framedServer(t, func(f *framed) {
				f.TB = quiet{t}
				f.requests(func(h *xhttp2.MetaHeadersFrame) {
					asked.Add(1)
					f.head(h.StreamID, false, ":status", "200")
					for part := range len(content) / 10_000 {
						f.WriteData(h.StreamID, !trailers && part == 2, []byte(content[part*10_000:][:10_000]))
					}
					if trailers {
						f.head(h.StreamID, true, "x-last", "yes")
					}
					f.Conn.(*net.TCPConn).CloseWrite()
					for { // until the gateway has closed it too
						if _, err := f.ReadFrame(); err != nil {
							break
						}
					}
					f.Conn.Close()
					closed <- struct{}{}
				})
			})
			_, at := startUsing(t, 1, "routes: [{match: {path: /held}, use: slow, to: u}, {to: u}]\nupstreams: {u: [\""+url+"\"]}\n",
				offer("slow", middleware.Middleware{Within: time.Minute, Response: func(r *request.Request, _ *request.Response) *request.Reply {
					select {
					case <-closed:
					case <-r.Context().Done():
					}
					return nil
				}}))
			for path, window := range map[string]uint32{"/held": 1 << 20, "/": 1000} {
				f := dialFramed(t, at, xhttp2.Setting{ID: xhttp2.SettingInitialWindowSize, Val: window})
				f.get(1, path)
				if path == "/" {
					<-closed
					f.WriteWindowUpdate(1, 1<<20)
				}
				status, _ := f.responseHead()
				got, last := &bytes.Buffer{}, false
				for ended := false; !ended; {
					frame := f.until(path+": the end", func(frame xhttp2.Frame) bool { return frame.Header().StreamID == 1 })
					switch frame := frame.(type) {
					case *xhttp2.DataFrame:
						got.Write(frame.Data())
						ended = frame.StreamEnded()
					case *xhttp2.MetaHeadersFrame:
						ended, last = frame.StreamEnded(), true
					case *xhttp2.RSTStreamFrame:
						t.Fatalf("%s: %d bytes of %d, and then %v", path, got.Len(), len(content), frame.ErrCode)
					}
				}
				if status != "200" || got.String() != content || last != trailers {
					t.Errorf("%s: %s, %d bytes of %d, trailers %t", path, status, got.Len(), len(content), last)
				}
			}
			if n := asked.Load(); n != 2 {
				t.Errorf("two requests were sent %d times", n)
			}
		})
	}
}
