package engine

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestUsersComeInTheOrderTheyAreDue(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	u := newUsers(100)
	for range 50 {
		var due, got []int64
		for id := range int32(1 + rng.IntN(100)) {
			at := rng.Int64N(20)
			due = append(due, at)
			u.push(at, id)
		}
		slices.Sort(due)
		for u.len() > 0 {
			if next := u.first(); next != u.pop() {
				t.Fatal("first is not what pop removes")
			} else {
				got = append(got, next.at)
			}
		}
		if !slices.Equal(got, due) {
			t.Fatalf("got %v, want %v", got, due)
		}
	}
}
