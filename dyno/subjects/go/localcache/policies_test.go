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
	one, two := &server{cache: a, trace: newTrace(20)}, &server{cache: b, trace: newTrace(20)}
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
