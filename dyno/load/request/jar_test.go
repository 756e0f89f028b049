package request

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).UnixNano()

func headWith(cookies ...string) []byte {
	var b strings.Builder
	b.WriteString("HTTP/1.1 200 OK\r\n")
	for _, c := range cookies {
		b.WriteString("Set-Cookie: " + c + "\r\n")
	}
	b.WriteString("\r\n")
	return []byte(b.String())
}

func TestJar(t *testing.T) {
	for _, c := range []struct {
		name string
		set  []string // "path: field", each a response to a request for the path
		for_ string
		want string
	}{
		{"nothing set", nil, "/", ""},
		{"simple", []string{"/: a=1"}, "/x/y", "a=1; "},
		{"changed", []string{"/: a=1", "/: a=2"}, "/", "a=2; "},
		{"attributes", []string{"/: a=1; Path=/; HttpOnly; Secure; SameSite=Lax"}, "/", "a=1; "},
		{"value with =", []string{"/: a==1="}, "/", "a==1=; "},
		{"default path", []string{"/shop/cart: a=1"}, "/shop/pay", "a=1; "},
		{"other default path", []string{"/shop/cart: a=1"}, "/shopping", ""},
		{"path attribute", []string{"/: a=1; path=/api"}, "/api/x", "a=1; "},
		{"path that ends in a slash", []string{"/: a=1; path=/api/"}, "/api", ""},
		{"path that is none", []string{"/b/c: a=1; path=x"}, "/b", "a=1; "},
		{"longer paths first", []string{"/: a=1", "/: a=2; path=/b", "/: c=3"}, "/b", "a=2; a=1; c=3; "},
		{"removed by age", []string{"/: a=1", "/: b=2", "/: a=; Max-Age=0"}, "/", "b=2; "},
		{"removed by date", []string{"/: a=1", "/: a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"}, "/", ""},
		{"removed an hour ago", []string{"/: a=1", "/: a=; expires=Thu, 01-Jan-2026 11:00:00 GMT"}, "/", ""},
		{"date to come", []string{"/: a=1; Expires=Thu, 01 Jan 2026 13:00:00 GMT"}, "/", "a=1; "},
		{"age wins", []string{"/: a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT"}, "/", "a=1; "},
		{"date that is none", []string{"/: a=1; Expires=soon"}, "/", "a=1; "},
		{"no name", []string{"/: =1"}, "/", ""},
		{"no pair", []string{"/: a"}, "/", ""},
		{"control character", []string{"/: a=\x01"}, "/", ""},
		{"too long", []string{"/: a=" + strings.Repeat("x", maxCookieBytes)}, "/", ""},
	} {
		j := &Jar{Now: noon}
		for _, set := range c.set {
			path, field, _ := strings.Cut(set, ": ")
			j.Take(headWith(field), []byte(path))
		}
		if got := string(j.append(nil, []byte(c.for_))); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestJarIsBounded(t *testing.T) {
	j := &Jar{Now: noon}
	for i := range 2 * maxCookies {
		j.Take(headWith(fmt.Sprintf("c%d=1", i)), []byte("/"))
	}
	if len(j.cookies) != maxCookies {
		t.Errorf("%d cookies are kept", len(j.cookies))
	}
}

func TestJarDoesNotAllocate(t *testing.T) {
	j, head, path, buf := &Jar{Now: noon}, headWith("a=1; Path=/; Max-Age=60", "b=2"), []byte("/x"), make([]byte, 0, 100)
	if n := testing.AllocsPerRun(100, func() {
		j.Take(head, path)
		buf = j.append(buf[:0], path)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzSetCookie looks for fields that panic or put into a request what would
// end its field.
func FuzzSetCookie(f *testing.F) {
	for _, s := range []string{"a=1", "a=1; Path=/; Max-Age=0", "=; ;;", "a=b;expires=Thu, 01 Jan 1970 00:00:00 GMT", "a=\r\nb"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, field []byte) {
		c, ok := parseSetCookie(field, noon)
		if !ok {
			return
		}
		if len(c.name) == 0 || bytes.ContainsAny(c.name, ";=\r\n") || bytes.ContainsAny(c.value, ";\r\n") {
			t.Errorf("%q gives %q=%q", field, c.name, c.value)
		}
		j := new(Jar)
		j.set(c)
		j.append(nil, []byte("/"))
	})
}
