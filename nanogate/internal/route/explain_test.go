package route

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/request/requesttest"
)

// TestExplainAgrees: whatever the routes and the request are, the first that Explain has
// nothing against is what Find finds, and it tries them in the order that Ordered lists.
func TestExplainAgrees(t *testing.T) {
	conditioned := func(r *rand.Rand, m *config.Match) {
		kinds := []config.ConditionKind{config.Equals, config.Begins, config.Present, config.Absent}
		condition := func(name string) []config.Condition {
			if r.IntN(3) > 0 {
				return nil
			}
			return []config.Condition{{Name: name, Value: "v", Kind: kinds[r.IntN(4)]}}
		}
		m.Headers, m.Query, m.Cookies = condition("x-a"), condition("q"), condition("c")
		m.Scheme, m.Port, m.Rank = []string{"", "", "http", "https"}[r.IntN(4)], uint16(r.IntN(6)/5), r.IntN(5)/4
		if m.Exactly = len(m.Methods) == 1 && r.IntN(3) == 0; m.Exactly {
			m.Methods = m.Methods[:1]
		}
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		pick := func(list ...string) string { return list[r.IntN(len(list))] }
		var all []*spec
		for i := range 12 {
			s := randomSpec(r, i)
			conditioned(r, &s.match)
			all = append(all, s)
		}
		table := made(all)
		type place struct {
			host string
			of   *spec
		}
		var order []place
		for host, v := range table.Ordered() {
			order = append(order, place{host, v})
		}
		for range 20 {
			path := ""
			for range 1 + r.IntN(3) {
				path += "/" + pick("a", "ab", "abc", "b", "c")
			}
			q := requesttest.Parse(t, fmt.Sprintf("%s %s%s HTTP/1.1\r\nHost: %s\r\n%s%s\r\n", pick("GET", "HEAD", "POST"), path, pick("", "/", "?q=v", "?q=w"),
				pick("h1", "x.h1", "y.x.h1", "h3"), pick("", "X-A: v1\r\n", "X-A: v\r\n"), pick("", "Cookie: c=v\r\n")))
			q.Secure, q.Port = r.IntN(2) == 0, uint16(r.IntN(2))
			agrees(t, fmt.Sprint(seed, " ", string(q.Buf)), table, q)
			last := -1
			for _, one := range table.Explain(q) {
				at := slices.Index(order, place{one.Host, one.Value})
				if at <= last {
					t.Fatalf("seed %d, %q: %v is tried after what is listed after it", seed, q.Buf, one.Value)
				}
				last = at
			}
		}
	}
}

func agrees(t *testing.T, name string, table *Table[spec], q *request.Request) {
	t.Helper()
	var f Found
	var first *spec
	wrong := false
	for _, one := range table.Explain(q) {
		if one.Why == "" {
			first = one.Value
			break
		}
		wrong = wrong || one.Method
	}
	if found := table.Find(q, &f); found != first || found == nil && f.WrongMethod != wrong {
		t.Fatalf("%s: found %v (wrong method: %v), explained %v (%v)", name, found, f.WrongMethod, first, wrong)
	}
}

func TestExplainSays(t *testing.T) {
	table := tableOf(t, `
  - {name: a, match: {scheme: http}, respond: {}}
  - {name: b, match: {port: 8443}, respond: {}}
  - {name: c, match: {headers: {X-A: "1"}}, respond: {}}
  - {name: d, match: {headers: {X-B: "2*"}}, respond: {}}
  - {name: e, match: {headers: {X-B: "!"}}, respond: {}}
  - {name: f, match: {query: {q: "*"}}, respond: {}}
  - {name: g, match: {cookies: {c: "1"}}, respond: {}}
  - {name: h, match: {methods: [GET, PUT]}, respond: {}}
  - {name: i, match: {methods: {is: GET}}, respond: {}}
  - {name: j, match: {host: other}, respond: {}}
`)
	q := requesttest.Parse(t, "POST / HTTP/1.1\r\nHost: h\r\nX-B: 1\r\nCookie: c=2\r\n\r\n")
	q.Secure, q.Port = true, 443
	want := map[string]string{
		"a": "the scheme is https, not http", "b": "the port is 443, not 8443", "c": "there is no field x-a", "d": `the field x-b is "1", not begun with "2"`,
		"e": `the field x-b is "1", not absent`, "f": "there is no parameter of the query q", "g": `the cookie c is "2", not "1"`, "h": "the method is POST, not GET or PUT", "i": "the method is POST, not just GET",
	}
	for _, one := range table.Explain(q) {
		if one.Why != want[*one.Value] {
			t.Errorf("%s: %s", *one.Value, one.Why)
		}
		delete(want, *one.Value)
	}
	if len(want) > 0 {
		t.Errorf("nothing is said of %v", want)
	}
}
