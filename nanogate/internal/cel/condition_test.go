package cel_test

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"dyno.example/nano/wire/http1"
	_ "dyno.example/nanogate/internal/cel" // the driver of rule
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/request/requesttest"
	"dyno.example/nanogate/internal/rule"
)

var scope = rule.Scope{Guards: []string{"jwt", "mtls"}, Params: []string{"id", "rest"}, Strip: []string{"x-user-id"}}

func asked(t testing.TB) *request.Request {
	r := requesttest.Parse(t, "POST /orders/7/a/b?a=1&b=x%20y&b=2&%63=3 HTTP/1.1\r\nHost: Shop.Example:8080\r\nX-Team: a\r\nX-Team: b\r\nX-User-Id: 1\r\nX-Secret: s\r\nX-Quota: 5\r\n"+
		"Cookie: s=1; t=2\r\nCookie: t=3\r\n\r\n")
	r.Params = []request.Span{{Start: 8, End: 9}, {Start: 10, End: 13}}
	r.Secure, r.Client = true, netip.MustParseAddr("::ffff:10.1.2.3")
	r.Drop("x-secret")
	r.Forward("x-quota", []byte("6"))
	r.Verified("jwt", request.Claims{"sub": "ann", "scope": "read write", "roles": []any{"admin", "dev"}, "level": float64(3), "org": map[string]any{"id": "o1"}, "paid": true})
	return r
}

// What expressions come to, of all that they may name.
func TestHolds(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // true, false, or a part of why it can't be said
	}{
		{`request.method == 'POST'`, "true"},
		{`request.method in ['GET', 'HEAD']`, "false"},
		{`request.path.startsWith('/orders/')`, "true"},
		{`request.host == 'shop.example'`, "true"},
		{`request.headers['x-team'] == 'a, b' && request.headers['X-Team'] == 'a, b'`, "true"},
		{`'x-team' in request.headers && !('x-none' in request.headers)`, "true"},
		{`request.headers['x-none'] == ''`, "no such key: x-none"},
		{`'x-user-id' in request.headers`, "false"}, // that the client says of itself
		{`'x-secret' in request.headers`, "false"},  // that a guard has taken out
		{`request.headers['x-quota'] == '6'`, "true"},
		{`request.headers.exists(k, k == 'x-team')`, "true"},
		{`size(request.headers) > 2`, "true"},
		{`request.query['a'] == '1' && request.query.c == '3'`, "true"},
		{`request.query['b'] == '2'`, "b is there more than once"},
		{`'b' in request.query`, "b is there more than once"},
		{`request.cookies['s'] == '1'`, "true"},
		{`request.cookies['t'] == '2'`, "t is there more than once"},
		{`request.tls`, "true"},
		{`request.address == '10.1.2.3' && cidr('10.0.0.0/8').containsIP(request.address)`, "true"},
		{`request.time > timestamp('2020-01-01T00:00:00Z')`, "true"},
		{`params.id == '7' && params.rest == 'a/b'`, "true"},
		{`jwt.sub == 'ann' && jwt.paid && jwt.level >= 3 && jwt.level == 3`, "true"},
		{`jwt.scope.contains('write') || request.method == 'GET'`, "true"},
		{`'write' in jwt.scope.split(' ')`, "true"},
		{`'writ' in jwt.scope.split(' ')`, "false"},
		{`'admin' in jwt.roles && jwt.roles.exists(r, r.startsWith('d'))`, "true"},
		{`jwt.org.id == 'o1'`, "true"},
		{`has(jwt.tenant) && jwt.tenant == 'x'`, "false"},
		{`jwt.tenant == 'x'`, "no such key: tenant"},
		{`jwt.tenant == 'x' || jwt.sub == 'ann'`, "true"}, // CEL's or: one side is enough
		{`has(mtls.name)`, "false"},                       // a guard that has found nothing
		{`jwt.sub`, "neither true nor false"},
		{`jwt.sub.matches('^an+$')`, "true"},
		{`' A '.trim().lowerAscii() == 'a'`, "true"},
	} {
		r, err := rule.Compile(c.text, scope)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		holds, err := r.Holds(asked(t))
		if got := fmt.Sprint(holds); err == nil && got != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %s", c.text, holds, err, c.want)
		}
	}
}

