package cache

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/maypok86/otter/v2"
	"github.com/maypok86/otter/v2/stats"
)

// Store keeps responses in memory, for all loops. It is bounded by bytes: the least used is
// evicted when there is no room (W-TinyLFU).
type Store struct {
	seeds   seeds
	urls    *otter.Cache[Key, *resource]
	counter *stats.Counter
	object  atomic.Int64 // bytes that one response may take
	size    atomic.Int64 // bytes that all may take
	filling atomic.Int64 // bytes that are on their way into the store
	purged  atomic.Uint64
	refused atomic.Uint64

	mu     sync.RWMutex // what is purged isn't stored at the same time
	purges purges

	flights flights
}

// resource is what is stored of a URL: for each kind of request that Vary distinguishes,
// and for each route, a response. It is immutable.
type resource struct {
	url       []byte
	responses []*Response // the one that was stored last at the end
}

const (
	mostVariants = 32      // responses of one URL
	mostResource = 1 << 30 // bytes of them
	deepest      = 8       // one of that many reads counts for the choice of what is kept
)

// New makes a store of so many bytes, of which one response takes at most object.
func New(size, object int64) *Store {
	s := &Store{seeds: newSeeds(), counter: stats.NewCounter()}
	s.size.Store(size)
	s.object.Store(object)
	s.urls = otter.Must(&otter.Options[Key, *resource]{
		MaximumWeight: uint64(size),
		Weigher:       func(_ Key, r *resource) uint32 { return uint32(r.weight()) },
		StatsRecorder: s.counter,
	})
	s.flights.init()
	return s
}

// Resize changes the bounds. What there is no room for any more goes.
func (s *Store) Resize(size, object int64) {
	s.object.Store(object)
	if s.size.Swap(size) != size {
		s.urls.SetMaximum(uint64(size))
	}
}

func (r *resource) weight() int {
	n := overhead + len(r.url)
	for _, v := range r.responses {
		n += v.size()
	}
	return n
}

// KeyOf is the key of a URL, or of another text.
func (s *Store) KeyOf(text []byte) Key { return s.seeds.key(text) }

// Find returns what is stored for a request of a kind (route): the response that was stored
// last among those that it selects; nil if there is none. selecting is scratch memory.
// known are the names of the fields that responses of this URL vary by, as far as is known.
//
// turn counts the requests of whoever calls: some of them count for what is kept.
func (s *Store) Find(key Key, url []byte, route Key, sent *UpstreamRequest, selecting *[]byte, turn uint64) (v *Response, known []byte) {
	var r *resource
	if turn%deepest == 0 {
		r, _ = s.urls.GetIfPresent(key)
	} else if e, ok := s.urls.GetEntryQuietly(key); ok {
		r = e.Value
	}
	if r == nil || !bytes.Equal(r.url, url) {
		return nil, nil
	}
	for i := len(r.responses) - 1; i >= 0; i-- {
		v := r.responses[i]
		if v.route != route {
			continue
		}
		if known == nil {
			known = v.names
		}
		if len(v.names) == 0 {
			return v, known
		}
		if *selecting = appendSelecting((*selecting)[:0], v.names, sent); bytes.Equal(*selecting, v.selecting) {
			return v, known
		}
	}
	return nil, known
}

// put stores a response, unless something has been purged since epoch that it may have
// been made before. It reports whether it did.
func (s *Store) put(key Key, url []byte, v *Response, epoch uint64) bool {
	if int64(v.size()+len(url)) > s.object.Load() {
		s.refused.Add(1)
		return false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.purges.since(epoch, key, v) {
		s.refused.Add(1)
		return false
	}
	s.urls.Compute(key, func(old *resource, found bool) (*resource, otter.ComputeOp) {
		next := &resource{url: url}
		if found && bytes.Equal(old.url, url) {
			next.url = old.url
			next.responses = old.without(v)
		}
		next.responses = append(next.responses, v)
		for next.weight() > mostResource && len(next.responses) > 1 {
			next.responses = next.responses[1:]
		}
		return next, otter.WriteOp
	})
	return true
}

// without returns the responses that stay when v is stored: not the one that it takes the
// place of, and not the oldest if there are too many.
func (r *resource) without(v *Response) []*Response {
	all := make([]*Response, 0, len(r.responses)+1)
	for _, one := range r.responses {
		if one.route != v.route || !bytes.Equal(one.names, v.names) || !bytes.Equal(one.selecting, v.selecting) {
			all = append(all, one)
		}
	}
	if len(all) >= mostVariants {
		all = all[len(all)-mostVariants+1:]
	}
	return all
}

// Figures are how a store is.
type Figures struct {
	Bytes   uint64 // that are stored, as far as is counted
	Most    int64  // that may be
	URLs    int    // of which something is stored
	Evicted uint64 // URLs that there was no room for any more
	Purged  uint64 // URLs that were purged or made invalid
	Refused uint64 // responses that weren't stored: too large, no room, purged meanwhile
}

// Read returns the store's statistics.
func (s *Store) Read() Figures {
	return Figures{
		Bytes: s.urls.WeightedSize(), Most: s.size.Load(), URLs: s.urls.EstimatedSize(),
		Evicted: s.counter.Snapshot().Evictions, Purged: s.purged.Load(), Refused: s.refused.Load(),
	}
}
