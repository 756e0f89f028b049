package oidc

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"reflect"
	"testing"
)

// What a renewal's ID token leaves out of the login is still so. What it leaves out of the
// person isn't, unless it says nothing of the person at all.
func TestKeptClaims(t *testing.T) {
	type claims = map[string]any
	base := claims{"iss": "i", "sub": "ann", "aud": "a", "exp": 1.0, "iat": 1.0}
	with := func(more claims) claims {
		all := maps.Clone(base)
		maps.Copy(all, more)
		return all
	}
	token := func(c claims) string {
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		return "h." + base64.RawURLEncoding.EncodeToString(b) + ".s"
	}
	login := claims{"sid": "s1", "auth_time": 5.0, "nonce": "n", "at_hash": "h", "email": "ann@a.example", "role": "admin"}
	for _, c := range []struct {
		name     string
		renewals []claims
		want     claims // in addition to those of base
		sid      string
	}{
		{"nothing", []claims{{}}, claims{"sid": "s1", "auth_time": 5.0, "nonce": "n", "email": "ann@a.example", "role": "admin"}, ""},
		{"nothing, twice", []claims{{}, {"at_hash": "g"}}, claims{"sid": "s1", "auth_time": 5.0, "nonce": "n", "at_hash": "g", "email": "ann@a.example", "role": "admin"}, ""},
		{"no role any more", []claims{{"email": "ann@a.example"}}, claims{"sid": "s1", "auth_time": 5.0, "nonce": "n", "email": "ann@a.example"}, ""},
		{"no role, then nothing", []claims{{"email": "new@a.example"}, {}}, claims{"sid": "s1", "auth_time": 5.0, "nonce": "n", "email": "new@a.example"}, ""},
		{"another role", []claims{{"role": "none"}}, claims{"sid": "s1", "auth_time": 5.0, "nonce": "n", "role": "none"}, ""},
		{"another name", []claims{{"sid": "s2"}}, claims{"sid": "s2", "auth_time": 5.0, "nonce": "n", "email": "ann@a.example", "role": "admin"}, "s1"},
		{"another name, and back", []claims{{"sid": "s2"}, {"sid": "s1"}}, claims{"sid": "s1", "auth_time": 5.0, "nonce": "n", "email": "ann@a.example", "role": "admin"}, ""},
	} {
		s := &Session{ID: token(with(login))}
		for _, more := range c.renewals {
			before, err := s.Claims()
			if err != nil {
				t.Fatal(err)
			}
			next := &Session{ID: token(with(more))}
			if err := next.keep(s, before); err != nil {
				t.Fatal(err)
			}
			s = next
		}
		if got, err := s.Claims(); err != nil || !reflect.DeepEqual(got, with(c.want)) || s.SID != c.sid {
			t.Errorf("%s: %v, first name %q, %v", c.name, got, s.SID, err)
		}
	}
}
