package analysis

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/stats"
)

// neighbours are what the slices next to each one have explained.
type neighbours struct{ cpu, throughput stats.Neighbours }

// useNeighbours takes out of the values of CPU time and throughput, of subjects that took
// turns, what the slices next to theirs say of the machine.
func (t *table) useNeighbours() {
	arms := t.arms()
	blocks := map[int]bool{}
	for _, s := range arms {
		for block := range s.slots {
			blocks[block] = true
		}
	}
	sorted := slices.Sorted(maps.Keys(blocks))
	if len(sorted) == 0 {
		return
	}
	spent := func(s *archive.Slice) float64 { return float64(s.CPU) }
	took := func(s *archive.Slice) float64 { return float64(s.Length) }
	t.beside.cpu = stats.ByNeighbours(slotsOf(arms, sorted, spent), len(arms))
	t.beside.throughput = stats.ByNeighbours(slotsOf(arms, sorted, took), len(arms))
	for start, block := range sorted {
		for arm, s := range arms {
			if s.slots[block] == nil {
				continue
			}
			if t.beside.cpu.Used {
				by := math.Exp(t.beside.cpu.Logs[start][arm])
				s.scale(block, by, "cpu", "cpu.user", "cpu.sys")
			}
			if t.beside.throughput.Used {
				s.scale(block, math.Exp(-t.beside.throughput.Logs[start][arm]), "throughput")
			}
		}
	}
}

// slotsOf are the slices of all arms in the order of time, by block.
func slotsOf(arms []*cellBuilder, blocks []int, spent func(*archive.Slice) float64) (list [][]stats.Slot) {
	type timed struct {
		at int64
		stats.Slot
	}
	for _, block := range blocks {
		var all []timed
		for arm, s := range arms {
			for i := range s.slots[block] {
				one := &s.slots[block][i]
				all = append(all, timed{one.Start, stats.Slot{Arm: arm, Turn: stats.Turn{Spent: spent(one), Requests: float64(one.Requests)}}})
			}
		}
		slices.SortFunc(all, func(a, b timed) int { return cmp.Compare(a.at, b.at) })
		slots := make([]stats.Slot, len(all))
		for i := range all {
			slots[i] = all[i].Slot
		}
		list = append(list, slots)
	}
	return list
}

// scale multiplies the values of a block's trial.
func (s *cellBuilder) scale(block int, by float64, metrics ...string) {
	used, place := slices.Index(s.blocks, block), slices.Index(s.places, block)
	for _, metric := range metrics {
		if list := s.Values[metric]; used >= 0 && used < len(list) {
			list[used] *= by
		}
		if list := s.known[metric]; place >= 0 && place < len(list) {
			list[place].value *= by
			list[place].least *= by
		}
	}
}
