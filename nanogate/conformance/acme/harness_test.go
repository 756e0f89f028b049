package acme_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nanogate/conformance/acme/acmetest"
	"dyno.example/nanogate/internal/acme"
	"dyno.example/nanogate/internal/config"
)

// patience is how long a test waits for what must come. It is never the time that
// anything takes.
const patience = 30 * time.Second

// listeners are those of a file that has certificates for names got from an authority.
func listeners(t *testing.T, a *acmetest.Authority, storage, more string, names ...string) []config.Listener {
	t.Helper()
	text := fmt.Sprintf(`listen: [":1", {address: ":2", tls: {acme: {directory: %q, ca: %q, storage: %q, domains: [%s], agree: true%s}}}]
routes: [{to: http://127.0.0.1:1}]
`, a.Directory, a.CA, storage, strings.Join(names, ", "), more)
	c, err := config.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c.Listen
}

// clock is one that a test sets.
type clock struct {
	mu    sync.Mutex
	ahead time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
}

// logged is what was logged.
type logged struct {
	mu sync.Mutex
	bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Buffer.String()
}

// gateway is a manager that the test steps itself, with a server that serves its challenges.
type gateway struct {
	*acme.Manager
	log           *logged
	plain, secure string // addresses
}

// start makes a gateway. When it is closed, or the test ends, it is gone.
func start(t *testing.T, c *clock) *gateway {
	t.Helper()
	return startAsking(t, c, patience)
}

// startAsking waits so long for what the authority says of renewals.
func startAsking(t *testing.T, c *clock, within time.Duration) *gateway {
	t.Helper()
	g := &gateway{log: new(logged)}
	g.Manager = acme.New(acme.Options{
		Log: slog.New(slog.NewTextHandler(g.log, nil)), Now: c.now,
		Every: -1, // the test steps
		Look:  10 * time.Millisecond, Spread: time.Millisecond, Poll: 5 * time.Millisecond, RenewalInfoTimeout: within,
	})
	t.Cleanup(g.Close)
	http1 := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.URL.Path, acme.Path)
		until(t, func() bool {
			authorization, ok := g.KeyAuthorization([]byte(token))
			if ok {
				_, _ = io.WriteString(w, authorization)
			}
			return ok
		})
	}))
	t.Cleanup(http1.Close)
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{NextProtos: []string{"acme-tls/1"}, GetCertificate: func(hello *tls.ClientHelloInfo) (c *tls.Certificate, _ error) {
		until(t, func() bool { c = g.Certificate(hello.ServerName); return c != nil })
		return c, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				_ = c.(*tls.Conn).Handshake() // the authority says what is wrong
				c.Close()
			}()
		}
	}()
	g.plain, g.secure = http1.Listener.Addr().String(), ln.Addr().String()
	return g
}

// until waits until something holds. It is called on goroutines of servers: what doesn't
// hold is seen by the authority.
func until(t *testing.T, holds func() bool) {
	for end := time.Now().Add(patience); !holds() && time.Now().Before(end) && t.Context().Err() == nil; {
		time.Sleep(time.Millisecond)
	}
}

// use has the gateway get certificates, and returns when it has done what was to be done.
func (g *gateway) use(t *testing.T, listen []config.Listener) {
	t.Helper()
	if problems := g.Use(listen); len(problems) > 0 {
		t.Fatal(problems)
	}
	g.Step(t.Context())
}

// state is how a name is doing.
func (g *gateway) state(t *testing.T, name string) acme.State {
	t.Helper()
	for _, s := range g.States() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("%s isn't there", name)
	return acme.State{}
}

// leaf reads a certificate as it is served.
func leaf(t *testing.T, s acme.State) *x509.Certificate {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(s.File, s.File)
	if err != nil {
		t.Fatal(err)
	}
	return pair.Leaf
}

// balance has the authority check by these gateways.
func balance(a *acmetest.Authority, all ...*gateway) {
	var plain, secure []string
	for _, g := range all {
		plain, secure = append(plain, g.plain), append(secure, g.secure)
	}
	a.HTTP.To(plain...)
	a.TLS.To(secure...)
}

// mode is who may read a file.
func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}
