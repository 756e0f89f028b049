package main

import "testing"

// TestPolicies: all hold what was put, hold no more than their capacity, and see a trace
// of few keys whole.
func TestPolicies(t *testing.T) {
	for _, name := range []string{"fifo", "lru", "lru-1", "lru-3", "lru-5"} {
		c, err := open(name)
		if err != nil {
			t.Fatal(err)
		}
		for key := range capacity {
			c.put(key, nil)
		}
		for key := range capacity {
			if !c.get(key) {
				t.Fatalf("%s has lost %d", name, key)
			}
		}
		c.put(capacity, nil)
		held := 0
		for key := range capacity + 1 {
			if c.get(key) {
				held++
			}
		}
		if held != capacity {
			t.Errorf("%s holds %d of %d", name, held, capacity)
		}
	}
}

// TestLRUOfOneIsLRU: with k = 1 the policy is LRU, access by access.
func TestLRUOfOneIsLRU(t *testing.T) {
	a, _ := open("lru")
	b, _ := open("lru-1")
	one, two := &server{cache: a, trace: newTrace(20, 1)}, &server{cache: b, trace: newTrace(20, 1)}
	for i := range 60_000 {
		if x, y := one.access(), two.access(); x != y {
			t.Fatalf("access %d: LRU %v, LRU-1 %v", i, x, y)
		}
	}
}

// TestLRUKKeepsWhatIsWanted: a scan takes nothing from keys that were accessed often.
func TestLRUKKeepsWhatIsWanted(t *testing.T) {
	c := newLRUK(3)
	for range 3 {
		for key := range capacity / 2 {
			if !c.get(key) {
				c.put(key, nil)
			}
		}
	}
	for key := range 2 * capacity {
		c.put(popular+key, nil)
	}
	for key := range capacity / 2 {
		if !c.get(key) {
			t.Fatalf("a scan has evicted %d", key)
		}
	}
}

// TestPastIsOfAsManyAsAreHeld: the accesses of a key are remembered as long as fewer others than
// the cache holds were evicted since, however often it came and went before.
func TestPastIsOfAsManyAsAreHeld(t *testing.T) {
	c := newLRUK(3)
	next := popular
	others := func(n int) { // each is wanted once
		for range n {
			c.put(next, nil)
			next++
		}
	}
	for range 4 { // it comes and is evicted again
		if !c.get(1) {
			c.put(1, nil)
		}
		others(capacity)
	}
	if len(c.past) != c.oldest.Len() {
		t.Fatalf("%d keys are remembered in %d places", len(c.past), c.oldest.Len())
	}
	others(capacity - 1)
	if e := c.past[1]; e == nil && c.held[1] == nil {
		t.Error("forgotten before its time")
	}
}

// TestLibrariesHoldWhatIsWanted: each library has most of the popular keys when its puts are
// done, and none can hold more than its capacity.
func TestLibrariesHoldWhatIsWanted(t *testing.T) {
	for _, name := range []string{"lru", "otter", "ristretto", "freecache"} {
		c, err := open(name)
		if err != nil {
			t.Fatal(err)
		}
		s := &server{cache: c, trace: newTrace(0, 1)}
		for range 2000 {
			s.request()
		}
		held := 0
		for key := range popular {
			if c.get(key) {
				held++
			}
		}
		if held > capacity*21/20 || held < capacity*3/4 {
			t.Errorf("%s holds %d of %d", name, held, capacity)
		}
		wanted := 0
		for key := range 100 {
			if c.get(key) {
				wanted++
			}
		}
		if wanted < 95 {
			t.Errorf("%s has %d of the hundred most popular keys", name, wanted)
		}
	}
}
