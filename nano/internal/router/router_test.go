package router

import (
	"errors"
	"testing"

	"dyno.example/nano/wire/http1"
)

// requestFor lays a request out as a connection does.
func requestFor(method, host, path string) (q http1.Request, buf []byte) {
	put := func(s string) http1.Span {
		from := uint32(len(buf))
		buf = append(buf, s...)
		return http1.Span{Start: from, End: uint32(len(buf))}
	}
	q.Method, q.Path, q.Host = put(method), put(path), put(host)
	return q, buf
}

func mustAdd(t *testing.T, r *Router[string], method, host, path string) {
	t.Helper()
	p, err := Parse(method, host, path)
	if err != nil {
		t.Fatal(err)
	}
	name := method + host + path
	if err := r.Add(p, method, &name); err != nil {
		t.Fatal(err)
	}
}

func TestOutcomes(t *testing.T) {
	for _, slash := range []Slash{Redirect, Strict, Merge} {
		r := Router[string]{Slash: slash}
		mustAdd(t, &r, "GET", "", "/a/{x}")
		mustAdd(t, &r, "", "", "/any")
		mustAdd(t, &r, "PUT", "{t}.example.com", "/tree/{rest...}")
		for _, c := range []struct {
			method, host, path string
			found              [3]string // by Slash
			outcome            [3]Outcome
		}{
			{"GET", "", "/a/b", [3]string{"GET/a/{x}", "GET/a/{x}", "GET/a/{x}"}, [3]Outcome{}},
			{"HEAD", "", "/a/b", [3]string{"GET/a/{x}", "GET/a/{x}", "GET/a/{x}"}, [3]Outcome{}},
			{"PURGE", "", "/any", [3]string{"/any", "/any", "/any"}, [3]Outcome{}},
			{"PUT", "T1.example.com:80", "/tree/b/c", [3]string{"PUT{t}.example.com/tree/{rest...}", "PUT{t}.example.com/tree/{rest...}", "PUT{t}.example.com/tree/{rest...}"}, [3]Outcome{}},
			{"POST", "", "/a/b", [3]string{}, [3]Outcome{WrongMethod, WrongMethod, WrongMethod}},
			{"OPTIONS", "", "/a/b", [3]string{}, [3]Outcome{OptionsOfPath, OptionsOfPath, OptionsOfPath}},
			{"OPTIONS", "", "*", [3]string{}, [3]Outcome{OptionsOfAll, OptionsOfAll, OptionsOfAll}},
			{"GET", "", "/a/b/", [3]string{"", "", "GET/a/{x}"}, [3]Outcome{SlashCut, NotFound, NotFound}},
			{"GET", "", "/a//b", [3]string{}, [3]Outcome{UncleanPath, NotFound, UncleanPath}},
			{"GET", "", "/a/%4", [3]string{}, [3]Outcome{BadPath, BadPath, BadPath}},
			{"GET", "", "/b", [3]string{}, [3]Outcome{NotFound, NotFound, NotFound}},
		} {
			q, buf := requestFor(c.method, c.host, c.path)
			var m Match
			got := ""
			if v := r.Find(&q, buf, &m); v != nil {
				got = *v
			}
			if got != c.found[slash] || got == "" && m.Outcome != c.outcome[slash] {
				t.Errorf("policy %d, %s %s%s: %q, outcome %d, want %q, %d", slash, c.method, c.host, c.path, got, m.Outcome, c.found[slash], c.outcome[slash])
			}
			if got == "" && m.N != 0 {
				t.Errorf("%s: %d values of nothing", c.path, m.N)
			}
		}
	}
}

func TestConflictNamesTheOther(t *testing.T) {
	var r Router[string]
	mustAdd(t, &r, "GET", "", "/a/{x}")
	p, err := Parse("GET", "", "/a/{y}")
	if err != nil {
		t.Fatal(err)
	}
	other := "other"
	var conflict *Conflict[string]
	if err := r.Add(p, "GET", &other); !errors.As(err, &conflict) || *conflict.With != "GET/a/{x}" {
		t.Errorf("%v", err)
	}
	if err := r.Add(p, "POST", &other); err != nil {
		t.Errorf("another method: %v", err)
	}
}

func TestAllowed(t *testing.T) {
	var r Router[string]
	mustAdd(t, &r, "GET", "", "/a/{x}")
	mustAdd(t, &r, "PURGE", "", "/a/b")
	q, buf := requestFor("POST", "", "/a/b")
	var m Match
	if r.Find(&q, buf, &m) != nil {
		t.Fatal("found")
	}
	if got := AllowLine(r.Allowed(&q, buf, &m)); got != "GET, HEAD, OPTIONS, PURGE" {
		t.Error(got)
	}
}

// TestFindDoesNotAllocate: paths of each kind, once there is room for their values.
func TestFindDoesNotAllocate(t *testing.T) {
	var r Router[string]
	for _, path := range []string{"/", "/search/code", "/users/{user}/profile", "/repos/{owner}/{repo}/contents/{path...}", "/v{major:int}.{minor}"} {
		mustAdd(t, &r, "GET", "", path)
		mustAdd(t, &r, "GET", "{tenant}.example.com", path)
	}
	for _, path := range []string{"/", "/search/code", "/users/caf%C3%A9/profile", "/repos/a/b/contents/c/d", "/v1.2"} {
		for _, host := range []string{"", "API.example.com:8080"} {
			q, buf := requestFor("GET", host, path)
			var m Match
			r.Find(&q, buf, &m) // the scratch space is kept
			if n := testing.AllocsPerRun(100, func() {
				m.Reset()
				if r.Find(&q, buf, &m) == nil {
					t.Fatal("not found")
				}
				for i := range m.N {
					m.Value(i, buf)
				}
			}); n != 0 {
				t.Errorf("%s on %q: %v allocations", path, host, n)
			}
		}
	}
}
