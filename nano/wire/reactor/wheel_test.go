package reactor

import (
	"math/rand/v2"
	"testing"
)

// TestWheelAgainstModel compares the wheel with a plain table over random
// operations and steps of time, some longer than a round.
func TestWheelAgainstModel(t *testing.T) {
	const n, tick = 50, int64(1) << wheelShift
	rng := rand.New(rand.NewPCG(1, 2))
	now := 1000 * tick
	w := NewWheel(now)
	model := make(map[int32]int64)
	for step := range 100_000 {
		id := int32(rng.IntN(n))
		switch rng.IntN(8) {
		case 0:
			w.Clear(id)
			delete(model, id)
		case 1:
			now += rng.Int64N([]int64{tick / 2, 3 * tick, 700 * tick}[rng.IntN(3)])
			if at, ok := w.Next(); len(model) > 0 && !ok {
				t.Fatalf("step %d: no next time, want one", step)
			} else {
				for id, due := range model {
					if at > due+tick && at>>wheelShift > due>>wheelShift+1 {
						t.Fatalf("step %d: next time %d is after deadline %d of %d", step, at, due, id)
					}
				}
			}
			w.Expire(now, func(id int32) {
				due, ok := model[id]
				if !ok || due >= now {
					t.Fatalf("step %d: %d expired at %d, want %d %v", step, id, now, due, ok)
				}
				delete(model, id)
			})
			for id, due := range model {
				if due>>wheelShift < now>>wheelShift {
					t.Fatalf("step %d: %d did not expire: due %d, now %d", step, id, due, now)
				}
			}
		default:
			due := now + 1 + rng.Int64N(1000*tick)
			w.Set(id, due)
			model[id] = due
		}
	}
}

func BenchmarkWheelPutOff(b *testing.B) {
	now := int64(1) << 40
	w := NewWheel(now)
	for id := range int32(1000) {
		w.Set(id, now+75e9)
	}
	for i := 0; b.Loop(); i++ {
		w.Set(int32(i%1000), now+75e9+int64(i))
	}
}
