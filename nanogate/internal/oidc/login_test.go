package oidc

import (
	"net/url"
	"strings"
	"testing"
)

// safe and unsafe places to be sent to.
var targets = []struct {
	target string
	safe   bool
}{
	{"/", true}, {"/a/b?c=d&e=%2F%2Fevil.example#f", true}, {"/a:b@c", true}, {"/?//evil.example", true},
	{"/%09/evil.example", true}, // stays a path
	{"", false}, {"a", false}, {"//evil.example", false}, {"///evil.example", false}, {`/\evil.example`, false}, {`\/evil.example`, false},
	{`/a\b`, false}, {"https://evil.example/", false}, {"javascript:alert(1)", false}, {"/\tevil", false}, {"/\t/evil.example", false},
	{"\t//evil.example", false}, {" /a", false}, {"/a b", false}, {"/a\r\nSet-Cookie: a=b", false}, {"/a\x00", false}, {"/ä", false},
	{"/\n/evil.example", false}, {"?a", false}, {"#a", false}, {"/" + strings.Repeat("a", mostBack), false},
}

func TestSafeTarget(t *testing.T) {
	for _, c := range targets {
		if got := SafeTarget(c.target); got != c.safe {
			t.Errorf("%q: %v", c.target, got)
		}
	}
}

// A browser that is sent to what is safe stays on the origin.
func FuzzSafeTarget(f *testing.F) {
	for _, c := range targets {
		f.Add(c.target)
	}
	base := &url.URL{Scheme: "https", Host: "app.example", Path: "/oauth2/callback"}
	f.Fuzz(func(t *testing.T, target string) {
		if !SafeTarget(target) {
			return
		}
		// As browsers do (URL standard, 4.4): without tabs and line ends, backslashes slashes.
		seen := strings.Map(func(r rune) rune {
			switch r {
			case '\t', '\r', '\n':
				return -1
			case '\\':
				return '/'
			}
			return r
		}, strings.TrimFunc(target, func(r rune) bool { return r <= ' ' }))
		u, err := base.Parse(seen)
		if err != nil || u.Scheme != base.Scheme || u.Host != base.Host || strings.HasPrefix(seen, "//") || u.User != nil {
			t.Errorf("%q is safe, and leads to %v, %v", target, u, err)
		}
	})
}
