package secure_test

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nanogate/internal/secure"
	"dyno.example/nanogate/internal/secure/securetest"
)

// ticking is a clock that a test sets.
type ticking struct {
	mu  sync.Mutex
	now time.Time
}

func (c *ticking) get() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *ticking) set(to time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = to
}

// at makes a server whose files the test looks at itself.
func at(t *testing.T, c *ticking, files ...securetest.Files) *secure.Server {
	t.Helper()
	s, err := secure.NewServerAt(rulesOf(files...), nil, slog.New(slog.DiscardHandler), c.get)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	return s
}

// A certificate that expires while it is served goes on being served, as there is none
// better, and is told; when the clock steps, what is told follows.
func TestExpiresWhileServed(t *testing.T) {
	ca := securetest.New(t)
	f := ca.Issue("site", 30*time.Minute, "one")
	start := time.Now()
	clock := &ticking{now: start}
	s := at(t, clock, f)
	is := func(when string, step time.Duration, name, told string) {
		t.Helper()
		clock.set(start.Add(step))
		s.Look()
		if got, err := shown(t, s, &tls.Config{InsecureSkipVerify: true}); got != name || err != nil {
			t.Errorf("%s %q is shown, %v; want %q", when, got, err, name)
		}
		err := s.Problem()
		if (err != nil) != (told != "") || err != nil && !strings.Contains(err.Error(), told) {
			t.Errorf("%s: %v, want %q", when, err, told)
		}
	}
	is("at first", 0, "one", "")
	is("when it has expired", time.Hour, "one", "it expired at")
	is("when the clock steps back", -time.Hour, "one", "")
	is("and too far", -24*time.Hour, "one", "it isn't valid before")
	is("and forward again", time.Hour, "one", "it expired at")
	ca.Issue("site", 40*time.Minute, "two") // it has expired by that clock
	is("with one that has expired too", time.Hour, "one", "it expired at")
	ca.Issue("site", 2*time.Hour, "three")
	is("with another", time.Hour, "three", "")
	if expiry := s.Expiries()[f.Cert]; expiry.Before(start.Add(2*time.Hour-time.Minute)) || expiry.After(start.Add(2*time.Hour+time.Minute)) {
		t.Errorf("the metrics say %v", expiry)
	}
}

// A client whose certificate has expired is not let in any more, nor with a ticket from
// when it was valid.
func TestClientExpires(t *testing.T) {
	ca := securetest.New(t)
	rules := rulesOf(ca.Issue("site", 2*time.Hour, "site"))
	rules.ClientCA = ca.Path
	clock := &ticking{now: time.Now()}
	s, err := secure.NewServerAt(rules, nil, slog.New(slog.DiscardHandler), clock.get)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	client := &tls.Config{InsecureSkipVerify: true, ServerName: "site", ClientSessionCache: tls.NewLRUClientSessionCache(1),
		Certificates: []tls.Certificate{ca.Issue("client", 30*time.Minute, "client").Pair(t)}}
	for i, step := range []struct {
		at       time.Duration
		ok, came bool // and it came back by a ticket
	}{{0, true, false}, {time.Minute, true, true}, {45 * time.Minute, false, false}} {
		clock.set(time.Now().Add(step.at))
		resumed, err := handshake(t, s, client)
		if (err == nil) != step.ok || resumed != step.came {
			t.Errorf("%d: resumed %v, %v", i, resumed, err)
		}
	}
}

// handshake does a TLS handshake, and has the server say something, which tells whether it
// accepted the client.
func handshake(t *testing.T, s *secure.Server, client *tls.Config) (resumed bool, err error) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		b, err := ln.Accept()
		if err != nil {
			return
		}
		defer b.Close()
		if c := tls.Server(b, s.Config()); c.Handshake() == nil {
			io.WriteString(c, "hi")
			c.Close()
		}
	}()
	c, err := tls.Dial("tcp", ln.Addr().String(), client)
	if err != nil {
		return false, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	said, err := io.ReadAll(c)
	if err == nil && string(said) != "hi" {
		err = io.ErrUnexpectedEOF
	}
	return err == nil && c.ConnectionState().DidResume, err
}
