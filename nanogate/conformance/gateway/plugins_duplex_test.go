//go:build linux

package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	wt "dyno.example/nanogate/internal/wasm/wasmtest"
)

// A plug-in that waits for a response as a whole doesn't hold up the request, of which the
// response may need more before it can end.
func TestResponsesAwaitedWholeWhileBodiesCome(t *testing.T) {
	file := module(t, wt.Guest{Imports: []string{"enable_features"}, Begin: wt.Code(wt.I32(2), wt.Call(0), wt.Drop)})
	for name, version := range map[string]int{"HTTP/1.1": 1, "HTTP/2": 2} {
		for _, rules := range []string{"", ", rate: 1B"} {
			t.Run(name+rules, func(t *testing.T) {
				t.Parallel()
				begun := make(chan struct{})
				up := serverOver(t, version, func(w http.ResponseWriter, r *http.Request) {
					http.NewResponseController(w).EnableFullDuplex()
					io.WriteString(w, "begun, ")
					http.NewResponseController(w).Flush()
					close(begun)
					n, _ := io.Copy(io.Discard, r.Body)
					io.WriteString(w, strings.Repeat("x", int(n/1000)))
				})
				_, at := startLoops(t, 1, "plugins: {p: {wasm: "+file+", "+unrushed+"}}\nroutes: [{use: p, to: u}]\n"+
					"upstreams: {u: {endpoints: [\""+up+"\"]"+rules+"}}\n")
				c := dial(t, at)
				c.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n")
				<-begun
				c.send("%s", strings.Repeat("y", 1_000_000))
				if resp, got := c.response(t, "PUT"); resp.StatusCode != 200 || got != "begun, "+strings.Repeat("x", 1000) {
					t.Errorf("%s, %d bytes: %.40q", resp.Status, len(got), got)
				}
			})
		}
	}
}
