//go:build linux

package gateway_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"dyno.example/internal/freeport"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
	"dyno.example/nanogate/internal/secure/securetest"
)

func applied(t *testing.T, g *gateway.Gateway, text string) config.Problems {
	t.Helper()
	c, err := config.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	unhurried(c)
	return g.Apply(c)
}

// Addresses come and go, and become others' TLS, while connections stay.
func TestListenersChange(t *testing.T) {
	const routes = "routes: [{respond: {body: fixed}}]\n"
	g, first := start(t, routes)
	kept := dial(t, first)
	is := func(p *peer) {
		t.Helper()
		p.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		if resp, body := p.response(t, "GET"); resp.StatusCode != 200 || body != "fixed" {
			t.Errorf("%d %q", resp.StatusCode, body)
		}
	}
	is(kept)
	if problems := applied(t, g, "listen: [127.0.0.1:0, 127.0.0.2:0]\n"+routes); problems != nil {
		t.Fatal(problems)
	}
	all := g.Addresses()
	if len(all) != 2 || all[0].String() != first {
		t.Fatalf("it listens on %v", all)
	}
	second := all[1].String()
	is(dial(t, second))
	ca := securetest.New(t)
	secured := "tls: {" + tlsOf(ca.Issue("site", time.Hour, "site.example")) + "}\n" + routes
	if problems := applied(t, g, "listen: 127.0.0.2:0\n"+secured); problems != nil {
		t.Fatal(problems)
	}
	client := &tls.Config{RootCAs: ca.Pool, ServerName: "site.example"}
	speaksTLS := func() {
		t.Helper()
		waitFor(t, "the second address speaks TLS", func() bool { // the loops hear of it in turn
			c, err := tls.DialWithDialer(&net.Dialer{Timeout: patience}, "tcp", second, client)
			if err != nil {
				return false
			}
			defer c.Close()
			c.SetDeadline(time.Now().Add(lifetime))
			is(&peer{Conn: c, r: bufio.NewReader(c)})
			return true
		})
	}
	speaksTLS()
	waitFor(t, "the address that isn't configured any more isn't listened on", func() bool {
		c, err := net.Dial("tcp", first)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	is(kept)
	// What can't be done is told, and what was there stays.
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	problems := applied(t, g, "listen: [{address: 127.0.0.2:0, tls: {certificates: {cert: /no, key: /no}}}, \""+taken.Addr().String()+"\"]\n"+routes)
	if len(problems) != 2 || !strings.Contains(problems[0].Message.String(), "no such file") || !strings.Contains(problems[1].Message.String(), "address already in use") {
		t.Errorf("problems: %v", problems)
	}
	if told := g.Problems(); len(told) != 2 {
		t.Errorf("told: %q", told)
	}
	speaksTLS()
	is(kept)
	if problems := applied(t, g, "listen: 127.0.0.2:0\n"+secured); problems != nil || len(g.Problems()) != 0 {
		t.Errorf("%v, %q", problems, g.Problems())
	}
}

// A second gateway on an address must not take a part of the first one's requests without
// a word; who wants that says so. What stays within a gateway may change as it likes.
func TestListenersAreNotShared(t *testing.T) {
	const fixed = "routes: [{respond: {body: one}}]\n"
	_, first := start(t, fixed)
	_, port, _ := net.SplitHostPort(first)
	attempt := func(listen string) error {
		t.Helper()
		c, err := config.Parse("test.yaml", []byte("listen: "+listen+"\n"+fixed))
		if err != nil {
			t.Fatal(err)
		}
		g, err := gateway.Start(c, gateway.Options{Loops: 2, Log: slog.New(slog.DiscardHandler)})
		if err == nil {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			g.Shutdown(ctx)
		}
		return err
	}
	for listen, refused := range map[string]bool{
		`"` + first + `"`:                               true,
		`"0.0.0.0:` + port + `"`:                        true,
		`{address: "` + first + `", reuse-port: false}`: true,
		`{address: "` + first + `", reuse-port: true}`:  false,
		`[127.0.0.1:0, "127.0.0.2:` + port + `"]`:       false,
		`[127.0.0.1:0, "127.0.0.1:` + port + `"]`:       true,
	} {
		err := attempt(listen)
		if !refused {
			if err != nil {
				t.Errorf("%s: %v", listen, err)
			}
			continue
		}
		for _, want := range []string{"address already in use", "SIGUSR2", "reuse-port: true"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", listen, err, want)
			}
		}
	}
}

// An address that overlaps one of the configuration before takes its place, and one that
// was given up can be had again at once.
func TestListenersOverlapTheirOwn(t *testing.T) {
	const fixed = "routes: [{respond: {body: one}}]\n"
	_, free, _ := net.SplitHostPort(freeport.Address(t))
	g, _ := start(t, fixed)
	for _, listen := range []string{"127.0.0.1:" + free, "0.0.0.0:" + free, "127.0.0.1:" + free, "127.0.0.1:0", "127.0.0.1:" + free} {
		if problems := applied(t, g, "listen: \""+listen+"\"\n"+fixed); problems != nil {
			t.Fatalf("%s: %v", listen, problems)
		}
	}
	p := dial(t, "127.0.0.1:"+free)
	p.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if resp, _ := p.response(t, "GET"); resp.StatusCode != 200 {
		t.Error(resp.Status)
	}
}
