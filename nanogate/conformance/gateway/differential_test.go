//go:build linux

package gateway_test

import (
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nano/wire/http1/http1test"
)

// What nanogate lets through is read alike by everybody behind it: the catalogue, and
// what is hidden in fields, is sent through it to an upstream, and through it and another
// proxy. No request may reach the upstream by way of the other that nanogate did not send,
// and none with another body.
func TestSmugglingBehindOthers(t *testing.T) {
	for name := range others {
		t.Run(name, func(t *testing.T) {
			direct, beyond := newSeen(t), newSeen(t)
			at := startOther(t, name, beyond.address)
			_, toUpstream := startLoops(t, 1, "escaped-slashes: keep\nroutes: [{to: http://"+direct.address+"}]\n")
			_, toPeer := startLoops(t, 1, "escaped-slashes: keep\nroutes: [{to: http://"+at+"}]\n")
			passed := 0
			for _, a := range slices.Concat(http1test.Framing(), http1test.Chunks(), http1test.Lines(), hiddenInFields()) {
				want, got := attack(t, toUpstream, &a, direct), attack(t, toPeer, &a, beyond)
				passed += len(got)
				// The other may refuse what nanogate lets through, but not read it otherwise.
				if !within(got, want) {
					t.Errorf("%s: nanogate sent %q, behind %s arrived %q", a.Name, want, name, got)
				}
			}
			if passed == 0 {
				t.Errorf("nothing came through %s: nothing was compared", name)
			}
		})
	}
}

// within reports whether all that is in part is in the whole, in the same order.
func within(part, whole []string) bool {
	for _, one := range part {
		at := slices.Index(whole, one)
		if at < 0 {
			return false
		}
		whole = whole[at+1:]
	}
	return true
}

// hiddenInFields are requests that parsers on the way are known to read differently, beside
// those of the catalogue.
func hiddenInFields() (all []http1test.Attack) {
	const chunked = "0\r\n\r\n"
	for _, fields := range []string{
		"Connection: Content-Length\r\nContent-Length: 5",
		"Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked",
		"Connection: close, X\r\nContent-Length: 5",
		"Content-Length: 5\r\nContent_Length: 0",
		"Content-Length: 5\r\nX-HTTP-Method-Override: GET",
		"Content-Length: 5\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA",
		"Content-Length: 5\r\nExpect: 100-continue\r\nExpect: 100-continue",
		"Content-Length: 5\r\nExpect: y 100-continue",
		"Content-Length: 5\r\nTrailer: Content-Length",
		"Content-Length: 5\r\nX-Forwarded-For: 1.2.3.4\r\nX_Forwarded_For: 5.6.7.8",
		"Content-Length: 5\r\nTE: trailers, chunked\r\nConnection: TE",
		"Content-Length: 5\r\nContent-Encoding: chunked",
		"Content-Length: 5\r\nRange: bytes=0-1\r\nIf-Range: \"x\"",
		"Content-Length: 00005",
		"Transfer-Encoding: chunked\r\nTE: chunked",
		"Transfer-Encoding: chunked\r\nUpgrade: websocket\r\nConnection: Upgrade",
	} {
		all = append(all, http1test.Attack{Name: strings.ReplaceAll(fields, "\r\n", " + "), Wire: "POST / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n\r\n" + chunked + http1test.Smuggled})
	}
	for _, line := range []string{
		"GET http://h/a HTTP/1.1", "GET http://other/a HTTP/1.1", "GET /a?b#c HTTP/1.1", "GET /a%0d%0aX:%20y HTTP/1.1", "GET /a;b=c HTTP/1.1",
		"GET //other/a HTTP/1.1", "GET /%2e%2e/a HTTP/1.1", "GET /a\\..\\b HTTP/1.1", "GET * HTTP/1.1", "OPTIONS * HTTP/1.1", "CONNECT h:80 HTTP/1.1",
		"GET /a HTTP/1.2", "GET /a HTTP/0.9", "GET /a", "GET /a HTTP/1.1 HTTP/1.1", "get /a HTTP/1.1", "G<T /a HTTP/1.1",
	} {
		all = append(all, http1test.Attack{Name: line, Wire: line + "\r\nHost: h\r\n\r\n" + http1test.Smuggled})
	}
	return all
}

// attack sends one, and returns what arrived of it.
func attack(t *testing.T, at string, a *http1test.Attack, s *seen) []string {
	t.Helper()
	s.take()
	c := dial(t, at)
	defer c.Close()
	// The last request closes the connection when all before it have had responses; what is
	// not whole may have taken it for its own, and waits for more.
	io.WriteString(c, a.Wire+"GET /end HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
	enough := patience
	if a.Status < 0 {
		enough = 50 * time.Millisecond
	}
	c.SetDeadline(time.Now().Add(enough))
	io.Copy(io.Discard, c)
	return s.take()
}

// seen is an upstream that keeps what it was asked, as net/http reads it.
type seen struct {
	address string
	mu      sync.Mutex
	list    []string
}

func newSeen(t *testing.T) *seen {
	t.Helper()
	s := &seen{}
	s.address = scripted(t, func(p *peer) {
		for {
			r, err := p.request()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.list = append(s.list, r.Method+" "+r.RequestURI+" "+r.body)
			s.mu.Unlock()
			p.send(ok)
		}
	})
	return s
}

// take returns what was asked since it was called last.
func (s *seen) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.list
	s.list = nil
	return list
}
