package cache

import "sync/atomic"

// Counts are what became of a route's requests, of all loops.
type Counts struct{ shards []Shard }

// NewCounts makes counts for so many loops.
func NewCounts(loops int) *Counts { return &Counts{make([]Shard, max(1, loops))} }

// Shard is one loop's part: only that loop counts there; any goroutine may read.
type Shard struct {
	results [Results]atomic.Uint64
	stored  atomic.Uint64
	bytes   atomic.Uint64
	_       [48]byte // the next shard is another loop's cache line
}

// Of returns a loop's shard.
func (c *Counts) Of(loop int) *Shard { return &c.shards[loop%len(c.shards)] }

// Count counts a request.
func (s *Shard) Count(r Result) { s.results[r].Add(1) }

// Gave counts bytes of content that were given from the store.
func (s *Shard) Gave(bytes int) { s.bytes.Add(uint64(bytes)) }

// Stored counts a response that was stored.
func (s *Shard) Stored() { s.stored.Add(1) }

// Tally is the sums over all loops at one moment.
type Tally struct {
	Results [Results]uint64
	Stored  uint64 // responses
	Bytes   uint64 // of content that were given from the store
}

// Read sums up.
func (c *Counts) Read() (t Tally) {
	for i := range c.shards {
		s := &c.shards[i]
		for k := range s.results {
			t.Results[k] += s.results[k].Load()
		}
		t.Stored += s.stored.Load()
		t.Bytes += s.bytes.Load()
	}
	return t
}
