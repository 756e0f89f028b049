package guard

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request/requesttest"
)

func TestAccess(t *testing.T) {
	prefixes := func(list ...string) (all []netip.Prefix) {
		for _, text := range list {
			all = append(all, netip.MustParsePrefix(text))
		}
		return all
	}
	inside := prefixes("10.0.0.0/8", "2001:db8::/32")
	for _, c := range []struct {
		rules  config.Access
		client string
		pass   bool
	}{
		{config.Access{Allow: inside}, "10.1.2.3", true},
		{config.Access{Allow: inside}, "::ffff:10.1.2.3", true},
		{config.Access{Allow: inside}, "11.1.2.3", false},
		{config.Access{Allow: inside}, "2001:db8::7", true},
		{config.Access{Allow: inside}, "", false},
		{config.Access{Allow: inside, Deny: prefixes("10.9.0.0/16")}, "10.9.2.3", false},
		{config.Access{Deny: inside}, "10.1.2.3", false},
		{config.Access{Deny: inside}, "::ffff:10.1.2.3", false},
		{config.Access{Deny: inside}, "11.1.2.3", true},
		{config.Access{Deny: inside}, "", true},
	} {
		r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		if r.Client = (netip.Addr{}); c.client != "" {
			r.Client = netip.MustParseAddr(c.client)
		}
		if a := NewAccess(c.rules).Check(r); (a == nil) != c.pass || a != nil && a.Status != 403 {
			t.Errorf("%v, %s: %v", c.rules, c.client, a)
		}
	}
}

func TestCORS(t *testing.T) {
	some := &config.CORS{Methods: []string{"GET", "PUT"}, MaxAge: time.Minute, Credentials: true, Expose: []string{"X-Total"},
		Origins: []config.Origin{{Scheme: "https", Host: "app.example.com"}, {Scheme: "https", Host: "example.org", Below: true}, {Scheme: "http", Host: "localhost:3000"}}}
	all := &config.CORS{Methods: []string{"GET"}, Headers: []string{"X-A"}}
	const mayRead = "Access-Control-Allow-Origin: "
	for _, c := range []struct {
		rules  *config.CORS
		origin string
		may    bool
	}{
		{some, "https://app.example.com", true},
		{some, "HTTPS://App.Example.com", true},
		{some, "http://app.example.com", false},
		{some, "https://app.example.com:8443", false},
		{some, "https://example.org", false},
		{some, "https://a.example.org", true},
		{some, "https://a.b.example.org", true},
		{some, "https://evilexample.org", false},
		{some, "https://.example.org", false},
		{some, "https://evil.com#.example.org", false},
		{some, "https://evil.com/.example.org", false},
		{some, "https://evil.com?.example.org", false},
		{some, "https://user@.example.org", false},
		{some, "http://localhost:3000", true},
		{some, "null", false},
		{some, "app.example.com", false},
		{all, "https://anybody", true},
	} {
		g := NewCORS(c.rules)
		r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\nOrigin: "+c.origin+"\r\n\r\n")
		if a := g.Check(r); a != nil {
			t.Errorf("%s: a plain request gets %d", c.origin, a.Status)
		}
		if got := strings.Contains(string(r.Responds()), mayRead); got != c.may {
			t.Errorf("%s: may read %v, want %v (%q)", c.origin, got, c.may, r.Responds())
		}
		if strings.Contains(string(r.Responds()), "Credentials") != (c.may && c.rules.Credentials) {
			t.Errorf("%s: credentials: %q", c.origin, r.Responds())
		}
		a := g.Check(requesttest.Parse(t, "OPTIONS / HTTP/1.1\r\nHost: a\r\nAccess-Control-Request-Method: PUT\r\nAccess-Control-Request-Headers: x-b\r\nOrigin: "+c.origin+"\r\n\r\n"))
		if a == nil || a.Status != 204 || strings.Contains(string(a.Fields), mayRead) != c.may {
			t.Errorf("%s: a preflight gets %+v", c.origin, a)
		}
	}
	if g := NewCORS(some); g.Check(requesttest.Parse(t, "OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n")) != nil {
		t.Error("OPTIONS that is no preflight gets a response")
	}
}

func TestKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	const one, two = "0123456789abcdef", "fedcba9876543210"
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"", "it holds no key"},
		{"a", `line 1: expected "name: key"`},
		{"# all\n\na: short", `line 3: the key of "a" must have at least 16 characters, and none of control`},
		{"a: " + one + "\nb: " + one, `line 2: the key of "b" is that of "a"`},
	} {
		write(c.text)
		if _, err := NewKeys(&config.Keys{File: path, Header: "x-api-key"}); err == nil || err.Error() != "keys: "+path+": "+c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
	write("# who\nann: " + one + "\n")
	g, err := NewKeys(&config.Keys{File: path, Header: "x-api-key", Forward: "x-user"})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: a\r\nX-Api-Key: "+one+"\r\nX-User: root\r\n\r\n")
	if a := g.Check(r); a != nil || string(r.Forwards()) != "x-user: ann\r\n" || fmt.Sprint(r.Drops()) != "[x-api-key x-user]" {
		t.Errorf("%+v, %q, %v", a, r.Forwards(), r.Drops())
	}
	if n := testing.AllocsPerRun(100, func() { r.Begin(r.Head, r.Buf); g.Check(r) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for fields, want := range map[string]int{"": 401, "X-Api-Key: " + two + "\r\n": 401, "X-Api-Key: \r\n": 401, "X-Api-Key: " + one + "\r\n": 200} {
		if got := status(t, g, fields); got != want {
			t.Errorf("%q: %d, want %d", fields, got, want)
		}
	}
	write("bob: " + two + "\n" + "# changed\n")
	if err := g.file.Look(); err != nil {
		t.Fatal(err)
	}
	if status(t, g, "X-Api-Key: "+one+"\r\n") != 401 || status(t, g, "X-Api-Key: "+two+"\r\n") != 200 {
		t.Error("the file has changed, and the keys haven't")
	}
	write("broken")
	if err := g.file.Look(); err == nil || status(t, g, "X-Api-Key: "+two+"\r\n") != 200 {
		t.Errorf("the file is broken (%v), and what was there is gone", err)
	}
}
