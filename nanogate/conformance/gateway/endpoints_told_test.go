//go:build linux

package gateway_test

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"testing"

	"dyno.example/internal/freeport"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
)

// An endpoint that goes down or comes back is logged with the reason, whatever finds it
// out, once each time.
func TestEndpointsAreTold(t *testing.T) {
	for rules, want := range map[string][]string{
		"": {"endpoint can't be connected to", "endpoint can be connected to again"},
		"health: {path: /health, every: 50ms, timeout: 30s, healthy: 1, unhealthy: 1}": {`msg="endpoint is down" upstream=u endpoint=AT usable=1 of=2 why="health check: dial tcp AT: connect: connection refused"`, `msg="endpoint is up again" upstream=u endpoint=AT usable=2 of=2`},
		"outliers: {failures: 2, eject: 1s}":                                           {`msg="endpoint is down" upstream=u endpoint=AT usable=1 of=2 why="2 failures in a row, the last: connect-failed, ejected for 1s"`, `msg="endpoint is up again" upstream=u endpoint=AT usable=2 of=2`},
	} {
		t.Run(strings.SplitN(rules, ":", 2)[0], func(t *testing.T) {
			good, _ := respondingWith(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			bad := freeport.Address(t)
			said := new(lockedText)
			c, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\nroutes: [{to: u}]\nupstreams: {u: {endpoints: [\""+good+"\", \""+bad+"\"], balance: round-robin, "+rules+"}}\n"))
			if err != nil {
				t.Fatal(err)
			}
			unhurried(c)
			g, err := gateway.Start(c, gateway.Options{Loops: 1, Log: slog.New(slog.NewTextHandler(said, nil))})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				ctx, cancel := context.WithCancel(context.Background())
				cancel()
				g.Shutdown(ctx)
			})
			address := g.Addresses()[0].String()
			waitFor(t, want[0], func() bool {
				ask(t, address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
				return strings.Contains(said.String(), strings.ReplaceAll(want[0], "AT", bad))
			})
			ln, err := net.Listen("tcp", bad)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { ln.Close() })
			go serve(ln, func(p *peer) {
				for {
					if _, err := p.request(); err != nil {
						return
					}
					p.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
				}
			})
			waitFor(t, want[1], func() bool {
				ask(t, address, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
				return strings.Contains(said.String(), strings.ReplaceAll(want[1], "AT", bad))
			})
			if n := strings.Count(said.String(), "can't be connected to"); n > 1 {
				t.Errorf("it was said %d times: %s", n, said.String())
			}
		})
	}
}

// When none is left that is said too, as requests are sent to all of them then.
func TestNoEndpointIsTold(t *testing.T) {
	said := new(lockedText)
	c, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\nroutes: [{to: u}]\nupstreams: {u: {endpoints: [\""+freeport.Address(t)+"\"], health: {path: /, every: 50ms}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.Start(c, gateway.Options{Loops: 1, Log: slog.New(slog.NewTextHandler(said, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		g.Shutdown(ctx)
	})
	waitFor(t, "it is said", func() bool { return strings.Contains(said.String(), `level=ERROR msg="no endpoint is up`) })
}
