package snapshot

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/route"
)

func TestInOrder(t *testing.T) {
	for _, c := range []struct{ was, want []int }{
		{nil, nil}, {[]int{0, 1, 2}, []int{0, 1, 2}}, {[]int{-1, 0, -1, 1}, []int{1, 3}}, {[]int{2, 0, 1}, []int{1, 2}}, {[]int{1, 2, 0}, []int{0, 1}}, {[]int{2, 1, 0}, []int{2}}, {[]int{3, -1, 0, 1, 4, 2}, []int{2, 3, 5}},
	} {
		if got := inOrder(c.was); len(got) != len(c.want) || !slices.Equal(got, c.want) && len(c.want) > 0 {
			t.Errorf("%v: %v, want %v", c.was, got, c.want)
		}
	}
}

// Whatever changes from one configuration to the next, requests meet the routes that
// they would meet if the last one were built afresh, and what is the same is the same
// object.
func TestSuccessions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	type spec struct{ name, match, does string }
	texts := func(all []spec) string {
		var b strings.Builder
		b.WriteString("upstreams: {u: [\"127.0.0.1:1\"]}\nroutes:\n")
		for _, s := range all {
			fmt.Fprintf(&b, "  - {name: %s, match: {path: %q}, %s}\n", s.name, s.match, s.does)
		}
		return b.String()
	}
	next := 0
	random := func() spec {
		next++
		return spec{fmt.Sprint("r", next), []string{"/a", "/a/*", "/b", "/*"}[r.IntN(4)], []string{"to: u", "to: \"http://127.0.0.1:2\"", "respond: {}", "respond: {}, jwt: {secret: /nowhere}"}[r.IntN(4)]}
	}
	all := []spec{random()}
	b := NewBuilder(1)
	before, was := (*Snapshot)(nil), map[string]spec{}
	for step := range 100 {
		for range r.IntN(3) {
			i := r.IntN(len(all))
			switch r.IntN(5) {
			case 0:
				all = slices.Insert(all, i, random())
			case 1:
				if len(all) > 1 {
					all = slices.Delete(all, i, i+1)
				}
			case 2:
				all[i].match = random().match
			case 3:
				all[i].does = random().does
			case 4:
				one := all[i]
				all = slices.Delete(all, i, i+1)
				all = slices.Insert(all, r.IntN(len(all)+1), one)
			}
		}
		c := parse(t, texts(all))
		s, fresh := b.Build(c, before), NewBuilder(1).Build(c, nil)
		for _, path := range []string{"/a", "/a/x", "/b", "/c"} {
			var f, g route.Found
			if got, want := s.Find(of(t, path), &f), fresh.Find(of(t, path), &g); (got == nil) != (want == nil) || got != nil && (got.Name != want.Name || got.text != want.text || (got.Broken == nil) != (want.Broken == nil)) {
				t.Fatalf("step %d, %s: %+v, want %+v in\n%s", step, path, got, want, texts(all))
			}
		}
		if len(s.Problems) != len(fresh.Problems) || len(s.Upstreams) != len(fresh.Upstreams) {
			t.Fatalf("step %d: %v and %d upstreams, want %v and %d", step, s.Problems, len(s.Upstreams), fresh.Problems, len(fresh.Upstreams))
		}
		for i, one := range s.Routes {
			if same := before != nil && slices.Contains(before.Routes, one); same != (was[one.Name] == all[i] && one.Broken == nil) {
				t.Fatalf("step %d: %v was taken over: %v", step, all[i], same)
			}
		}
		if before != nil {
			before.Retire(s)
		}
		fresh.Retire(nil)
		before, was = s, map[string]spec{}
		for _, one := range all {
			was[one.name] = one
		}
	}
}

func TestWithout(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		before, after := r.Perm(8)[:r.IntN(9)], r.Perm(8)[:r.IntN(9)]
		var want []int
		for _, v := range before {
			if !slices.Contains(after, v) {
				want = append(want, v)
			}
		}
		if got := without(before, after); !slices.Equal(got, want) {
			t.Fatalf("%v without %v: %v", before, after, got)
		}
	}
}
