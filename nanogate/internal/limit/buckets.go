package limit

import (
	"sync"
)

// key is what requests are counted by: 16 bytes of an address, or a keyed sum of a text.
type key [2]uint64

// part is which of n parts has the key.
func (k key) part(n int) uint64 { return (k[0] ^ k[1]) % uint64(n) }

// buckets are token buckets by key, kept as the time at which each is full again (the
// generic cell rate algorithm, ITU-T I.371): one number a key, and nothing to refill. The
// number of keys is bounded. For a new one, of a few keys the one that is furthest from its
// limit is evicted: so a client that invents keys can't keep others from being counted, or
// from being admitted, and keys at their limit stay there. Safe for concurrent use.
type buckets struct {
	every int64 // ns between two requests at the rate
	burst int64 // how many may come at once
	parts [16]part
}

type part struct {
	mu   sync.Mutex
	full map[key]int64 // ns of [clock.Now]
	most int
}

func newBuckets(every int64, burst, keys int) *buckets {
	b := &buckets{every: every, burst: int64(burst)}
	for i := range b.parts {
		b.parts[i] = part{full: map[key]int64{}, most: max(1, keys/len(b.parts))}
	}
	return b
}

// take takes one token of the key's bucket at the time now, ns of [clock.Now]. If there
// is none it takes nothing and returns how long it takes until there is one, in ns.
func (b *buckets) take(k key, now int64) (wait int64) { return b.takeShare(k, now, 1) }

// takeShare does the same of a bucket of which this gateway has one in so many parts.
func (b *buckets) takeShare(k key, now, share int64) (wait int64) {
	p := &b.parts[k.part(len(b.parts))]
	p.mu.Lock()
	defer p.mu.Unlock()
	full, known := p.full[k]
	full = max(full, now)
	step := b.every * share
	if wait = full - now - max(0, b.every*b.burst-step); wait > 0 {
		return wait
	}
	if !known {
		p.makeRoom(now)
	}
	p.full[k] = full + step
	return 0
}

// wait is how long it takes until there is a token, in ns; it takes none.
func (b *buckets) wait(k key, now int64) int64 {
	p := &b.parts[k.part(len(b.parts))]
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, p.full[k]-now-max(0, b.every*(b.burst-1)))
}

// give gives back a token that was taken.
func (b *buckets) give(k key) {
	p := &b.parts[k.part(len(b.parts))]
	p.mu.Lock()
	defer p.mu.Unlock()
	if full, known := p.full[k]; known {
		p.full[k] = full - b.every
	}
}

// learn empties a bucket to what others have taken of it too: it isn't full before that.
func (b *buckets) learn(k key, full, now int64) {
	p := &b.parts[k.part(len(b.parts))]
	p.mu.Lock()
	defer p.mu.Unlock()
	before, known := p.full[k]
	if full <= now || full <= before {
		return
	}
	if !known {
		p.makeRoom(now)
	}
	p.full[k] = full
}

// makeRoom forgets buckets that are full, which are like new ones, if it meets any, and
// if there is no room then the fullest of those that it has met. Maps are met from anywhere.
func (p *part) makeRoom(now int64) {
	const few = 8
	looked, fullest, earliest := 0, key{}, int64(0)
	for k, full := range p.full {
		if full <= now {
			delete(p.full, k)
		} else if earliest == 0 || full < earliest {
			fullest, earliest = k, full
		}
		if looked++; looked == 2 && len(p.full) < p.most || looked == few {
			break
		}
	}
	if len(p.full) >= p.most {
		delete(p.full, fullest)
	}
}
