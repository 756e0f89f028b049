package loop

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A queue gives what a slice would give, whatever is pushed, taken and removed.
func TestQueue(t *testing.T) {
	type item struct {
		n     int
		place Place[item]
	}
	random := rand.New(rand.NewPCG(5, 6))
	items := make([]item, 8)
	for i := range items {
		items[i].n = i
	}
	var q Queue[item]
	var want []int
	for range 10_000 {
		v := &items[random.IntN(len(items))]
		switch random.IntN(3) {
		case 0:
			q.Push(v, &v.place)
			if !slices.Contains(want, v.n) {
				want = append(want, v.n)
			}
		case 1:
			q.Remove(&v.place)
			want = slices.DeleteFunc(want, func(n int) bool { return n == v.n })
		case 2:
			got := q.Pop()
			if (got == nil) != (len(want) == 0) || got != nil && got.n != want[0] {
				t.Fatalf("%v comes, want the first of %v", got, want)
			}
			want = want[min(1, len(want)):]
		}
		if q.Empty() != (len(want) == 0) {
			t.Fatalf("with %v in it the queue says that it is empty: %t", want, q.Empty())
		}
	}
}
