package loop

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Over many batches of adding and removing at random, IDs lead to what was added with
// them, the same one stays where it is, and none is given out again in the batch in which
// it was given back.
func TestTable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var table Table[int]
	there := map[int32]*int{}
	value := 0
	for range 300 {
		gone := map[int32]bool{}
		for range random.IntN(40) {
			if len(there) > 0 && random.IntN(2) == 0 {
				for id := range there {
					delete(there, id)
					table.Remove(id)
					gone[id] = true
					break
				}
				continue
			}
			v, id := table.Add()
			if gone[id] || there[id] != nil {
				t.Fatalf("%d is given out while it may still be named", id)
			}
			value++
			*v = value
			there[id] = v
		}
		seen := map[*int]bool{}
		table.Each(func(v *int) { seen[v] = true })
		if len(seen) != len(there) || table.Len() != len(there) {
			t.Fatalf("%d are visited, %d counted, of %d", len(seen), table.Len(), len(there))
		}
		for id, v := range there {
			if table.At(id) != v || !seen[v] {
				t.Fatalf("%d leads elsewhere, or isn't visited", id)
			}
		}
		table.Reuse()
	}
}

// Who visits all may remove those to come, as a connection's end is that of its streams:
// they aren't visited.
func TestTableRemovedOnTheWay(t *testing.T) {
	var table Table[int32]
	for range 40 {
		v, id := table.Add()
		*v = id
	}
	var visited []int32
	table.Each(func(v *int32) {
		visited = append(visited, *v)
		if *v%10 == 0 {
			for id := *v; id < *v+5; id++ {
				table.Remove(id)
			}
		}
	})
	if want := []int32{0, 5, 6, 7, 8, 9, 10, 15}; !slices.Equal(visited[:8], want) || len(visited) != 24 || table.Len() != 20 {
		t.Errorf("%d are left, visited: %v, want %v and so on", table.Len(), visited, want)
	}
}

// IDs that were used are used again without memory for them.
func TestTableAllocatesNothing(t *testing.T) {
	var table Table[[4]int]
	turn := func() {
		for range 20 {
			_, id := table.Add()
			table.Remove(id)
		}
		table.Reuse()
	}
	turn()
	if n := testing.AllocsPerRun(100, turn); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
