package cache

import "testing"

func TestFlight(t *testing.T) {
	s := New(1<<20, 1<<16)
	key := Key{1, 2}
	f, leads := s.Lead(key, 0)
	if f == nil || !leads {
		t.Fatal("the first leads")
	}
	same, leads := s.Lead(key, 0)
	if same != f || leads {
		t.Fatal("the second finds it")
	}
	var woken []FlightResult
	wake := func(how FlightResult) { woken = append(woken, how) }
	w, _ := f.Wait(2, wake)
	gone, _ := f.Wait(2, func(FlightResult) { t.Error("one that has left is woken") })
	if full, ended := f.Wait(2, wake); full != nil || ended {
		t.Error("more wait than may")
	}
	gone.Leave()
	f.End(Stored, 0)
	w.Leave()
	if len(woken) != 1 || woken[0] != Stored {
		t.Errorf("%v", woken)
	}
	if late, ended := f.Wait(2, wake); late != nil || !ended {
		t.Error("one waits for what is over")
	}
	if next, leads := s.Lead(key, 0); next == f || !leads {
		t.Error("the next flight is another")
	} else {
		next.End(Private, 100)
	}
	if f, leads := s.Lead(key, 99); f != nil || leads {
		t.Error("they wait for each other's private responses")
	}
	if f, leads := s.Lead(key, 100); f == nil || !leads {
		t.Error("they never wait again")
	}
	for i := range uint64(mostPrivate * 3) {
		f, _ := s.Lead(Key{flightShards * i, i}, 0)
		f.End(Private, 100)
	}
	if n := len(s.flights.shards[0].private); n > mostPrivate {
		t.Errorf("%d kinds are remembered", n)
	}
}
