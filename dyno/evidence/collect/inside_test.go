package collect

import (
	"testing"

	"dyno.example/dyno/evidence"
)

// TestPool: connections that stay with their threads are no pool; one that changes is.
func TestPool(t *testing.T) {
	read := func(connection uint64, thread int32) evidence.Event {
		return evidence.Event{Kind: evidence.Received, Subject: connection, Thread: thread, A: 1}
	}
	var p pool
	for range 3 {
		if p.is([]evidence.Event{read(1, 10), read(2, 11), read(1, 10)}) {
			t.Fatal("two loops are taken for a pool")
		}
	}
	if !p.is([]evidence.Event{read(2, 10)}) || !p.is(nil) {
		t.Error("a pool isn't known, or forgotten")
	}
}

// TestLoops: a goroutine for each connection is no loop, nor one that is used again for the next;
// one that goes from connection to connection and back is.
func TestLoops(t *testing.T) {
	now := int64(0)
	read := func(g byte, connection uint64) evidence.Event {
		now++
		e := evidence.Event{Kind: evidence.Received, Time: now, Subject: connection, A: 1}
		e.Text[0] = g
		return e
	}
	const loop, one, two, reused = 1, 2, 3, 4
	p := pool{goes: true}
	events := []evidence.Event{
		read(loop, 10), read(one, 20), read(reused, 30), read(loop, 11), read(two, 21), read(reused, 31), read(loop, 10), read(one, 20), read(two, 21), read(reused, 32),
	}
	for range 2 { // the events of requests at the same time are the same
		if !p.is(events) {
			t.Error("goroutines stay on their threads")
		}
	}
	if len(p.loops) != 1 || !p.loops[loop] {
		t.Errorf("%v", p.loops)
	}
}

// TestInsideIsOfTheRequest: what is taken is of its time, of goroutines that read, and in order.
func TestInsideIsOfTheRequest(t *testing.T) {
	var n inside
	const reader, other = 0xc000, 0xc001
	for i := range int64(100) {
		at := i * int64(lookEvery)
		n.looks[i].at = at
		for _, g := range []uint64{reader, other} {
			n.looks[i].events = append(n.looks[i].events, evidence.Event{Kind: evidence.Parked, Time: at, Subject: g})
		}
		n.looks[i].events = append(n.looks[i].events, evidence.Event{Kind: evidence.Collecting, Time: at})
	}
	from, to := 40*int64(lookEvery), 50*int64(lookEvery)
	read := evidence.Event{Kind: evidence.Received, Time: 45*int64(lookEvery) + 1}
	read.Text[1] = reader >> 8
	got := n.slice(from, to, []evidence.Event{read})
	parked := 0
	for i := range got {
		e := &got[i]
		if i > 0 && e.Time < got[i-1].Time {
			t.Fatal("they are out of order")
		}
		if e.Kind == evidence.Parked {
			if e.Subject != reader {
				t.Fatalf("%#x didn't read", e.Subject)
			}
			parked++
		}
	}
	if parked < 11 || parked > 31 || len(got) != 1+2*parked {
		t.Errorf("%d of the goroutine, %d in all", parked, len(got))
	}
}
