package evidence

import "testing"

// TestOnlyRequestsInReachAreDrawn: which they are goes by when they were due, however long they took.
// All count as seen.
func TestOnlyRequestsInReachAreDrawn(t *testing.T) {
	s := NewSampler()
	s.Awake(true)
	s.Slow(1000, 1000)
	s.Every(1, 1)
	s.Only(100, 200)
	d := s.Loop(0)
	for _, c := range []struct {
		due, done int64
		want      Class
	}{
		{99, 120, ""}, {100, 120, Body}, {199, 5000, Tail}, {200, 210, ""}, {99, 5000, ""}, {200, 5000, ""},
	} {
		d.Began(c.due)
		if got := d.Wants(1, 0, c.due, c.done).Class; got != c.want {
			t.Errorf("due %d, done %d: %q, want %q", c.due, c.done, got, c.want)
		}
	}
	if n, slow, _ := s.Seen(); n != 6 || slow != 3 {
		t.Errorf("%d seen, %d slow", n, slow)
	}
}

// TestSettled: not while a request that was due in time is under way or waits in the load, nor before
// a loop has come to later ones.
func TestSettled(t *testing.T) {
	s := NewSampler()
	s.Awake(true)
	a, b := s.Loop(0), s.Loop(1)
	a.Began(50) // under way since before
	s.Only(100, 200)
	is := func(want bool, when string) {
		t.Helper()
		if s.Settled() != want {
			t.Errorf("%s: settled is %v", when, !want)
		}
	}
	is(false, "nothing has begun")
	a.Began(110)
	a.Began(150)
	b.Began(205)
	is(false, "one loop has taken up none that is due later")
	a.Began(201)
	is(false, "two are under way")
	a.Wants(1, 0, 50, 300)
	a.Wants(1, 0, 110, 310)
	is(false, "one is under way")
	a.Wants(1, 0, 201, 315)
	is(false, "one is under way, and a later one has ended")
	a.Wants(1, 0, 150, 320)
	is(true, "all have ended")
	s.Only(400, 500)
	is(false, "in another window nothing has begun")
	a.Began(500)
	b.Began(510)
	is(true, "in the other none was due")
}

func TestBeganDoesNotAllocate(t *testing.T) {
	d := NewSampler().Loop(0)
	due := int64(0)
	if n := testing.AllocsPerRun(1000, func() { due++; d.Began(due) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
