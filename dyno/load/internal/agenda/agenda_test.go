package agenda

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	u := New(100)
	for range 50 {
		var due, got []int64
		for id := range int32(1 + rng.IntN(100)) {
			at := rng.Int64N(20)
			due = append(due, at)
			u.Push(at, id)
		}
		slices.Sort(due)
		for u.Len() > 0 {
			if next := u.First(); next != u.Pop() {
				t.Fatal("first is not what pop removes")
			} else {
				got = append(got, next.At)
			}
		}
		if !slices.Equal(got, due) {
			t.Fatalf("got %v, want %v", got, due)
		}
	}
}
