//go:build linux

package proxy

import "testing"

// What filters keep of an exchange is memory that goes round, and the next one finds nothing in it.
func TestKeptGoesRound(t *testing.T) {
	l, c := bench(t, "routes: [{to: \"http://127.0.0.1:9\"}]\n")
	x := &c.x
	if l.forget(x); len(l.unkept) != 0 {
		t.Error("an exchange of which nothing is kept gives memory back")
	}
	first, told := l.keep(x), &explanation{}
	if n := testing.AllocsPerRun(100, func() {
		k := l.keep(x)
		k.cached.patience, k.passage.whole, k.explanation = 1, true, told
		k.changes = append(k.changes, "/a"...)
		l.forget(x)
		if k = l.keep(x); k != first || k.cached.patience != 0 || k.passage.whole || k.explanation != nil || len(k.changes) != 0 {
			t.Error("what was kept of one exchange is left to the next")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
