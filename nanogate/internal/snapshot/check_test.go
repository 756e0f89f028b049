package snapshot

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/filter"
)

// listener accepts connections and sends nothing.
type listener struct {
	t       *testing.T
	address string

	mu    sync.Mutex
	first map[string]string // what a connection's first line is, by its address
}

func listen(t *testing.T) *listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	l := &listener{t: t, address: ln.Addr().String(), first: map[string]string{}}
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			l.note(c, "")
			go func() {
				defer c.Close()
				line, _ := bufio.NewReader(c).ReadString('\n')
				l.note(c, line)
			}()
		}
	}()
	return l
}

func (l *listener) note(c net.Conn, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first[c.RemoteAddr().String()] = line
}

// lines are the first lines of all connections so far, also of those that aren't taken yet:
// that of the test, which is the last of them, is waited for.
func (l *listener) lines() (all []string) {
	l.t.Helper()
	c, err := net.Dial("tcp", l.address)
	if err != nil {
		l.t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintln(c, "test")
	for {
		l.mu.Lock()
		if l.first[c.LocalAddr().String()] != "" {
			break
		}
		l.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	defer l.mu.Unlock()
	for _, line := range l.first {
		if line != "test\n" {
			all = append(all, line)
		}
	}
	return all
}

// identities is a configuration whose routes ask somebody at the address who people are.
func identities(t *testing.T, address string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"secret": "secret", "keys": strings.Repeat("ab", 32)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf(`routes:
  - {name: a, match: {path: /a}, jwt: {jwks: "http://%[1]s/jwks"}, to: u}
  - {name: b, match: {path: /b}, introspect: {url: "http://%[1]s/i", client-id: a, client-secret: %[2]s/secret}, to: u}
  - {name: c, oidc: {issuer: "http://%[1]s", client-id: a, client-secret: %[2]s/secret, keys: %[2]s/keys, insecure: true}, to: u}
  - {name: d, match: {path: /d}, limit: {rate: 10/s, redis: {address: "%[1]s", every: 10ms}}, to: u}
upstreams: {u: ["127.0.0.1:1"]}
`, address, dir)
}

// Who only checks a file connects to nobody; who serves by it asks who is needed.
func TestCheckAsksNobody(t *testing.T) {
	l := listen(t)
	c := parse(t, identities(t, l.address))
	// Between the making of a route and its end there is time to be asked in.
	defer func(before []kind) { kinds = before }(kinds)
	kinds = append(slices.Clone(kinds), kind{asked: always, make: func(*config.Route, *Route) ([]filter.Filter, error) {
		time.Sleep(30 * time.Millisecond)
		return nil, nil
	}})
	for range 2 {
		if problems := Check(c, nil); len(problems) > 0 {
			t.Fatal(problems)
		}
	}
	if lines := l.lines(); len(lines) != 0 {
		t.Errorf("there were connections: %q", lines)
	}
	s := NewBuilder(1).Build(c, nil)
	defer s.Retire(nil)
	if len(s.Problems) > 0 {
		t.Fatal(s.Problems)
	}
	for _, want := range []string{"GET /jwks ", "GET /.well-known/", "*"} { // "*" is Redis
		for ends := time.Now().Add(30 * time.Second); !slices.ContainsFunc(l.lines(), func(line string) bool { return strings.HasPrefix(line, want) }); {
			if time.Now().After(ends) {
				t.Fatalf("nobody asks %s…", want)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// What can't be used of the files by which a provider is verified is told with its place.
func TestProviderFiles(t *testing.T) {
	text := strings.ReplaceAll(identities(t, "127.0.0.1:1"), "http://", "https://")
	for field, at := range map[string]string{"jwks": "jwt", "url": "introspect", "issuer": "oidc"} {
		said := strings.Replace(text, field+": \"", "tls: {ca: ./none.pem}, "+field+": \"", 1)
		problems := Check(parse(t, said), nil)
		if len(problems) != 1 || !strings.HasPrefix(problems[0].String(), "f:") || problems[0].Line < 3 ||
			!strings.Contains(problems[0].String(), "]."+at+".tls: ca: open none.pem: no such file or directory") {
			t.Errorf("%s: %v", field, problems)
		}
		s := NewBuilder(1).Build(parse(t, said), nil)
		if len(s.Problems) != 1 || s.Problems[0].Field != problems[0].Field {
			t.Errorf("%s: served, it says %v", field, s.Problems)
		}
		s.Retire(nil)
	}
}
