package acme_test

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/conformance/acme/acmetest"
)

// A certificate is got by each of the ways that an authority may check, is kept so that
// only its owner can read it, and isn't asked for again by who is started next. No other
// name is asked for.
func TestOrder(t *testing.T) {
	a := acmetest.Start(t, acmetest.Options{})
	storage := filepath.Join(t.TempDir(), "acme")
	c := new(clock)
	for _, kind := range []string{"http-01", "tls-alpn-01"} {
		name := kind + ".example"
		listen := listeners(t, a, storage, ", email: ops@shop.example, challenge: "+kind, name)
		g := start(t, c)
		balance(a, g)
		g.use(t, listen)
		s := g.state(t, name)
		if s.Err != "" || s.Ordered != 1 || g.Problems() != nil || g.Missing() != nil {
			t.Fatalf("%+v %s", s, g.log)
		}
		l := leaf(t, s)
		if _, err := l.Verify(x509.VerifyOptions{DNSName: name, Roots: a.Roots, Intermediates: chain(t, s.File)}); err != nil {
			t.Error(err)
		}
		if !s.Expires.Equal(l.NotAfter) || !s.Renews.Before(s.Expires.Add(-25*24*time.Hour)) || !s.Renews.After(time.Now()) {
			t.Errorf("it expires at %v and is renewed at %v", s.Expires, s.Renews)
		}
		if g.Pending() {
			t.Error("a challenge that is over gets a response")
		}
		dir := filepath.Dir(s.File)
		for path, want := range map[string]os.FileMode{s.File: 0o600, filepath.Join(dir, "account.key"): 0o600, storage: 0o700, dir: 0o700} {
			if got := mode(t, path); got != want {
				t.Errorf("%s has the mode %o, want %o", path, got, want)
			}
		}
		if left, _ := os.ReadDir(filepath.Join(dir, "challenges")); len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
		g.Close()
		again := start(t, c)
		again.use(t, listen)
		if s := again.state(t, name); s.Ordered != 0 || s.Expires.IsZero() {
			t.Errorf("after a restart: %+v", s)
		}
	}
	if got := a.Ordered(); !slices.Equal(got, []string{"http-01.example", "tls-alpn-01.example"}) {
		t.Errorf("certificates were asked for %v", got)
	}
}

// chain is what a file holds after the certificate itself.
func chain(t *testing.T, file string) *x509.CertPool {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(b) {
		t.Fatal("no chain")
	}
	return pool
}

// A certificate is renewed when a third of its life is left, or when the authority wants
// it to be; what it takes the place of stays until then.
func TestRenewal(t *testing.T) {
	for _, advised := range []bool{false, true} {
		a := acmetest.Start(t, acmetest.Options{})
		c := new(clock)
		g := start(t, c)
		balance(a, g)
		listen := listeners(t, a, t.TempDir(), "", "shop.example")
		g.use(t, listen)
		first := leaf(t, g.state(t, "shop.example"))
		if advised {
			c.add(7 * time.Hour) // it is asked again then
			a.Advise(t, first.SerialNumber, time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour))
		} else {
			c.add(50 * 24 * time.Hour)
			g.Step(t.Context())
			if s := g.state(t, "shop.example"); s.Ordered != 1 {
				t.Errorf("after 50 of 90 days: %+v", s)
			}
			c.add(20 * 24 * time.Hour)
		}
		g.Step(t.Context())
		s := g.state(t, "shop.example")
		if second := leaf(t, s); s.Err != "" || s.Ordered != 2 || second.SerialNumber.Cmp(first.SerialNumber) == 0 {
			t.Errorf("advised %v: %+v %s", advised, s, g.log)
		}
	}
}

// While the authority is away the certificate there is goes on, tries become fewer, also
// over restarts, and what is wrong is told. When it is back everything is well.
func TestAuthorityAway(t *testing.T) {
	a := acmetest.Start(t, acmetest.Options{})
	c := new(clock)
	g := startAsking(t, c, 50*time.Millisecond)
	balance(a, g)
	listen := listeners(t, a, t.TempDir(), "", "shop.example")
	a.Away.Store(true)
	g.use(t, listen)
	s := g.state(t, "shop.example")
	if s.Failures != 1 || s.Err == "" || !s.Next.After(c.now()) || len(g.Missing()) != 1 {
		t.Fatalf("%+v", s)
	}
	problems := g.Problems()
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "there is no certificate for shop.example yet: ") || !strings.Contains(problems[0].Error(), "tried 1 times, again at ") {
		t.Errorf("%v", problems)
	}
	g.Step(t.Context())
	if s := g.state(t, "shop.example"); s.Failures != 1 {
		t.Errorf("it was tried again at once: %+v", s)
	}
	g.Close()
	g = startAsking(t, c, 50*time.Millisecond)
	balance(a, g)
	g.use(t, listen)
	if s := g.state(t, "shop.example"); s.Failures != 1 || s.Abandoned != 0 || s.Err == "" {
		t.Errorf("a restart tries again at once, or has forgotten why it failed: %+v", s)
	}
	before := s.Next.Sub(c.now())
	c.add(before + time.Second)
	g.Step(t.Context())
	if s = g.state(t, "shop.example"); s.Failures != 2 || s.Next.Sub(c.now()) <= before {
		t.Errorf("after two tries %v is waited, before %v", s.Next.Sub(c.now()), before)
	}
	a.Away.Store(false)
	c.add(time.Hour)
	g.Step(t.Context())
	s = g.state(t, "shop.example")
	if s.Failures != 0 || s.Err != "" || len(g.Problems()) != 0 {
		t.Fatalf("%+v %v %s", s, g.Problems(), g.log)
	}
	served := leaf(t, s)
	a.Away.Store(true)
	c.add(80 * 24 * time.Hour)
	g.Step(t.Context())
	s = g.state(t, "shop.example")
	if got := leaf(t, s); got.SerialNumber.Cmp(served.SerialNumber) != 0 || s.Failures != 1 {
		t.Errorf("%+v", s)
	}
	if text := g.Problems()[0].Error(); !strings.Contains(text, "which expires at") || !strings.Contains(text, "can't be renewed") || !strings.Contains(g.log.String(), "the one before goes on") {
		t.Errorf("%s\n%s", text, g.log)
	}
}

