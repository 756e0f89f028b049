//go:build linux

package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
)

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// logged is what the access log holds of what has ended until now.
func logged(t *testing.T, g *gateway.Gateway, path string) []map[string]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := g.Telemetry().Log.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // it is made with its first line
		t.Fatal(err)
	}
	var all []map[string]any
	for line := range strings.Lines(string(b)) {
		one := map[string]any{}
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, one)
	}
	return all
}

// Each request has its line, those that no route was found for and those that are none
// too; a route may be left out. No line holds a secret.
func TestAccessLog(t *testing.T) {
	upstream := scripted(t, func(p *peer) {
		for {
			if _, err := p.request(); err != nil {
				return
			}
			p.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
		}
	})
	path := t.TempDir() + "/access.log"
	text := "access-log: {to: " + path + "}\ntrace: {sample: 0}\nroutes:\n  - {name: quiet, match: {path: /quiet}, access-log: off, respond: {body: hi}}\n" +
		"  - {name: api, match: {path: \"/api/*\", methods: [GET, POST]}, to: u}\n  - {name: gone, match: {path: /gone}, to: \"http://127.0.0.1:1\"}\nupstreams: {u: [\"" + upstream + "\"]}\n"
	g, at := startLoops(t, 1, text)
	for _, wire := range []string{
		"POST /api/a?token=s3cret&b=c HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nAuthorization: s3cret\r\nCookie: s3cret\r\nUser-Agent: \"agent\\\r\n\r\nbody",
		"GET /quiet HTTP/1.1\r\nHost: h\r\n\r\n",
		"DELETE /api/a HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /none HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /gone HTTP/1.1\r\nHost: h\r\n\r\n",
		"GET /%00 HTTP/1.1\r\nHost: h\r\n\r\n",
		"nonsense\r\n\r\n",
	} {
		c := dial(t, at)
		c.send("%s", wire)
		c.response(t, "GET")
		c.Close()
	}
	all := logged(t, g, path)
	want := []map[string]any{
		{"route": "api", "method": "POST", "path": "/api/a", "query": "token=REDACTED&b=c", "status": 200., "bytes": 5., "received": 4., "upstream": upstream, "tries": 1., "client": "127.0.0.1", "host": "h"},
		{"route": "unrouted", "status": 405., "method": "DELETE"},
		{"route": "unrouted", "status": 404., "path": "/none"},
		{"route": "gone", "status": 502., "failure": "connect-failed", "tries": 2.},
		{"route": "unrouted", "status": 400., "path": "/%00"},
		{"route": "unrouted", "status": 400., "method": ""},
	}
	if len(all) != len(want) {
		t.Fatalf("%d lines, want %d: %v", len(all), len(want), all)
	}
	for i := range want {
		for key, value := range want[i] {
			if all[i][key] != value {
				t.Errorf("line %d: %s is %v, want %v", i, key, all[i][key], value)
			}
		}
	}
	if id, _ := all[0]["trace_id"].(string); len(id) != 32 {
		t.Errorf("trace_id is %q", id)
	}
	if b, _ := os.ReadFile(path); strings.Contains(string(b), "s3cret") {
		t.Errorf("a secret is in it: %s", b)
	}

	// Another configuration: another file, and a route that isn't left out any more.
	c, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\n"+strings.Replace(strings.Replace(text, "access.log", "other.log", 1), "access-log: off, ", "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	g.Apply(c)
	ask(t, at, "GET /quiet HTTP/1.1\r\nHost: h\r\n\r\n")
	if all := logged(t, g, strings.Replace(path, "access.log", "other.log", 1)); len(all) != 1 || all[0]["route"] != "quiet" {
		t.Errorf("%v", all)
	}
}

// The end of a tunnel is a line with all that came through.
func TestAccessLogOfTunnel(t *testing.T) {
	upstream := scripted(t, func(p *peer) {
		if _, err := p.head(); err != nil {
			return
		}
		p.send("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n")
		b := make([]byte, 5)
		for range 2 {
			p.r.Read(b)
			p.Write(b)
		}
	})
	path := t.TempDir() + "/access.log"
	g, at := startLoops(t, 1, "access-log: "+path+"\nroutes: [{to: http://"+upstream+"}]\n")
	c := dial(t, at)
	c.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n")
	if resp, _ := c.head(); !strings.Contains(resp, " 101 ") {
		t.Fatal(resp)
	}
	b := make([]byte, 5)
	for range 2 {
		c.send("hello")
		c.r.Read(b)
	}
	c.rest()
	c.Close()
	var all []map[string]any
	for deadline := time.Now().Add(patience); len(all) == 0 && time.Now().Before(deadline); {
		all = logged(t, g, path)
	}
	if len(all) != 1 || all[0]["status"] != 101. || all[0]["bytes"] != 10. || all[0]["received"] != 10. {
		t.Errorf("%v", all)
	}
}
