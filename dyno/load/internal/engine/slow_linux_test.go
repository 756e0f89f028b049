package engine

import (
	"testing"
	"time"
)

// However its bytes come, a connection is read at no more than the rate, apart from the first share; and
// what it had left of a rest isn't the next connection's in its place.
func TestSlowReaders(t *testing.T) {
	const rate = 1 << 20
	for _, piece := range []int{1 << 20, 4096, 100} {
		s := newSlowReaders(rate)
		c, now, got, ready := incarnation{3, 7}, int64(5e9), 0, true
		begun := now
		for now-begun < int64(time.Second) {
			if !ready {
				now += int64(s.within(time.Second, now))
				o, there := s.over(now)
				if !there || o != c {
					t.Fatalf("%+v, %v is over its rest at %d", o, there, now)
				}
				ready = true
			}
			n := s.may(c, piece, now)
			s.read(c.id, n)
			got += n
			now += 1000
			ready = n > 0
		}
		if most := rate + 2*s.share; got > most || got < rate/2 {
			t.Errorf("%d bytes in a second, in pieces of %d", got, piece)
		}
	}
	s := newSlowReaders(rate)
	for now := int64(1); s.may(incarnation{0, 1}, 1<<20, now) > 0; now++ {
		s.read(0, s.share)
	}
	next := incarnation{0, 2}
	if s.may(next, 10, 3) != 10 {
		t.Error("a new connection rests for the one before it")
	}
	if c, there := s.over(int64(time.Minute)); there {
		t.Errorf("%+v is over its rest, and is closed", c)
	}
}

func TestSlowReadersAllocateNothing(t *testing.T) {
	s, now := newSlowReaders(1<<20), int64(0)
	turn := func() {
		for id := range int32(8) {
			c := incarnation{id, 1}
			for s.may(c, 1<<20, now) > 0 {
				s.read(id, s.share)
			}
		}
		now += int64(2 * slowTurn)
		for _, there := s.over(now); there; _, there = s.over(now) {
		}
	}
	turn()
	if n := testing.AllocsPerRun(100, turn); n > 0 {
		t.Errorf("%v allocations a turn", n)
	}
}
