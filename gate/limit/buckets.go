package limit

import (
	"sync"
)

// key is what requests are counted by: 16 bytes of an address, or a keyed sum of a text.
type key [2]uint64

// part is which of n parts has the key.
func (k key) part(n int) uint64 { return (k[0] ^ k[1]) % uint64(n) }

// buckets are token buckets by key, kept as the time at which each is full again (the
// generic cell rate algorithm, ITU-T I.371): one number a key, and nothing to refill.
// There are at most so many keys; what comes beyond that shares one bucket of each
// part, so that a client with many addresses gets no more than a little more, and no
// memory. They are for many goroutines.
type buckets struct {
	every int64 // ns between two requests at the rate
	burst int64 // how many may come at once
	parts [16]part
}

type part struct {
	mu    sync.Mutex
	full  map[key]int64 // ns of [clock.Now]
	most  int
	swept int64
	rest  int64 // the bucket of those there is no room for
}

func newBuckets(every int64, burst, keys int) *buckets {
	b := &buckets{every: every, burst: int64(burst)}
	for i := range b.parts {
		b.parts[i] = part{full: map[key]int64{}, most: max(1, keys/len(b.parts))}
	}
	return b
}

// sweepEvery bounds how often a part that is full is searched for buckets to forget.
const sweepEvery = int64(1e8) // ns

// take takes one token of the key's bucket at the time now, ns of [clock.Now]. If there
// is none it takes nothing and returns how long it takes until there is one, in ns.
func (b *buckets) take(k key, now int64) (wait int64) {
	wait, _ = b.takeShare(k, now, 1)
	return wait
}

// takeShare does the same of a bucket of which this gateway has one in so many parts. It
// reports whether the key has a bucket of its own.
func (b *buckets) takeShare(k key, now, share int64) (wait int64, own bool) {
	p := &b.parts[k.part(len(b.parts))]
	p.mu.Lock()
	defer p.mu.Unlock()
	full, known := p.full[k]
	if !known && len(p.full) >= p.most {
		p.sweep(now)
	}
	alone := known || len(p.full) < p.most
	if !alone {
		full = p.rest
	}
	full = max(full, now)
	step := b.every * share
	if wait = full - now - max(0, b.every*b.burst-step); wait > 0 {
		return wait, alone
	}
	full += step
	if alone {
		p.full[k] = full
	} else {
		p.rest = full
	}
	return 0, alone
}

// learn empties a bucket to what others have taken of it too: it isn't full before that.
func (b *buckets) learn(k key, full, now int64) {
	p := &b.parts[k.part(len(b.parts))]
	p.mu.Lock()
	defer p.mu.Unlock()
	if before, known := p.full[k]; full > now && full > before && (known || len(p.full) < p.most) {
		p.full[k] = full
	}
}

// sweep forgets the buckets that are full: they are like new ones.
func (p *part) sweep(now int64) {
	if now-p.swept < sweepEvery {
		return
	}
	p.swept = now
	for k, full := range p.full {
		if full <= now {
			delete(p.full, k)
		}
	}
}
