package secure_test

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/acme"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/secure/securetest"
)

// A name whose certificate an authority is yet to give is told so, unless another is good
// for it; other names are served meanwhile, and it when it is there.
func TestAwaited(t *testing.T) {
	ca := securetest.New(t)
	issuing := &config.ACME{Directory: "https://acme.example/dir", Storage: t.TempDir(), Domains: []string{"new.example", "a.wild.example", "*.star.example"}}
	for _, others := range []bool{false, true} {
		rules := rulesOf()
		if others {
			rules = rulesOf(ca.Issue("first", time.Hour, "first.example"), ca.Issue("wild", time.Hour, "*.wild.example"))
		}
		rules.ACME = issuing
		file := acme.File(issuing, "new.example")
		os.Remove(file)
		s, log := newServer(t, rules)
		is := func(name, want string) {
			t.Helper()
			got, err := shown(t, s, &tls.Config{ServerName: name, InsecureSkipVerify: true})
			if got != want || (err != nil) != (want == "") || err != nil && !strings.Contains(err.Error(), "tls: unrecognized name") {
				t.Errorf("others %v: %q gets %q, %v; want %q", others, name, got, err, want)
			}
		}
		is("new.example", "")
		first, wild := "", ""
		if others {
			first, wild = "first.example", "*.wild.example"
		}
		is("unknown.example", first)
		is("a.wild.example", wild)
		is("a.star.example", "")
		is("star.example", first)
		is("b.a.star.example", first)
		if err := s.Problem(); err != nil || log.Len() > 0 {
			t.Errorf("the issuer tells what isn't there yet, and nobody else: %v %s", err, log)
		}
		issued := ca.Issue("new", time.Hour, "new.example")
		var both []byte
		for _, name := range []string{issued.Key, issued.Cert} {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			both = append(both, b...)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, both, 0o600); err != nil {
			t.Fatal(err)
		}
		s.Look()
		is("new.example", "new.example")
		if s.Expiries()[file].IsZero() {
			t.Error("it isn't told when it expires")
		}
	}
}
