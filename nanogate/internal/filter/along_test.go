package filter

import "testing"

// A set gives what is in it, in its order and in the reverse.
func TestSetsAreInOrder(t *testing.T) {
	for s := Set(0); s < 1<<IDs; s++ {
		var there, back Set
		at := -1
		for rest := s; rest != 0; {
			var id ID
			if id, rest = rest.First(); int(id) <= at || !s.Has(id) {
				t.Fatalf("%b: %v after %d", s, id, at)
			}
			at, there = int(id), there.With(id)
		}
		at = int(IDs)
		for rest := s; rest != 0; {
			var id ID
			if id, rest = rest.Last(); int(id) >= at || rest != s.Before(id) {
				t.Fatalf("%b: %v before %d, and then %b", s, id, at, rest)
			}
			at, back = int(id), back.With(id)
		}
		if there != s || back != s {
			t.Fatalf("%b: %b and %b", s, there, back)
		}
	}
}

// Each filter has a name of its own, and says what it does.
func TestFiltersSayWhatTheyDo(t *testing.T) {
	names := map[string]bool{}
	for id := range IDs {
		if names[id.String()] = true; traits[id] == 0 {
			t.Errorf("%s says nothing of what it does", id)
		}
	}
	if len(names) != int(IDs) {
		t.Errorf("%d names of %d filters", len(names), IDs)
	}
}

// What would see no request is found, and nothing else.
func TestIdleFiltersAreFound(t *testing.T) {
	for _, c := range []struct {
		set           Set
		idle, because ID
		ok            bool
	}{
		{SetOf(GRPCWeb, GRPCJSON, Cache, Canary, Sticky, Responses, Mirror, Fault), 0, 0, false},
		{SetOf(Respond), 0, 0, false},
		{SetOf(Respond, Responses), Responses, Respond, true},
		{SetOf(Redirect, Mirror, Fault), Mirror, Redirect, true},
		{0, 0, 0, false},
	} {
		if idle, because, ok := c.set.Idle(); idle != c.idle || because != c.because || ok != c.ok {
			t.Errorf("%b: %v because of %v, %v", c.set, idle, because, ok)
		}
	}
}
