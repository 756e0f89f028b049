package reactor

import "math/bits"

// Wheel keeps one deadline for each of many connections. Putting a deadline off,
// which happens with every request, is one memory write: the connection stays
// where it is in the wheel and is looked at again when its old time has come.
//
// IDs are small numbers; the wheel grows with the largest. Times are nanoseconds
// on the caller's clock. Deadlines are kept up to one tick (67 ms) late.
type Wheel struct {
	nodes []wheelNode
	slots [wheelSlots]int32 // first ID + 1 of the connections in the slot; 0: none
	used  [wheelSlots / 64]uint64
	tick  int64 // all slots before this tick are empty
}

type wheelNode struct {
	due        int64 // 0: none
	tick       int64 // of the slot it is in; 0: in none
	prev, next int32 // ID + 1
}

const (
	wheelSlots = 512
	wheelShift = 26 // a tick is 1<<26 ns
)

// NewWheel returns an empty wheel that starts at now.
func NewWheel(now int64) *Wheel { return &Wheel{tick: now >> wheelShift} }

// Set gives id a deadline in place of the one it has.
func (w *Wheel) Set(id int32, due int64) {
	if int(id) >= len(w.nodes) {
		w.nodes = append(w.nodes, make([]wheelNode, int(id)+1-len(w.nodes))...)
	}
	n := &w.nodes[id]
	n.due = due
	if n.tick == 0 || due>>wheelShift < n.tick {
		w.unlink(id)
		w.link(id)
	}
}

// Clear takes away the deadline of id, if it has one.
func (w *Wheel) Clear(id int32) {
	if int(id) < len(w.nodes) {
		w.nodes[id].due = 0
	}
}

// Expire calls late for each connection whose deadline is before now, and takes
// the deadline away first. late may set new ones, which must be after now.
func (w *Wheel) Expire(now int64, late func(id int32)) {
	for last := now >> wheelShift; w.tick < last; w.tick++ {
		slot := w.tick % wheelSlots
		if w.used[slot/64]&(1<<(slot%64)) == 0 {
			continue
		}
		id := w.slots[slot] - 1
		w.slots[slot] = 0
		w.used[slot/64] &^= 1 << (slot % 64)
		for id >= 0 {
			n := &w.nodes[id]
			next := n.next - 1
			n.tick, n.prev, n.next = 0, 0, 0
			switch {
			case n.due == 0:
			case n.due>>wheelShift <= w.tick:
				n.due = 0
				late(id)
			default:
				w.link(id)
			}
			id = next
		}
	}
}

// Next returns when Expire should be called next; ok is false if there is no
// deadline.
func (w *Wheel) Next() (at int64, ok bool) {
	first := w.tick % wheelSlots
	for i := int64(0); i <= wheelSlots/64; i++ {
		word := (first/64 + i) % (wheelSlots / 64)
		set := w.used[word]
		switch i {
		case 0:
			set &= ^uint64(0) << (first % 64)
		case wheelSlots / 64:
			set &= 1<<(first%64) - 1
		}
		if set != 0 {
			slot := word*64 + int64(bits.TrailingZeros64(set))
			return (w.tick + (slot-first+wheelSlots)%wheelSlots + 1) << wheelShift, true
		}
	}
	return 0, false
}

// link puts id into the slot of its deadline, or the last one of the round.
func (w *Wheel) link(id int32) {
	n := &w.nodes[id]
	n.tick = min(max(n.due>>wheelShift, w.tick), w.tick+wheelSlots-1)
	slot := n.tick % wheelSlots
	n.prev, n.next = 0, w.slots[slot]
	if n.next != 0 {
		w.nodes[n.next-1].prev = id + 1
	}
	w.slots[slot] = id + 1
	w.used[slot/64] |= 1 << (slot % 64)
}

func (w *Wheel) unlink(id int32) {
	n := &w.nodes[id]
	if n.tick == 0 {
		return
	}
	slot := n.tick % wheelSlots
	if n.prev != 0 {
		w.nodes[n.prev-1].next = n.next
	} else if w.slots[slot] = n.next; n.next == 0 {
		w.used[slot/64] &^= 1 << (slot % 64)
	}
	if n.next != 0 {
		w.nodes[n.next-1].prev = n.prev
	}
	n.tick, n.prev, n.next = 0, 0, 0
}
