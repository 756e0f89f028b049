package acme

import (
	"strings"
	"testing"
)

const goodTSIG = "key \"gateway.example\" {\n\talgorithm hmac-sha256;\n\tsecret \"c2VjcmV0//9vZiB0aGUgZ2F0ZXdheSBmb3IgdGVzdHMh\";\n};\n"

func TestParseTSIG(t *testing.T) {
	for _, c := range []struct{ name, text, problem string }{
		{"as tsig-keygen writes it", goodTSIG, ""},
		{"with comments", "# for the gateway\n// of 2026\n" + strings.ReplaceAll(goodTSIG, ";\n\t", "; # more\n\t"), ""},
		{"on one line, without quotes", strings.NewReplacer("\n", " ", `"`, "", "SHA", "sha").Replace(goodTSIG), ""},
		{"in capitals", strings.Replace(goodTSIG, "hmac-sha256", "HMAC-SHA512", 1), ""},
		{"nothing", "", "expected one key"},
		{"two keys", goodTSIG + goodTSIG, "expected one key"},
		{"the secret alone", "c2VjcmV0IG9mIHRoZSBnYXRld2F5IGZvciB0ZXN0cyE=", "expected one key"},
		{"an old algorithm", strings.Replace(goodTSIG, "hmac-sha256", "hmac-md5.sig-alg.reg.int", 1), "a key has an algorithm"},
		{"SHA-1", strings.Replace(goodTSIG, "hmac-sha256", "hmac-sha1", 1), "expected one of the algorithms hmac-sha256, hmac-sha384, hmac-sha512"},
		{"no secret", "key a { algorithm hmac-sha256; };", "expected a secret of at least 16 bytes in base64"},
		{"a short one", "key a { algorithm hmac-sha256; secret abcd; };", "expected a secret of at least 16 bytes in base64"},
		{"another field", "key a { algorithm hmac-sha256; secret abcd; server b; };", "and nothing else"},
		{"two secrets", "key a { secret abcd; secret efgh; };", "the secret is there twice"},
	} {
		key, err := parseTSIG(c.text)
		if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: %v, want %q", c.name, err, c.problem)
		}
		if err == nil && (key.name != "gateway.example" || key.secret != "c2VjcmV0//9vZiB0aGUgZ2F0ZXdheSBmb3IgdGVzdHMh" || !strings.HasPrefix(key.algorithm, "hmac-sha")) {
			t.Errorf("%s: %+v", c.name, key)
		}
		if err != nil && (strings.Contains(err.Error(), "c2Vj") || strings.Contains(err.Error(), "abcd")) {
			t.Errorf("%s: the message holds the secret: %v", c.name, err)
		}
	}
}

// What is taken has all that signing needs, and no message repeats what a file holds.
func FuzzParseTSIG(f *testing.F) {
	f.Add(goodTSIG)
	f.Add("key a { algorithm hmac-sha256; secret c2VjcmV0IG9mIHRoZSBnYXRld2F5; }")
	f.Fuzz(func(t *testing.T, text string) {
		key, err := parseTSIG(text)
		if err == nil && (key.name == "" || key.algorithm == "" || len(key.secret) < shortestTSIG || !strings.Contains(text, key.secret)) {
			t.Errorf("%q: %+v", text, key)
		}
		if err != nil && key != (tsig{}) {
			t.Errorf("%q: %+v beside %v", text, key, err)
		}
	})
}
