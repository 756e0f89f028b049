//go:build linux

package gateway_test

import (
	"strings"
	"testing"
)

// An upstream that sends interim responses for ever isn't listened to, whether they come
// together or one by one; a few are passed on, with what the route does to fields.
func TestInterimFlood(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	upstream := scripted(t, func(p *peer) {
		for {
			r, err := p.request()
			if err != nil {
				return
			}
			switch r.URL.Path {
			case "/few":
				p.send("%s", strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: x\r\nSet-Cookie: a=b\r\n\r\n", 32)+ok)
			case "/together":
				p.send("%s", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 33)+ok)
			default:
				for range 5000 {
					p.send("HTTP/1.1 100 Continue\r\n\r\n")
				}
				p.send(ok)
			}
		}
	})
	_, at := start(t, "routes: [{to: \"http://"+upstream+"\", response-headers: {remove: [Set-Cookie]}}]\n")
	for path, want := range map[string]struct {
		status  string
		interim int
	}{"/few": {"200", 32}, "/together": {"502", 32}, "/each": {"502", 32}} {
		client := dial(t, at)
		client.send("GET %s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", path)
		got := client.rest()
		n := strings.Count(got, "HTTP/1.1 103 ") + strings.Count(got, "HTTP/1.1 100 ")
		if !strings.Contains(got, "HTTP/1.1 "+want.status) || n > want.interim || path == "/few" && n != want.interim || strings.Contains(got, "Set-Cookie") {
			t.Errorf("%s: %d interim responses, %.200q", path, n, got)
		}
	}
}
