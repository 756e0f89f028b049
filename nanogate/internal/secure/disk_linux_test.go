package secure_test

import (
	"bytes"
	"crypto/tls"
	"os"
	"testing"
	"time"

	"dyno.example/nanogate/internal/disktest"
	"dyno.example/nanogate/internal/secure/securetest"
)

// A certificate that is renewed on a full disk is broken, whatever was written of it: what
// was there before goes on, until the renewal has worked.
func TestRenewalOnFullDisk(t *testing.T) {
	ca := securetest.New(t)
	disk := disktest.New(t)
	copied := func(from securetest.Files) (f securetest.Files, err error) {
		f = securetest.Files{Cert: disk.Dir + "/cert.pem", Key: disk.Dir + "/key.pem"}
		for _, pair := range [][2]string{{from.Cert, f.Cert}, {from.Key, f.Key}} {
			b, e := os.ReadFile(pair[0])
			if e == nil {
				e = os.WriteFile(pair[1], append(bytes.Repeat([]byte("# comment\n"), 1000), b...), 0o600)
			}
			if err == nil {
				err = e
			}
		}
		return f, err
	}
	f, err := copied(ca.Issue("one", time.Hour, "one"))
	if err != nil {
		t.Fatal(err)
	}
	s := at(t, &ticking{now: time.Now()}, f)
	is := func(when, name string, broken bool) {
		t.Helper()
		s.Look()
		if got, err := shown(t, s, &tls.Config{InsecureSkipVerify: true}); got != name || err != nil {
			t.Errorf("%s %q is shown, %v; want %q", when, got, err, name)
		}
		if err := s.Problem(); (err != nil) != broken {
			t.Errorf("%s: %v", when, err)
		}
	}
	two := ca.Issue("two", time.Hour, "two")
	os.Truncate(f.Cert, 0) // what is written again begins so
	disk.Fill()
	if _, err := copied(two); err == nil {
		t.Fatal("it could be written")
	}
	is("on a full disk", "one", true)
	disk.Free()
	if _, err := copied(two); err != nil {
		t.Fatal(err)
	}
	is("with room", "two", false)
}
