package oidc

import (
	"fmt"
	"testing"
	"time"
)

func holder(sid, sub string, began int64) *Holder {
	h := (&Session{Began: time.Unix(began, 0)}).Holder(map[string]any{"sid": sid, "sub": sub})
	return &h
}

// A logout ends what it names, and nothing that began later.
func TestLogouts(t *testing.T) {
	l, now := newLogouts(100), time.Unix(1000, 0)
	if l.ended(holder("s", "ann", 1)) {
		t.Error("before any logout")
	}
	l.add(Logout{markOf("sid", "s"), 500, 2000}, now)
	l.add(Logout{markOf("sub", "bob"), 500, 2000}, now)
	l.add(Logout{markOf("sub", "eve"), 500, 2000}, now)
	l.add(Logout{markOf("sub", "eve"), 400, 1500}, now) // which comes late
	for _, c := range []struct {
		sid, sub string
		began    int64
		ended    bool
	}{
		{"s", "ann", 499, true}, {"s", "ann", 500, true}, {"s", "ann", 501, false}, {"other", "ann", 499, false}, {"", "ann", 499, false},
		{"x", "bob", 500, true}, {"", "bob", 1, true}, {"x", "bob", 501, false}, {"bob", "s", 1, false},
		{"x", "eve", 500, true}, {"x", "eve", 501, false},
	} {
		if got := l.ended(holder(c.sid, c.sub, c.began)); got != c.ended {
			t.Errorf("%+v: %v", c, got)
		}
	}
	h := holder("x", "carl", 1)
	if n := testing.AllocsPerRun(100, func() { l.ended(h) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// They are bounded. Those that are over make room first; when there is none, sessions are over
// that may be meant by what is forgotten, and no others.
func TestLogoutsAreBounded(t *testing.T) {
	const most = 100
	l, now := newLogouts(most), time.Unix(1000, 0)
	for i := range int64(10 * most) {
		l.add(Logout{markOf("sub", fmt.Sprint("over ", i)), i, 999}, now)
	}
	if l.len() > most || l.ended(holder("", "somebody", 1)) {
		t.Errorf("%d are kept of which all are over; or somebody else was logged out", l.len())
	}
	for i := range int64(3 * most) {
		l.add(Logout{markOf("sub", fmt.Sprint("user ", i)), 2000 + i, 9999}, now)
	}
	if l.len() > most {
		t.Errorf("%d are kept, want at most %d", l.len(), most)
	}
	for i := range int64(3 * most) {
		if !l.ended(holder("", fmt.Sprint("user ", i), 2000+i)) {
			t.Fatalf("the session of user %d goes on", i)
		}
	}
	if l.ended(holder("", "somebody", 2000+3*most)) {
		t.Error("a session that began after all logouts is over")
	}
}
