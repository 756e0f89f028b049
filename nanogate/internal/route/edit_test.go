package route

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dyno.example/nanogate/internal/config"
)

// spec is a route of these tests.
type spec struct {
	match    config.Match
	priority int
	name     string
}

func (s *spec) String() string {
	return fmt.Sprint(s.priority, s.match.Hosts, s.match.Path.Text, s.match.Methods, s.name)
}

// made makes a table of routes at once, in their order.
func made(all []*spec) *Table[spec] {
	e := (&Table[spec]{}).Edit(func(v *spec) int { return slices.Index(all, v) })
	for _, s := range all {
		e.Add(&s.match, s.priority, s)
	}
	return e.Table()
}

// dump writes a table so that tables that find the same are the same text.
func dump(t *Table[spec]) string {
	var b strings.Builder
	for _, tier := range t.tiers {
		fmt.Fprintf(&b, "tier %d with %d\n", tier.priority, tier.size)
		for k, h := range []*hosts[spec]{&tier.exact, &tier.below} {
			trees := map[string]*node[spec]{}
			for _, bucket := range h.buckets {
				if bucket != nil {
					maps.Copy(trees, bucket.trees)
				}
			}
			if len(trees) != h.n {
				fmt.Fprintf(&b, "%d hosts, not %d\n", len(trees), h.n)
			}
			for _, host := range slices.Sorted(maps.Keys(trees)) {
				fmt.Fprintf(&b, "%s%s\n", []string{"", "*."}[k], host)
				dumpNode(&b, trees[host], 1)
			}
		}
		if tier.any != nil {
			dumpNode(&b, tier.any, 1)
		}
	}
	return b.String()
}

func dumpNode(b *strings.Builder, n *node[spec], depth int) {
	fmt.Fprintf(b, "%s%q", strings.Repeat(" ", depth), n.prefix)
	for _, one := range n.end {
		fmt.Fprintf(b, " end %v %v", one.value, one.star)
	}
	for _, one := range n.tail {
		fmt.Fprintf(b, " tail %v", one.value)
	}
	b.WriteByte('\n')
	if string(n.first) != firsts(n) {
		b.WriteString("first isn't what children begin with\n")
	}
	children := slices.SortedFunc(slices.Values(n.children), func(x, y *node[spec]) int { return strings.Compare(x.prefix, y.prefix) })
	for _, c := range children {
		dumpNode(b, c, depth+1)
	}
	if n.param != nil {
		b.WriteString(strings.Repeat(" ", depth) + "{}\n")
		dumpNode(b, n.param, depth+1)
	}
}

func firsts(n *node[spec]) (all string) {
	for _, c := range n.children {
		all += c.prefix[:1]
	}
	return all
}

// randomSpec is one of few, so that they collide in all ways.
func randomSpec(r *rand.Rand, name int) *spec {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	s := &spec{priority: r.IntN(2), name: fmt.Sprint(name)}
	for range 1 + r.IntN(3) {
		s.match.Path.Text += "/" + pick("a", "ab", "abc", "b", "{x}")
	}
	s.match.Path.Text += pick("", "/", "*", "/*")
	switch r.IntN(4) {
	case 0:
		s.match.Hosts = []string{pick("h1", "h2"), pick("*.h1", "*.h2", "h3")}
	case 1:
		s.match.Hosts = []string{"h1"}
	}
	if r.IntN(3) == 0 {
		s.match.Methods = []string{"GET"}
	}
	return s
}

// Whatever is added, removed and replaced, the table is the one that is made of the
// routes at once, and those before it stay as they were.
func TestEdits(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		var all []*spec
		table, before, text := &Table[spec]{}, (*Table[spec])(nil), ""
		for step := range 30 {
			next := slices.Clone(all)
			order := func(v *spec) int { return slices.Index(next, v) }
			e := table.Edit(order)
			for range 1 + r.IntN(3) {
				switch k := r.IntN(5); {
				case k < 2 && len(next) > 0:
					i := r.IntN(len(next))
					s := next[i]
					e.Remove(&s.match, s.priority, s)
					next = slices.Delete(next, i, i+1)
				case k == 2 && len(next) > 0:
					i := r.IntN(len(next))
					s := *next[i]
					s.name += "'"
					e.Replace(&s.match, s.priority, next[i], &s)
					next[i] = &s
				default:
					s := randomSpec(r, step)
					next = slices.Insert(next, r.IntN(len(next)+1), s)
					e.Add(&s.match, s.priority, s)
				}
			}
			before, text = table, dump(table)
			table, all = e.Table(), next
			if got, want := dump(table), dump(made(all)); got != want {
				t.Fatalf("seed %d, step %d:\n%s\nwant\n%s", seed, step, got, want)
			}
			if got := dump(before); got != text {
				t.Fatalf("seed %d, step %d: the table before has changed:\n%s\nwas\n%s", seed, step, got, text)
			}
		}
	}
}

// nodes are all nodes of a table.
func nodes(t *Table[spec]) map[*node[spec]]bool {
	all := map[*node[spec]]bool{}
	var walk func(n *node[spec])
	walk = func(n *node[spec]) {
		if n == nil {
			return
		}
		all[n] = true
		for _, c := range n.children {
			walk(c)
		}
		walk(n.param)
	}
	for _, tier := range t.tiers {
		walk(tier.any)
		for _, h := range []*hosts[spec]{&tier.exact, &tier.below} {
			for _, b := range h.buckets {
				if b != nil {
					for _, n := range b.trees {
						walk(n)
					}
				}
			}
		}
	}
	return all
}

// Of ten thousand routes one changes: only the nodes on the way to it are rebuilt,
// and only the bucket of its host.
func TestEditsShare(t *testing.T) {
	var all []*spec
	for i := range 10_000 {
		s := &spec{name: fmt.Sprint(i), match: config.Match{Path: config.Pattern{Text: fmt.Sprintf("/service-%d/{id}/*", i)}}}
		if i%2 == 0 {
			s.match.Hosts = []string{fmt.Sprintf("h%d.example.com", i)}
		}
		all = append(all, s)
	}
	order := map[*spec]int{}
	for i, s := range all {
		order[s] = i
	}
	e := (&Table[spec]{}).Edit(func(v *spec) int { return order[v] })
	for _, s := range all {
		e.Add(&s.match, s.priority, s)
	}
	table := e.Table()
	before := nodes(table)
	for _, i := range []int{5000, 5001} {
		old := all[i]
		changed := *old
		changed.match.Path.Text = "/changed/*"
		order[&changed] = i
		e := table.Edit(func(v *spec) int { return order[v] })
		e.Remove(&old.match, old.priority, old)
		e.Add(&changed.match, changed.priority, &changed)
		after := e.Table()
		fresh := 0
		for n := range nodes(after) {
			if !before[n] {
				fresh++
			}
		}
		if fresh == 0 || fresh > 12 {
			t.Errorf("route %d: %d of %d nodes were rebuilt", i, fresh, len(before))
		}
		shared, buckets := 0, 0
		for k, b := range after.tiers[0].exact.buckets {
			buckets++
			if b == table.tiers[0].exact.buckets[k] {
				shared++
			}
		}
		if want := 1 - i%2; buckets-shared != want {
			t.Errorf("route %d: %d buckets were rebuilt, want %d", i, buckets-shared, want)
		}
	}
}
