//go:build linux

package gateway_test

import (
	"fmt"
	"net"
	"testing"
)

// A route may take just what comes to one of the ports that are listened on.
func TestMatchByPort(t *testing.T) {
	const fixed = "routes: [{respond: {}}]\n"
	g, _ := start(t, fixed)
	const listen = "listen: [127.0.0.1:0, 127.0.0.2:0]\n"
	if problems := applied(t, g, listen+fixed); problems != nil {
		t.Fatal(problems)
	}
	all := g.Addresses()
	first, second := all[0].(*net.TCPAddr).Port, all[1].(*net.TCPAddr).Port
	if first == second {
		t.Skip("both addresses got the same port")
	}
	routes := fmt.Sprintf("routes: [{match: {port: %d}, respond: {body: first}}, {match: {port: %d, path: /second}, respond: {body: second}}]\n", first, second)
	if problems := applied(t, g, listen+routes); problems != nil {
		t.Fatal(problems)
	}
	for _, c := range []struct {
		at     int
		path   string
		status int
		body   string
	}{{0, "/", 200, "first"}, {0, "/second", 200, "first"}, {1, "/second", 200, "second"}, {1, "/", 404, ""}} {
		p := dial(t, all[c.at].String())
		p.send("GET %s HTTP/1.1\r\nHost: h\r\n\r\n", c.path)
		if resp, body := p.response(t, "GET"); resp.StatusCode != c.status || c.body != "" && body != c.body {
			t.Errorf("%s at %s: %d %q", c.path, all[c.at], resp.StatusCode, body)
		}
	}
}
