package http2

// table is HPACK's dynamic table (RFC 7541 2.3.2), of either side. The bytes of
// all entries lie one after another in one piece of memory that takes what is new
// at its end; what is evicted at its start is moved over when the end is reached.
// An entry so is always in one piece. There is no memory before the first entry.
type table struct {
	bytes    []byte
	entries  []entry // a ring; its length is a power of two
	base     uint32  // the position of bytes[0]; positions wrap around
	inserted uint32  // entries so far; the newest one's number
	live     uint32  // entries that are in
	size     uint32  // bytes, with 32 for each entry (RFC 7541 4.1)
	max      uint32  // what size may come to
}

// entry is one field of a table.
type entry struct {
	at          uint32 // position of the name; the value follows it
	name, value uint32 // lengths
	before      uint32 // number of an older entry: see index
	known       Name
	flaws       flaws
}

// overhead of an entry in a table and of a field in a list (RFC 7541 4.1).
const overhead = 32

func (t *table) entry(number uint32) *entry { return &t.entries[number&uint32(len(t.entries)-1)] }

// has reports whether the entry of that number is in.
func (t *table) has(number uint32) bool { return t.inserted-number < t.live }

// both gives an entry's name and value, one after the other. They are good until
// the next add.
func (t *table) both(e *entry) []byte {
	off := e.at - t.base
	return t.bytes[off : off+e.name+e.value]
}

// setMax bounds the table (RFC 7541 4.3).
func (t *table) setMax(max uint32) {
	t.max = max
	t.evict(0)
}

// evict takes out the oldest entries until need bytes more are within the bound.
func (t *table) evict(need uint32) {
	for t.live > 0 && t.size+need > t.max {
		e := t.entry(t.inserted - t.live + 1)
		t.size -= e.name + e.value + overhead
		t.live--
	}
}

// add makes room and adds a field, whose name and value are not to be this
// table's own bytes. A field that is too large empties the table (RFC 7541 4.4);
// then it gives nil.
func (t *table) add(name, value []byte) *entry {
	need := uint32(len(name) + len(value) + overhead)
	if need > t.max {
		t.live, t.size = 0, 0
		return nil
	}
	t.evict(need)
	t.room(len(name) + len(value))
	if int(t.live) == len(t.entries) {
		t.moreEntries()
	}
	t.inserted++
	t.live++
	t.size += need
	e := t.entry(t.inserted)
	*e = entry{at: t.base + uint32(len(t.bytes)), name: uint32(len(name)), value: uint32(len(value))}
	t.bytes = append(append(t.bytes, name...), value...)
	return e
}

// room makes sure that n bytes can be appended without moving the table again.
// Memory is half as much again as what lives in it, so that bytes are moved twice
// on the average before they are evicted.
func (t *table) room(n int) {
	if len(t.bytes)+n <= cap(t.bytes) {
		return
	}
	start := t.base + uint32(len(t.bytes))
	if t.live > 0 {
		start = t.entry(t.inserted - t.live + 1).at
	}
	live := t.bytes[start-t.base:]
	if need := len(live) + n; need+need/2 > cap(t.bytes) {
		t.bytes = append(make([]byte, 0, max(256, need+need/2)), live...)
	} else {
		t.bytes = append(t.bytes[:0], live...)
	}
	t.base = start
}

// moreEntries doubles the ring.
func (t *table) moreEntries() {
	old := *t
	t.entries = make([]entry, max(8, 2*len(old.entries)))
	for number := t.inserted - t.live + 1; number != t.inserted+1; number++ {
		*t.entry(number) = *old.entry(number)
	}
}
