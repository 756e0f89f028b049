package reactor

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDeadlinesAgainstModel compares the list with a plain slice over random
// operations.
func TestDeadlinesAgainstModel(t *testing.T) {
	const n = 9
	rng := rand.New(rand.NewPCG(1, 2))
	d := NewDeadlines(n)
	var model []int32
	for now := int64(1); now < 20000; now++ {
		id := int32(rng.IntN(n))
		model = slices.DeleteFunc(model, func(x int32) bool { return x == id })
		if rng.IntN(3) == 0 {
			d.Stop(id)
		} else {
			d.Start(id, now)
			model = append(model, id)
		}
		got, since, ok := d.Oldest()
		if ok != (len(model) > 0) || ok && (got != model[0] || since <= 0 || since > now) {
			t.Fatalf("step %d: oldest %d (%d) %v, want %v", now, got, since, ok, model)
		}
	}
}
