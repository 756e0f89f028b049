package oidc

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

// secretOf is a key as a file has it.
func secretOf(c string) string {
	return base64.StdEncoding.EncodeToString([]byte(strings.Repeat(c, 32)))
}

func TestParseKeys(t *testing.T) {
	one := secretOf("a")
	for _, c := range []struct{ name, text, problem string }{
		{"base64", one, ""},
		{"hexadecimal", hex.EncodeToString([]byte(strings.Repeat("a", 32))) + "\n", ""},
		{"for URLs, without padding", base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("\xff", 32))), ""},
		{"several, and comments", "# new\n" + one + "\n\n  " + secretOf("b") + "\r\n", ""},
		{"none", "# nothing\n", "it holds no key"},
		{"short", "\nc2hvcnQ=", "line 2: expected 32 random bytes"},
		{"a password", "correct horse battery staple", "line 1: expected 32 random bytes"},
		{"twice", one + "\n" + hex.EncodeToString([]byte(strings.Repeat("a", 32))), "line 2: the key is there twice"},
		{"too many", manyKeys(17), "line 17: there are more than 16 keys"},
	} {
		k, err := ParseKeys([]byte(c.text))
		if c.problem == "" && (err != nil || len(k.list) == 0) || c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err != nil && (strings.Contains(err.Error(), "horse") || strings.Contains(err.Error(), "c2hv")) {
			t.Errorf("%s: the message holds what may be a key: %v", c.name, err)
		}
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(secretOf(string(rune('a'+i))) + "\n")
	}
	return b.String()
}

// Whatever is changed of what was encrypted, it can't be opened; nor for another purpose,
// nor with other keys. With a new key before the old one it can.
func TestSealed(t *testing.T) {
	parse := func(text string) *Keys {
		k, err := ParseKeys([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	a, b, both := parse(secretOf("a")), parse(secretOf("b")), parse(secretOf("b")+"\n"+secretOf("a"))
	sealed := a.Seal("session", []byte("who it is"))
	if sealed == a.Seal("session", []byte("who it is")) {
		t.Error("the same twice: the nonce doesn't change")
	}
	if text, err := a.Open("session", []byte(sealed)); err != nil || string(text) != "who it is" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := both.Open("session", []byte(sealed)); err != nil || string(text) != "who it is" {
		t.Errorf("with a new key before: %q, %v", text, err)
	}
	if _, err := b.Open("session", []byte(sealed)); err == nil {
		t.Error("another key opens it")
	}
	if _, err := b.Open("session", []byte(both.Seal("session", nil))); err != nil {
		t.Errorf("the first key doesn't encrypt: %v", err)
	}
	if _, err := a.Open("login", []byte(sealed)); err == nil {
		t.Error("it is opened for another purpose")
	}
	for i := range len(sealed) {
		changed := []byte(sealed)
		changed[i] ^= 1
		if _, err := a.Open("session", changed); err == nil {
			t.Errorf("the character at %d is changed, and it is opened", i)
		}
		if _, err := a.Open("session", []byte(sealed[:i])); err == nil {
			t.Errorf("it is opened without what is after %d", i)
		}
	}
}

func FuzzParseKeys(f *testing.F) {
	f.Add([]byte(secretOf("a") + "\n# b\n" + secretOf("b")))
	f.Add([]byte("0123"))
	f.Fuzz(func(t *testing.T, b []byte) {
		k, err := ParseKeys(b)
		if err != nil {
			return
		}
		if text, err := k.Open("x", []byte(k.Seal("x", b))); err != nil || string(text) != string(b) {
			t.Errorf("%v", err)
		}
	})
}

func FuzzOpen(f *testing.F) {
	k, err := ParseKeys([]byte(secretOf("a")))
	if err != nil {
		f.Fatal(err)
	}
	sealed := k.Seal("x", []byte("text"))
	f.Add([]byte(sealed))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, b []byte) {
		if text, err := k.Open("x", b); err == nil && (string(b) != sealed || string(text) != "text") {
			t.Errorf("%q is opened as %q", b, text)
		}
	})
}
