package measure

import "slices"

// Packed are durations and counts that are kept for later, in a fraction of the memory
// that it takes to add to them.
type Packed struct {
	timed, waited [NumClocks]packedBuckets
	counts        Breakdown // without durations
	kinds         []packedKind
}

// packedBuckets are those in use, each in the upper bits, with their counts in the lower.
type packedBuckets []uint64

const frozenShift = 48

type packedKind struct{ response, waited packedBuckets }

// Pack copies both, which stay the caller's.
func Pack(d *Durations, b *Breakdown) *Packed {
	f := &Packed{counts: Breakdown{statuses: b.statuses, codes: b.codes}}
	room := make([]uint64, 0, used(d, b)) // for all of them: collections of garbage are the load's
	for clock := range NumClocks {
		f.timed[clock], room = d.Timed[clock].freeze(room)
		f.waited[clock], room = d.Waited[clock].freeze(room)
	}
	if len(b.Kinds) == 0 {
		return f
	}
	f.counts.Kinds, f.kinds = slices.Clone(b.Kinds), make([]packedKind, len(b.Kinds))
	for i := range b.Kinds {
		k := &f.counts.Kinds[i]
		f.kinds[i].response, room = k.Response.freeze(room)
		f.kinds[i].waited, room = k.Waited.freeze(room)
		k.Response, k.Waited = nil, nil
	}
	return f
}

// used is how many buckets are in use in both.
func used(d *Durations, b *Breakdown) (n int) {
	for clock := range NumClocks {
		n += d.Timed[clock].used() + d.Waited[clock].used()
	}
	for i := range b.Kinds {
		n += b.Kinds[i].Response.used() + b.Kinds[i].Waited.used()
	}
	return n
}

// Thaw adds what was frozen to both, which are of the same mix.
func (f *Packed) Thaw(d *Durations, b *Breakdown) {
	for clock := range NumClocks {
		f.timed[clock].addTo(&d.Timed[clock])
		f.waited[clock].addTo(&d.Waited[clock])
	}
	b.Add(&f.counts)
	for i := range f.kinds {
		f.kinds[i].response.addTo(&b.Kinds[i].Response)
		f.kinds[i].waited.addTo(&b.Kinds[i].Waited)
	}
}

// used is how many buckets have counts.
func (b *Buckets) used() (n int) {
	if b == nil || b.recorded == 0 {
		return 0
	}
	for _, count := range b.counts[b.low:b.high] {
		if count > 0 {
			n++
		}
	}
	return n
}

// freeze appends the counts to room.
func (b *Buckets) freeze(room []uint64) (frozen packedBuckets, left []uint64) {
	if b == nil || b.recorded == 0 {
		return nil, room
	}
	from := len(room)
	for i := b.low; i < b.high; i++ {
		if n := b.counts[i]; n > 0 {
			room = append(room, uint64(i)<<frozenShift|n)
		}
	}
	return room[from:len(room):len(room)], room
}

func (f packedBuckets) addTo(into **Buckets) {
	if len(f) == 0 {
		return
	}
	if *into == nil {
		*into = NewBuckets()
	}
	b := *into
	for _, packed := range f {
		at, n := int(packed>>frozenShift), packed&(1<<frozenShift-1)
		b.counts[at] += n
		b.recorded += n
		b.low, b.high = min(b.low, at), max(b.high, at+1)
	}
}
