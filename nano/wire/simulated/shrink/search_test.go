package shrink

import (
	"slices"
	"testing"
)

// Of a list what it fails of is left, in its order, whatever that is.
func TestWithout(t *testing.T) {
	for _, c := range []struct{ size, one, other int }{{1, 0, 0}, {2, 0, 1}, {100, 3, 97}, {100, 50, 51}, {1000, 999, 0}} {
		all := make([]int, c.size)
		for i := range all {
			all[i] = i
		}
		now := all
		fails := func() bool { return slices.Contains(now, c.one) && slices.Contains(now, c.other) }
		s := New(fails, Effort{Runs: 10000})
		Without(s, all, func(list []int) { now = list })
		want := []int{c.one, c.other}
		slices.Sort(want)
		if want = slices.Compact(want); !slices.Equal(now, want) || s.Ran() > 100 && s.Ran() > c.size {
			t.Errorf("of %d, %v is left after %d runs, not %v", c.size, now, s.Ran(), want)
		}
	}
}

// Of what members have, what makes no difference goes, and who has nothing.
func TestMembers(t *testing.T) {
	type owner struct{ has []int }
	owners := []*owner{{[]int{1, 2, 3}}, {[]int{4}}, {[]int{5, 6, 7, 8}}, {[]int{9, 10}}}
	now := owners
	find := func(n int) bool {
		return slices.ContainsFunc(now, func(o *owner) bool { return slices.Contains(o.has, n) })
	}
	Members(New(func() bool { return find(2) && find(5) && find(8) }, Effort{Runs: 1000}), owners,
		func(o *owner) []int { return o.has }, func(_ *owner, has []int) *owner { return &owner{has} }, func(list []*owner) { now = list })
	if len(now) != 2 || !slices.Equal(now[0].has, []int{2}) || !slices.Equal(now[1].has, []int{5, 8}) || len(owners[0].has) != 3 {
		t.Errorf("%d are left", len(now))
	}
}

// Those of the nearest requests are tried first, one, two, four; if all are needed, all are left.
func TestFewest(t *testing.T) {
	all := []string{"a", "bb", "cccc", "ddd"} // with requests 1, 2, 4 and 3
	for _, c := range []struct {
		needs []string
		left  []string
	}{
		{[]string{"cccc"}, []string{"cccc"}},
		{[]string{"ddd"}, []string{"cccc", "ddd"}},
		{[]string{"bb"}, all},
		{[]string{"a", "ddd"}, all},
	} {
		now := all
		Fewest(New(func() bool {
			return !slices.ContainsFunc(c.needs, func(one string) bool { return !slices.Contains(now, one) })
		}, Effort{Runs: 100, Near: []int{4, 1, 2, 3, 4}}), all, func(one string) []int { return []int{len(one), 99} }, func(list []string) { now = list })
		if !slices.Equal(now, c.left) {
			t.Errorf("%v is left for %v", now, c.needs)
		}
	}
}

// What makes no difference is plain at last, edits that do nothing alone were done together, and
// one that took too much is taken back.
func TestPlain(t *testing.T) {
	a, b, c, d, length := 1, 2, 3, 4, 100
	s := New(func() bool { return b == 2 && (c == 0) == (d == 0) && length >= 25 }, Effort{Runs: 1000})
	s.Until(func() int { return a + b + c + d + length }, func() {
		list := Change(nil, &a, 0)
		list = Change(list, &b, 0)
		list = Together(list, Change(Change(nil, &c, 0), &d, 0))
		s.Plain(Lower(Lower(list, &length, 0), &length, length/2))
	})
	if a != 0 || b != 2 || c != 0 || d != 0 || length != 25 {
		t.Error(a, b, c, d, length)
	}
	if list := Lower(Change(nil, &a, 0), &length, 25); len(list) > 0 || len(Together(nil, nil)) > 0 {
		t.Error("what is plain can be made plainer")
	}
}

// It ends after so many runs, or when that is enough, with what fails.
func TestEnds(t *testing.T) {
	for n := range 30 {
		now, asked := make([]int, 100), 0
		s := New(func() bool { asked++; return len(now) > 10 }, Effort{Runs: 1000, Enough: func() bool { return asked >= n }})
		if n%2 == 0 {
			s = New(func() bool { asked++; return len(now) > 10 }, Effort{Runs: n})
		}
		s.Until(func() int { return len(now) }, func() { Without(s, now, func(list []int) { now = list }) })
		if asked > n || len(now) <= 10 {
			t.Errorf("%d runs of %d, and %d are left", asked, n, len(now))
		}
	}
}
