//go:build linux

package gateway_test

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Proxying allocates nothing for a request: not for a plain one, nor with a body, nor
// with routes and edits.
func TestProxyingDoesNotAllocate(t *testing.T) {
	upstream := scripted(t, func(p *peer) {
		buf := make([]byte, 64<<10)
		response := []byte(ok)
		for {
			if _, err := p.Read(buf); err != nil { // a request comes in one piece
				return
			}
			p.Write(response)
		}
	})
	passwords := filepath.Join(t.TempDir(), "passwords")
	if err := os.WriteFile(passwords, []byte("ann:$2b$04$abcdefghijklmnopqrstuughE8Ev8uGFaUgY2cNEySvxngrb/Jzdm\n"), 0o600); err != nil { // of "password"
		t.Fatal(err)
	}
	g, at := startLoops(t, 1, "access-log: {to: /dev/null, format: combined, sample: 0.5}\ntrace: {sample: 0}\nroutes:\n  - {name: plain, match: {host: plain}, access-log: off, trace: off, objective: 1s, to: u}\n  - {match: {path: \"/edited/{id}/*\", host: \"*.example.com\"}, rewrite: \"/v2/{id}/{rest}\", request-headers: {set: {X-Env: a}, remove: [x-debug]}, response-headers: {remove: [server]}, timeout: 1m, to: u}\n  - {match: {path: /mirrored}, to: u, mirror: {to: u, methods: [GET, POST], request-headers: {set: {x-env: a}}, compare: {headers: [server], body: true}}}\n  - {match: {path: /all}, basic: {file: "+passwords+", forward: x-user-id}, importance: {header: x-importance}, deadline: x-time, timeout: 1m, limit: {rate: 1000000/s, key: {header: x-user-id}}, to: s}\n  - {to: u}\nupstreams: {u: [\""+upstream+"\"], s: {endpoints: [\""+upstream+"\"], zone: a, shed: {objective: 10s}, breaker: {}}}\n")
	for name, wire := range map[string]string{
		"logged and in a trace": "GET /?a=b HTTP/1.1\r\nHost: h\r\ntraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00\r\ntracestate: a=b\r\nUser-Agent: test\r\nReferer: http://h/\r\n\r\n",
		"plain":                 "GET / HTTP/1.1\r\nHost: plain\r\nUser-Agent: test\r\nAccept: */*\r\nConnection: keep-alive\r\n\r\n",
		"body":                  "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
		"chunks":                "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
		"edited":                "GET /edited/7/x?y=z HTTP/1.1\r\nHost: a.example.com\r\nX-Debug: 1\r\n\r\n",
		"all":                   "GET /all HTTP/1.1\r\nHost: h\r\nX-User-Id: 1\r\nX-Importance: high\r\nX-Time: 30000\r\nAuthorization: Basic YW5uOnBhc3N3b3Jk\r\n\r\n",
		"mirrored":              "GET /mirrored HTTP/1.1\r\nHost: h\r\n\r\n",
		"a body, mirrored":      "POST /mirrored HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
		"path":                  "GET /a/../%62//c HTTP/1.1\r\nHost: h\r\n\r\n",
	} {
		c := dial(t, at)
		request, got := []byte(wire), make([]byte, len(ok))
		ask := func() {
			c.Conn.Write(request)
			if _, err := io.ReadFull(c.Conn, got); err != nil || string(got[:15]) != "HTTP/1.1 200 OK" {
				t.Fatalf("%s: %v, %s", name, err, got)
			}
		}
		noAllocations(t, name, ask)
	}
	for _, r := range g.Snapshot().Routes {
		if r.Mirror != nil && r.Mirror.Record.Read().Same == 0 {
			t.Error("nothing was mirrored")
		}
	}
}

// noAllocations holds calls of ask to none at all.
func noAllocations(t *testing.T, name string, ask func()) {
	t.Helper()
	allocates(t, name, 0, ask)
}

// allocates holds them to so many each. The runtime and what else goes on in the process
// allocate now and then: the least of many short tries counts, so that some have nothing
// of that, however long they take.
func allocates(t *testing.T, name string, want float64, ask func()) {
	t.Helper()
	const tries, each = 50, 100
	for range 2 * each {
		ask()
	}
	least := math.Inf(1)
	for range tries {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range each {
			ask()
		}
		runtime.ReadMemStats(&after)
		if least = min(least, float64(after.Mallocs-before.Mallocs)/each); least <= want+0.1 {
			return
		}
	}
	t.Errorf("%s: %.2f allocations a request, want %v", name, least, want)
}
