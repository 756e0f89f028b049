//go:build linux

package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestTrailersSayNoMore: what is taken out of a request's head doesn't come to the upstream
// behind the body, where servers that merge trailers with the head would find it (RFC 9110
// 6.5.1).
func TestTrailersSayNoMore(t *testing.T) {
	const route = `
    to: "%s"
    keys: {header: x-key, file: "%s", forward: x-caller}
    request-headers: {remove: [x-internal], set: {x-set: ours}}
`
	keys := filepath.Join(t.TempDir(), "keys")
	write(t, keys, "ann: a-long-enough-key\n")
	forged := []string{"X-User-Id", "X-User_Id", "X_USER_ID", "X-Tenant-Id", "X-Forwarded-Client-Cert", "Client-Cert", "X-Real-Ip", "X-Forwarded-For", "X_Forwarded_For",
		"X-Key", "X_Key", "X-Caller", "x_caller", "X-Internal", "x_internal", "X-Set", "Via", "Authorization", "Cookie", "X-Hop", "Traceparent_" + strings.Repeat("a", 120)}
	for in := 1; in <= 2; in++ {
		for out := 1; out <= 2; out++ {
			t.Run(fmt.Sprintf("%d to %d", in, out), func(t *testing.T) {
				var seen atomic.Pointer[http.Header]
				url := serverOver(t, out, func(w http.ResponseWriter, r *http.Request) {
					io.Copy(io.Discard, r.Body)
					seen.Store(&r.Trailer)
				})
				_, at := start(t, "routes:\n  - match: {path: \"/*\"}"+fmt.Sprintf(route, url, keys))
				for _, size := range []int{1, 200_000} {
					req, _ := http.NewRequest("POST", "http://"+at+"/", io.MultiReader(strings.NewReader(strings.Repeat("b", size))))
					req.Header.Set("X-Key", "a-long-enough-key")
					if in == 1 {
						req.Header.Set("Connection", "X-Hop")
					}
					req.Trailer = http.Header{"X-Sum": {"5"}}
					for _, name := range forged {
						req.Trailer[http.CanonicalHeaderKey(name)] = []string{"42"}
					}
					if in == 2 {
						delete(req.Trailer, "X-Hop") // HTTP/2 has no Connection to name it
					}
					resp, err := clientOver(t, in).Do(req)
					if err != nil || resp.StatusCode != 200 {
						t.Fatalf("%v, %v", resp, err)
					}
					resp.Body.Close()
					got := *seen.Load()
					if got.Get("X-Sum") != "5" {
						t.Errorf("%d bytes: what may be a trailer didn't come: %v", size, got)
					}
					for name, values := range got {
						if len(values) > 0 && name != "X-Sum" {
							t.Errorf("%d bytes: the upstream is sent the trailer %s: %s", size, name, values)
						}
					}
				}
			})
		}
	}
}

// TestResponseTrailersSayNoMore: what a route takes out of responses doesn't come behind
// the body.
func TestResponseTrailersSayNoMore(t *testing.T) {
	for in := 1; in <= 2; in++ {
		for out := 1; out <= 2; out++ {
			url := serverOver(t, out, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Trailer", "X-Sum, X-Internal")
				io.WriteString(w, "body")
				w.(http.Flusher).Flush()
				w.Header().Set("X-Sum", "5")
				w.Header().Set("X-Internal", "secret")
				w.Header().Set(http.TrailerPrefix+"Set-Cookie", "a=b")
			})
			_, at := start(t, "routes: [{to: \""+url+"\", response-headers: {remove: [x-internal]}}]\n")
			resp, err := clientOver(t, in).Get("http://" + at + "/")
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if got := resp.Trailer; got.Get("X-Sum") != "5" || got.Get("X-Internal") != "" || got.Get("Set-Cookie") != "" {
				t.Errorf("%d to %d: %v", out, in, got)
			}
		}
	}
}
