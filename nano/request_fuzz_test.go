package nano

import (
	"net/http"
	"net/url"
	"slices"
	"testing"

	"dyno.example/nano/wire/http1"
)

// FuzzQuery holds the query against net/url, where that takes it.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{"a=1&b=2", "a", "a=%41+b", "a=%zz&a=1", "&&a=1", "%61=1", "a=b=c", "=", "a%3d=1", "a=\xff"} {
		f.Add(s, "a")
	}
	f.Fuzz(func(t *testing.T, query, name string) {
		want, err := url.ParseQuery(query)
		x := &liveRequest{app: New(Config{})}
		var got []string
		for p := range pairs([]byte(query)) {
			if v, ok := x.unescaped(p.value); ok && p.named(name) {
				got = append(got, string(v))
			}
		}
		if err == nil && !slices.Equal(got, want[name]) {
			t.Errorf("%q: got %q, want %q", query, got, want[name])
		}
	})
}

// FuzzCookies: what is read can be sent, and is what net/http reads.
func FuzzCookies(f *testing.F) {
	for _, s := range []string{"a=1; b=2", `a="x"`, "a=b=c", "a", "a=x y", ";;a=1", "a=\x00", "\xff=1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if !http1.ValidFieldValue(line) {
			return
		}
		std := (&http.Request{Header: http.Header{"Cookie": {line}}}).Cookies()
		for name, value := range cookies([]byte(line)) {
			c := Cookie{Name: string(name), Value: string(value), Path: "/", Secure: true}
			if err := c.Check(); err != nil {
				t.Error(err)
			}
			if !slices.ContainsFunc(std, func(s *http.Cookie) bool { return s.Name == c.Name && s.Value == c.Value }) {
				t.Errorf("net/http does not find %s=%s in %q", name, value, line)
			}
		}
	})
}

// FuzzAccept: the response is one of the offers, and an offer that the client
// refuses by name is never it.
func FuzzAccept(f *testing.F) {
	for _, s := range []string{"*/*", "text/html;q=0.5, application/json", "text/*;q=0", `a/b;x="\",";q=1`, ";;q=,", "text/html;q=1.001", "text/html;q=0.0001"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		x := &liveRequest{}
		x.Buf = []byte("accept" + value)
		x.Req.Fields = []http1.Field{{Name: http1.Span{End: 6}, Value: http1.Span{Start: 6, End: uint32(len(x.Buf))}}}
		got := best(x, "accept", []string{"text/html", "application/json"}, matchMedia)
		if got == "" {
			return
		}
		if q, said := quality(x, "accept", got, matchMedia); said && q <= 0 {
			t.Errorf("%q: %s has quality %d", value, got, q)
		}
	})
}
