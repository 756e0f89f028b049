package secure_test

import (
	"bytes"
	"crypto/tls"
	"log/slog"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/secure"
	"dyno.example/nanogate/internal/secure/securetest"
)

func rulesOf(files ...securetest.Files) *config.TLS {
	rules := &config.TLS{MinVersion: tls.VersionTLS12, Tickets: true}
	for _, f := range files {
		rules.Certificates = append(rules.Certificates, config.Certificate{Cert: f.Cert, Key: f.Key})
	}
	return rules
}

func newServer(t *testing.T, rules *config.TLS) (*secure.Server, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	s, err := secure.NewServer(rules, nil, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	s.Close() // the test looks itself
	return s, log
}

// shown does a handshake that asks for a name, and returns the certificate's common name
// as well as the client's error.
func shown(t *testing.T, s *secure.Server, client *tls.Config) (name string, err error) {
	t.Helper()
	a, b := net.Pipe()
	defer a.Close()
	go func() {
		defer b.Close()
		_ = tls.Server(b, s.Config()).Handshake() // the client says what is wrong
	}()
	c := tls.Client(a, client)
	if err := c.Handshake(); err != nil {
		return "", err
	}
	return c.ConnectionState().PeerCertificates[0].Subject.CommonName, nil
}

func TestCertificatesByName(t *testing.T) {
	ca := securetest.New(t)
	s, _ := newServer(t, rulesOf(
		ca.Issue("first", time.Hour, "first.example", "www.first.example"),
		ca.Issue("wild", time.Hour, "*.wild.example"),
		ca.Issue("exact", time.Hour, "a.wild.example"),
	))
	for ask, want := range map[string]string{
		"first.example": "first.example", "www.first.example": "first.example", "WWW.First.Example.": "first.example",
		"b.wild.example": "*.wild.example", "a.wild.example": "a.wild.example",
		"a.b.wild.example": "first.example", "wild.example": "first.example", "unknown": "first.example", "": "first.example",
	} {
		got, err := shown(t, s, &tls.Config{ServerName: ask, InsecureSkipVerify: true})
		if err != nil || got != want {
			t.Errorf("%q gets %q, %v; want %q", ask, got, err, want)
		}
	}
}

// New files are taken; those that can't be used leave what was there, and are told.
func TestFilesThatChange(t *testing.T) {
	ca := securetest.New(t)
	f, other := ca.Issue("site", time.Hour, "one"), ca.Issue("other", time.Hour, "other")
	s, log := newServer(t, rulesOf(f, other))
	is := func(want, told string) {
		t.Helper()
		s.Look()
		if got, err := shown(t, s, &tls.Config{InsecureSkipVerify: true}); got != want || err != nil {
			t.Errorf("%q is shown, %v; want %q", got, err, want)
		}
		if !strings.Contains(log.String(), told) || (told == "") != (log.Len() == 0) {
			t.Errorf("the log says %q, want %q", log, told)
		}
		if err := s.Problem(); (err != nil) != strings.Contains(told, "stays") {
			t.Errorf("Problem: %v", err)
		}
		log.Reset()
	}
	before := s.Config()
	if is("one", ""); s.Config() != before {
		t.Error("nothing has changed, and it was rebuilt")
	}
	ca.Issue("site", time.Hour, "two")
	is("two", "is used")
	ca.Issue("site", -time.Minute, "expired")
	is("two", "what was there before stays")
	ca.Issue("site", time.Hour, "three")
	is("three", "is used")
	if err := os.WriteFile(f.Key, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	is("three", "what was there before stays")
	os.Remove(f.Cert)
	is("three", "what was there before stays")
	ca.Issue("site", time.Hour, "four", "four.example")
	is("four", "is used")
	if got, _ := shown(t, s, &tls.Config{ServerName: "other", RootCAs: ca.Pool}); got != "other" {
		t.Errorf("the other certificate has become %q", got)
	}
}

func TestWhatCantBeServed(t *testing.T) {
	ca := securetest.New(t)
	f, other := ca.Issue("a", time.Hour, "a"), ca.Issue("b", time.Hour, "b")
	without := rulesOf(f)
	without.ClientCA = f.Key
	for want, rules := range map[string]*config.TLS{
		"no such file":               rulesOf(securetest.Files{Cert: f.Cert + ".no", Key: f.Key}),
		"private key does not match": rulesOf(securetest.Files{Cert: f.Cert, Key: other.Key}),
		"no certificate to show":     rulesOf(),
		"no certificate in PEM":      without,
	} {
		s, err := secure.NewServer(rules, nil, slog.New(slog.DiscardHandler))
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	s, log := newServer(t, rulesOf(ca.Issue("old", -time.Minute, "old")))
	if got, err := shown(t, s, &tls.Config{InsecureSkipVerify: true}); got != "old" || !strings.Contains(log.String(), "expired") {
		t.Errorf("an expired certificate at the start: %q, %v, told %q", got, err, log)
	}
}

func TestVersionsAndClients(t *testing.T) {
	ca, stranger := securetest.New(t), securetest.New(t)
	rules := rulesOf(ca.Issue("a", time.Hour, "a"))
	rules.MinVersion, rules.ClientCA, rules.Optional = tls.VersionTLS13, ca.Path, true
	s, _ := newServer(t, rules)
	if _, err := shown(t, s, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12}); err == nil {
		t.Error("TLS 1.2 was agreed on below min-version")
	}
	for _, optional := range []bool{true, false} {
		rules.Optional = optional
		s, _ := newServer(t, rules)
		for name, c := range map[string]struct {
			files securetest.Files
			want  bool
		}{"none": {securetest.Files{}, optional}, "known": {ca.Issue("c", time.Hour, "c"), true}, "stranger": {stranger.Issue("d", time.Hour, "d"), false}, "expired": {ca.Issue("e", -time.Minute, "e"), false}} {
			config := &tls.Config{InsecureSkipVerify: true}
			if c.files.Cert != "" {
				pair := c.files.Pair(t)
				config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
			}
			a, b := net.Pipe()
			done := make(chan error, 1)
			go func() {
				client := tls.Client(a, config)
				_ = client.Handshake() // in TLS 1.3 it is over before the server has seen the certificate
				_, _ = client.Read(make([]byte, 1))
				a.Close()
			}()
			go func() { done <- tls.Server(b, s.Config()).Handshake(); b.Close() }()
			if err := <-done; (err == nil) != c.want {
				t.Errorf("optional %v, %s: %v", optional, name, err)
			}
		}
	}
}
