//go:build linux

package gateway_test

import (
	"bufio"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"dyno.example/nano/wire/http1/http1test"
	"dyno.example/nano/wire/http2"
)

// The catalogue that nano passes, through the gateway: what is refused there is refused
// here with the same status and nothing after it, and what is read reaches the upstream
// as the same requests and no others.
func TestCatalogue(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	upstream := scripted(t, func(p *peer) {
		for {
			r, err := p.request()
			if err != nil {
				return
			}
			mu.Lock()
			seen = append(seen, r.Method+" "+r.RequestURI+" "+r.body)
			mu.Unlock()
			p.send(ok)
		}
	})
	_, at := startLoops(t, 1, "escaped-slashes: keep\nroutes: [{to: http://"+upstream+"}]\n")
	for _, a := range attacks() {
		mu.Lock()
		seen = nil
		mu.Unlock()
		c := dial(t, at)
		io.WriteString(c, a.Wire)
		most := expected(&a)
		statuses := responses(c.r, a.Wire, most)
		c.Close()
		mu.Lock()
		got := slices.Clone(seen)
		mu.Unlock()
		hidden := slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "GET /admin") })
		switch {
		case a.Status > 0:
			if len(statuses) != 1 || statuses[0] != a.Status || hidden {
				t.Errorf("%s: got %v, the upstream saw %q; want %d", a.Name, statuses, got, a.Status)
			}
		case a.Status < 0: // it isn't whole, and gets no response
			if hidden {
				t.Errorf("%s: the upstream saw %q", a.Name, got)
			}
		default:
			if len(got) == 0 || !strings.HasSuffix(got[0], " "+a.Content) && !strings.HasPrefix(got[0], "GET /admin") || hidden != (most == 2) && !strings.HasPrefix(a.Wire, "GET /admin") {
				t.Errorf("%s: got %v, the upstream saw %q; want content %q, and then %q", a.Name, statuses, got, a.Content, a.Rest)
			}
		}
	}
}

// attacks are all of the catalogue, but for what isn't HTTP/1.1: the gateway speaks HTTP/2
// with who begins so.
func attacks() []http1test.Attack {
	all := slices.Concat(http1test.Framing(), http1test.Chunks(), http1test.Lines())
	return slices.DeleteFunc(all, func(a http1test.Attack) bool { return strings.HasPrefix(a.Wire, http2.Preface) })
}

// expected is how many responses there are to an attack: many for one that is refused,
// as its connection is closed then, and the test would see more than one.
func expected(a *http1test.Attack) int {
	switch {
	case a.Status > 0:
		return 100
	case a.Status < 0:
		return 0
	case strings.Contains(a.Rest, http1test.Smuggled) && !strings.Contains(a.Wire, " HTTP/1.0\r\n"):
		return 2
	}
	return 1
}

// responses reads as many responses at most, to the end of the connection; the first is
// to the request that wire begins with, the others to GETs.
func responses(r *bufio.Reader, wire string, most int) (statuses []int) {
	method, _, _ := strings.Cut(strings.TrimSpace(wire), " ")
	for len(statuses) < most {
		resp, err := http.ReadResponse(r, &http.Request{Method: method})
		if err != nil {
			return statuses
		}
		io.Copy(io.Discard, resp.Body)
		if resp.StatusCode >= 200 {
			statuses, method = append(statuses, resp.StatusCode), "GET"
		}
	}
	return statuses
}