// What is refused for one name is no obstacle to another. Ways to check are tried in
// turn, one a try.
func TestRefused(t *testing.T) {
	a := acmetest.Start(t, acmetest.Options{})
	c := new(clock)
	g := start(t, c)
	a.Block(t, "bad.example")
	a.TLS.To("127.0.0.1:1") // nobody is there
	a.HTTP.To(g.plain)
	g.use(t, listeners(t, a, t.TempDir(), "", "bad.example", "shop.example"))
	if s := g.state(t, "bad.example"); !strings.Contains(s.Err, "forbidden by policy") {
		t.Errorf("%+v", s)
	}
	if s := g.state(t, "shop.example"); !strings.Contains(s.Err, "by tls-alpn-01: ") || s.Failures != 1 {
		t.Errorf("%+v", s)
	}
	c.add(2 * time.Minute)
	g.Step(t.Context())
	if s := g.state(t, "shop.example"); s.Err != "" || s.Expires.IsZero() {
		t.Errorf("the second way: %+v", s)
	}
}

// Gateways that share a storage order once, whichever the authority comes to responds, and
// all have the certificate.
func TestGatewaysShare(t *testing.T) {
	a := acmetest.Start(t, acmetest.Options{})
	c := new(clock)
	storage := t.TempDir()
	listen := listeners(t, a, storage, "", "a.example", "b.example")
	first, second := start(t, c), start(t, c)
	balance(a, first, second)
	done := make(chan struct{})
	go func() {
		defer close(done)
		first.Use(listen)
		first.Step(t.Context())
	}()
	second.use(t, listen)
	<-done
	first.Step(t.Context()) // who didn't order looks again a minute later
	second.Step(t.Context())
	if got := a.Ordered(); len(got) != 2 || got[0] == got[1] {
		t.Errorf("certificates were asked for %v", got)
	}
	for _, name := range []string{"a.example", "b.example"} {
		one, other := first.state(t, name), second.state(t, name)
		if one.Expires.IsZero() || !one.Expires.Equal(other.Expires) || one.Ordered+other.Ordered != 1 {
			t.Errorf("%+v\n%+v", one, other)
		}
	}
}

// An authority that gives certificates to its customers only is told whose we are.
func TestExternalAccount(t *testing.T) {
	a := acmetest.Start(t, acmetest.Options{AccountID: "kid-7", AccountKey: "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W"})
	key := filepath.Join(t.TempDir(), "account.key")
	if err := os.WriteFile(key, []byte("zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for more, ok := range map[string]bool{"": false, ", external-account: {id: kid-7, key: " + key + "}": true} {
		g := start(t, new(clock))
		balance(a, g)
		g.use(t, listeners(t, a, t.TempDir(), more, "shop.example"))
		if s := g.state(t, "shop.example"); (s.Err == "") != ok {
			t.Errorf("%q: %+v", more, s)
		}
	}
}

// What stands in the storage and can't be used is replaced; what can't be kept isn't
// ordered.
func TestStorage(t *testing.T) {
	a := acmetest.Start(t, acmetest.Options{})
	c := new(clock)
	g := start(t, c)
	balance(a, g)
	listen := listeners(t, a, t.TempDir(), "", "shop.example")
	g.use(t, listen)
	file := g.state(t, "shop.example").File
	if err := os.WriteFile(file, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.Step(t.Context())
	if s := g.state(t, "shop.example"); s.Ordered != 2 || leaf(t, s) == nil {
		t.Errorf("%+v", s)
	}
	plain := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if problems := g.Use(listeners(t, a, plain, "", "shop.example")); len(problems) != 1 || !strings.Contains(problems.Error(), "the storage of certificates: ") || !strings.Contains(problems.Error(), "test.yaml:1:") {
		t.Errorf("%v", problems)
	}
}
