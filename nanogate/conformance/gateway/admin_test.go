//go:build linux

package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/netip"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/admin"
)

// What the admin address says is what was done.
func TestAdmin(t *testing.T) {
	upstream, _ := respondingWith(t, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
	g, address := start(t, "routes:\n"+
		"  - {name: up, match: {path: \"/up/*\"}, to: users}\n"+
		"  - {name: old, match: {path: /old, host: a}, redirect: /new}\n"+
		"  - {name: 'a\"b', match: {path: /quiet}, jwt: {secret: /nowhere}, to: users}\n"+
		"upstreams: {users: {endpoints: [\"http://"+upstream+"\"], balance: round-robin}}\n")
	for range 3 {
		ask(t, address, "GET /up/a HTTP/1.1\r\nHost: a\r\n\r\n")
	}
	ask(t, address, "GET /old HTTP/1.1\r\nHost: a\r\n\r\n")
	app := admin.New(g, admin.Options{Local: true})
	get := func(path, host string) (status int, body string) {
		t.Helper()
		var b bytes.Buffer
		request := "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"
		if err := app.ServeBytes(context.Background(), netip.MustParseAddrPort("127.0.0.1:1"), []byte(request), &b); err != nil {
			t.Fatal(err)
		}
		resp, body := parseResponse(t, b.Bytes())
		return resp.StatusCode, body
	}
	var ready admin.Status
	if status, body := get("/ready", "127.0.0.1:9901"); status != 200 || json.Unmarshal([]byte(body), &ready) != nil || !ready.Ready || len(ready.Problems) != 1 || ready.Listen[0] != address {
		t.Errorf("/ready: %d %s", status, body)
	}
	var routes []admin.Route
	if _, body := get("/routes", "localhost"); json.Unmarshal([]byte(body), &routes) != nil || len(routes) != 3 ||
		routes[0].Figures.Requests != 3 || routes[0].Figures.Status["2xx"] != 3 || routes[0].To[0].Upstream != "users" || routes[0].Figures.P99 <= 0 ||
		routes[1].Redirect != 308 || routes[1].Figures.Status["3xx"] != 1 || !routes[2].Broken {
		t.Errorf("/routes: %s", body)
	}
	var upstreams []admin.Upstream
	if _, body := get("/upstreams", "[::1]:9901"); json.Unmarshal([]byte(body), &upstreams) != nil || len(upstreams) != 1 ||
		upstreams[0].Balance != "round-robin" || upstreams[0].Endpoints[0].Address != upstream || !upstreams[0].Endpoints[0].Usable || upstreams[0].Endpoints[0].Figures.Requests != 3 {
		t.Errorf("/upstreams: %s", body)
	}
	if _, body := get("/config", "127.0.0.1"); !strings.Contains(body, `"name":"up"`) {
		t.Errorf("/config: %s", body)
	}
	_, text := get("/metrics", "127.0.0.1")
	for _, line := range []string{
		"nanogate_ready 1", "nanogate_routes 3", "nanogate_problems 1",
		`nanogate_requests_total{route="up",code="2xx"} 3`, `nanogate_requests_total{route="old",code="3xx"} 1`,
		`nanogate_request_duration_seconds_bucket{route="up",le="+Inf"} 3`, `nanogate_request_duration_seconds_count{route="up"} 3`,
		`nanogate_endpoint_up{upstream="users",endpoint="` + upstream + `"} 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("/metrics lacks %s:\n%s", line, text)
		}
	}
	if strings.Contains(text, `a"b`) {
		t.Error("a label isn't escaped")
	}
	if status, body := get("/", "127.0.0.1"); status != 200 || !strings.Contains(body, "page.js") {
		t.Errorf("the page: %d", status)
	}
	// A path that is misspelt in a probe or a scrape doesn't look healthy.
	for _, path := range []string{"/metrcs", "/ready/x", "/page"} {
		if status, _ := get(path, "127.0.0.1"); status != 404 {
			t.Errorf("%s: %d, want 404", path, status)
		}
	}
	for _, host := range []string{"evil.example", "localhost.evil.example:9901"} {
		if status, _ := get("/routes", host); status != 403 {
			t.Errorf("asked as %s it responds with %d", host, status)
		}
	}
}
