package secure_test

import (
	"crypto/tls"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/secure"
	"dyno.example/nanogate/internal/secure/securetest"
)

// named is a certificate as one that doesn't stand in a file.
func named(t *testing.T, f securetest.Files) secure.Named {
	t.Helper()
	c, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		t.Fatal(err)
	}
	return secure.Named{Name: "Secret " + c.Leaf.Subject.CommonName, Certificate: &c}
}

// What is bound is shown by the hostname that it is bound to, before what files have for
// the name; what is bound to any after that.
func TestBound(t *testing.T) {
	ca := securetest.New(t)
	one := func(hostname string, names ...string) secure.Bound {
		b := secure.Bound{Hostname: hostname}
		for _, name := range names {
			b.Certificates = append(b.Certificates, named(t, ca.Issue(name, time.Hour, name)))
		}
		return b
	}
	bound := []secure.Bound{one("a.wild.example", "exact"), one("*.wild.example", "wild"), one("*.deep.wild.example", "deep"), one("two.example", "other.example", "two.example"), one("file.example", "over")}
	for _, test := range []struct {
		name  string
		files []securetest.Files
		bound []secure.Bound
		shown map[string]string // "": none
	}{
		{"no files", nil, bound, map[string]string{
			"a.wild.example": "exact", "A.Wild.Example.": "exact", "b.wild.example": "wild", "c.b.wild.example": "wild", "x.deep.wild.example": "deep",
			"wild.example": "", "two.example": "two.example", "unknown": "", "": "",
		}},
		{"with any", nil, append(slices.Clone(bound), one("", "any")), map[string]string{"a.wild.example": "exact", "wild.example": "any", "unknown": "any", "": "any"}},
		{"with files", []securetest.Files{ca.Issue("f", time.Hour, "file.example", "own.example", "b.wild.example")}, append(slices.Clone(bound), one("", "any")), map[string]string{
			"file.example": "over", "b.wild.example": "wild", "own.example": "file.example", "unknown": "any",
		}},
		{"nothing is bound", []securetest.Files{ca.Issue("alone", time.Hour, "file.example")}, nil, map[string]string{"file.example": "file.example", "unknown": "file.example"}},
	} {
		rules := rulesOf(test.files...)
		rules.Kubernetes = true
		s, _ := newServer(t, rules)
		s.Bind(test.bound)
		for ask, want := range test.shown {
			got, err := shown(t, s, &tls.Config{ServerName: ask, InsecureSkipVerify: true})
			if got != want || (err != nil) != (want == "") {
				t.Errorf("%s: %q gets %q, %v; want %q", test.name, ask, got, err, want)
			}
		}
	}
}

// What is bound again is shown from then on; what is the same rebuilds nothing, so that
// clients can come back without a whole handshake.
func TestBoundAgain(t *testing.T) {
	ca := securetest.New(t)
	rules := rulesOf()
	rules.Kubernetes = true
	s, _ := newServer(t, rules)
	is := func(want string) {
		t.Helper()
		got, err := shown(t, s, &tls.Config{ServerName: "site.example", InsecureSkipVerify: true})
		if got != want || (err != nil) != (want == "") {
			t.Errorf("shown: %q, %v; want %q", got, err, want)
		}
	}
	is("")
	first := named(t, ca.Issue("first", time.Hour, "first"))
	s.Bind([]secure.Bound{{Certificates: []secure.Named{first}}})
	is("first")
	before := s.Config()
	s.Bind([]secure.Bound{{Certificates: []secure.Named{first}}})
	if s.Config() != before {
		t.Error("it was rebuilt, and nothing has changed")
	}
	if at := s.Expiries()["Secret first"]; !at.Equal(first.Leaf.NotAfter) {
		t.Errorf("it expires at %s, want %s", at, first.Leaf.NotAfter)
	}
	old := named(t, ca.Issue("old", -time.Minute, "old"))
	s.Bind([]secure.Bound{{Certificates: []secure.Named{old}}})
	is("old")
	if err := s.Problem(); err == nil || !strings.HasPrefix(err.Error(), "certificate of Secret old: it expired at ") {
		t.Error(err)
	}
	s.Bind(nil)
	is("")
	if err := s.Problem(); err != nil {
		t.Error(err)
	}
}
