package acme_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/conformance/acme/acmetest"
	"dyno.example/nanogate/internal/acme"
)

// A certificate for all names below one is got by records that are made with signed updates and
// removed again; no record of another name, or of the order before, is touched. What signs
// isn't told anybody.
func TestByDNS(t *testing.T) {
	for _, zone := range []string{"", ", zone: shop.example"} {
		a := acmetest.Start(t, acmetest.Options{})
		g := start(t, new(clock))
		g.use(t, listeners(t, a, t.TempDir(), ", dns: {server: \""+a.Names.Address+"\", key: "+a.Names.Key+zone+"}", `"*.shop.example"`, "shop.example", `"*.eu.shop.example"`))
		for _, name := range []string{"*.shop.example", "shop.example", "*.eu.shop.example"} {
			s := g.state(t, name)
			if s.Err != "" || s.Expires.IsZero() {
				t.Fatalf("%+v %s", s, g.log)
			}
			if l := leaf(t, s); !slices.Equal(l.DNSNames, []string{name}) {
				t.Errorf("%s: it is for %v", name, l.DNSNames)
			}
		}
		if file := g.state(t, "*.shop.example").File; filepath.Base(file) != "_.shop.example.pem" {
			t.Errorf("it is in %s", file)
		}
		left, made := a.Names.Records()
		slices.Sort(made)
		if left != 0 || !slices.Equal(made, []string{"_acme-challenge.eu.shop.example.", "_acme-challenge.shop.example.", "_acme-challenge.shop.example."}) {
			t.Errorf("%d records are left of %v", left, made)
		}
		if strings.Contains(g.log.String(), acmetest.KeySecret) {
			t.Errorf("the log holds the key: %s", g.log)
		}
	}
}

// For a name that isn't a wildcard another challenge is tried after this one; a wildcard has no
// other. What the name server says is reported.
func TestByDNSRefused(t *testing.T) {
	a := acmetest.Start(t, acmetest.Options{})
	c := new(clock)
	g := start(t, c)
	balance(a, g)
	a.Names.Refuse(true)
	g.use(t, listeners(t, a, t.TempDir(), ", challenge: [dns-01, http-01], dns: {server: \""+a.Names.Address+"\", key: "+a.Names.Key+"}", `"*.shop.example"`, "shop.example"))
	for _, name := range []string{"*.shop.example", "shop.example"} {
		if s := g.state(t, name); !strings.Contains(s.Err, "by dns-01: ") || !strings.Contains(s.Err, "updating the zone shop.example at "+a.Names.Address+": dns response error code \"REFUSED\"") {
			t.Errorf("%+v", s)
		}
	}
	a.Names.Refuse(false)
	c.add(time.Hour)
	g.Step(t.Context())
	for _, name := range []string{"*.shop.example", "shop.example"} {
		if s := g.state(t, name); s.Err != "" || s.Expires.IsZero() {
			t.Errorf("the second time: %+v", s)
		}
	}
	if _, made := a.Names.Records(); len(made) != 1 {
		t.Errorf("records of %v: want one, for the wildcard", made)
	}
}

// What is wrong with the key, the zone, or who should know a record is told, without the key.
func TestByDNSWrong(t *testing.T) {
	a := acmetest.Start(t, acmetest.Options{})
	behind := acmetest.NewNames(t)
	secret := "YW5vdGhlciBzZWNyZXQsIHRoYXQgaXMgd3Jvbmch"
	for name, c := range map[string]struct{ domain, dns, problem string }{
		"another key":  {"*.shop.example", "key: " + acmetest.WriteKey(t, "hmac-sha256", secret), "updating the zone shop.example at "},
		"another hash": {"*.shop.example", "key: " + acmetest.WriteKey(t, "hmac-sha512", acmetest.KeySecret), ""},
		"no key":       {"*.shop.example", "key: /nowhere/key", "open /nowhere/key: no such file or directory"},
		"no zone":      {"*.other.example", "key: " + a.Names.Key, a.Names.Address + " serves no zone of _acme-challenge.other.example: name it by zone"},
		"another zone": {"*.shop.example", "zone: other.example, key: " + a.Names.Key, "_acme-challenge.shop.example isn't in the zone other.example"},
		"never known":  {"*.shop.example", "wait: 50ms, check: [\"" + behind.Address + "\"], key: " + a.Names.Key, "after 50ms the record _acme-challenge.shop.example isn't known at " + behind.Address},
	} {
		g := start(t, new(clock))
		g.use(t, listeners(t, a, t.TempDir(), ", dns: {server: \""+a.Names.Address+"\", "+c.dns+"}", `"`+c.domain+`"`))
		if s := g.state(t, c.domain); (s.Err == "") != (c.problem == "") || !strings.Contains(s.Err, c.problem) {
			t.Errorf("%s: %+v, want %q", name, s, c.problem)
		}
		if log := g.log.String(); strings.Contains(log, secret) || strings.Contains(log, acmetest.KeySecret) {
			t.Errorf("%s: the log holds a key: %s", name, log)
		}
		g.Close()
	}
	if left, _ := a.Names.Records(); left != 0 {
		t.Errorf("%d records are left", left)
	}
}

// Who only checks a file reads the key, and asks nobody.
func TestCheckOfDNS(t *testing.T) {
	a := acmetest.Start(t, acmetest.Options{})
	for key, ok := range map[string]bool{a.Names.Key: true, "/nowhere/key": false, acmetest.WriteKey(t, "hmac-md5", acmetest.KeySecret): false} {
		rules := listeners(t, a, t.TempDir(), ", dns: {server: \"192.0.2.1:53\", key: "+key+"}", `"*.shop.example"`)[1].TLS.ACME
		if err := acme.Check(rules); (err == nil) != ok {
			t.Errorf("%s: %v", key, err)
		}
	}
}