// What is wrong with an expression is said with its place, before it is asked of a request.
func TestCompileRefuses(t *testing.T) {
	for _, c := range []struct {
		text, message, hint string
		line, column        int
	}{
		{`request.method ==`, "Syntax error", "", 1, 18},
		{"request.method == 'GET' &&\n  request.metod == 'X'", "there is no request", "", 2, 3},
		{`keys.name == 'a'`, "there is no keys", "add keys to the route", 1, 1},
		{`jwtt.sub == 'a'`, "there is no jwtt", "did you mean jwt?", 1, 1},
		{`params.ID == 'a'`, "there is no params", "", 1, 1},
		{`request.method == 1`, "no matching overload", "", 1, 16},
		{`request.method`, "type string", "", 1, 1},
		{`request.path.matches(request.query['p'])`, "pattern of matches", "", 1, 35},
		{`request.path.matches('(')`, "missing closing )", "", 1, 22},
		{`request.path.matches('((a{100}){100}){100}')`, "invalid repeat count", "", 1, 22},
		{`request.path.matches('(a{100}){10}b')`, "too large", "", 1, 22},
		{`[1,2,3,4,5,6,7,8,9,10].map(a, [1,2,3,4,5,6,7,8,9,10].map(b, [1,2,3,4,5,6,7,8,9,10].map(c, [1,2,3,4,5,6,7,8,9,10].map(d, a+b+c+d)))).size() > 0`, "takes too long", "", 1, 1},
		{strings.Repeat("(", 2000) + "true" + strings.Repeat(")", 2000), "", "", 0, 0},
		{strings.Repeat("true || ", 1000) + "true", "", "", 0, 0},
	} {
		_, err := rule.Compile(c.text, scope)
		var e *rule.Error
		if !errors.As(err, &e) {
			t.Errorf("%.60s: %v", c.text, err)
			continue
		}
		if !strings.Contains(e.Message, c.message) || !strings.Contains(e.Hint, c.hint) || c.line > 0 && (e.Line != c.line || e.Column != c.column) {
			t.Errorf("%.60s: %d:%d %q (%s)", c.text, e.Line, e.Column, e.Message, e.Hint)
		}
	}
}

// An expression whose cost hangs on what a client sends comes to an error before it takes
// long.
func TestCostIsBounded(t *testing.T) {
	names := make([]string, 0, 90)
	for i := range 90 {
		names = append(names, fmt.Sprintf("X-%d: %s\r\n", i, strings.Repeat("x", 100)))
	}
	r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: h\r\n"+strings.Join(names, "")+"\r\n")
	for _, text := range []string{
		`request.headers.all(a, request.headers.all(b, request.headers.all(c, a + b + c != '')))`,
		`request.headers.map(k, request.headers.map(j, request.headers[j].split('').size())).size() > 0`,
		`request.headers.all(k, request.headers.all(j, request.headers[j].matches('(a*)*(x|y)*$')))`,
	} {
		one, err := rule.Compile(text, scope)
		if err != nil {
			t.Fatal(err)
		}
		if holds, err := one.Holds(r); err == nil || !strings.Contains(err.Error(), "cost limit") {
			t.Errorf("%s: %v, %v", text, holds, err)
		}
		if holds, err := one.Holds(requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")); err != nil {
			t.Errorf("%s of a small request: %v, %v", text, holds, err)
		}
	}
}

// Whatever the text and the request, there is a result or an error.
func FuzzRule(f *testing.F) {
	for _, seed := range []string{`request.method == 'GET'`, `request.query['a'] == jwt.sub`, `has(jwt.a.b)`, `request.headers.exists(k, k.split('-')[0] == 'x')`, `cidr('10.0.0.0/8').containsIP(request.address)`} {
		f.Add(seed, "a=1&b=%zz", "s=1; t")
	}
	f.Fuzz(func(t *testing.T, text, query, cookie string) {
		one, err := rule.Compile(text, scope)
		if err != nil {
			return
		}
		head, b := &http1.Request{}, []byte("GET /a?"+query+" HTTP/1.1\r\nHost: h\r\nCookie: "+cookie+"\r\n\r\n")
		if n, err := head.Parse(b, nil); n != len(b) || err != nil {
			t.Skip()
		}
		r := asked(t)
		r.Begin(head, b)
		_, _ = one.Holds(r)
	})
}

func BenchmarkHolds(b *testing.B) {
	for name, text := range map[string]string{
		"method": `request.method == 'POST'`,
		"scope":  `'write' in jwt.scope.split(' ') || request.method == 'GET'`,
		"roles":  `jwt.roles.exists(r, r == 'admin')`,
	} {
		one, err := rule.Compile(text, scope)
		if err != nil {
			b.Fatal(err)
		}
		r := asked(b)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if holds, err := one.Holds(r); !holds || err != nil {
					b.Fatal(holds, err)
				}
			}
		})
	}
}
