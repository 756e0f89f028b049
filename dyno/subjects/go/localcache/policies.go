package main

import (
	"container/heap"
	"container/list"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/coocood/freecache"
	"github.com/dgraph-io/ristretto/v2"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/maypok86/otter/v2"
)

// cache is what a service keeps in its memory.
type cache interface {
	get(key int) bool
	put(key int, value []byte)
	settle() // does what puts and gets have put off
}

// prompt is a cache that puts nothing off.
type prompt struct{}

func (prompt) settle() {}

// open opens a cache of the capacity: of entries, or, of freecache, of the bytes that so many
// take on average.
func open(policy string) (cache, error) {
	const average = 64 + 512 + 4 + 24 // value, key, and what freecache keeps with them
	switch policy {
	case "fifo":
		return &fifo{values: make(map[int][]byte), order: list.New()}, nil
	case "lru":
		c, err := lru.New[int, []byte](capacity)
		return hashicorp{c, prompt{}}, err
	case "lru-1", "lru-3", "lru-5":
		return newLRUK(int(policy[4] - '0')), nil
	case "otter": // W-TinyLFU
		c, err := otter.New(&otter.Options[int, []byte]{MaximumSize: capacity})
		return otterCache{c}, err
	case "ristretto": // TinyLFU before a sampled LFU
		c, err := ristretto.NewCache(&ristretto.Config[int, []byte]{NumCounters: 10 * capacity, MaxCost: capacity, BufferItems: 64, IgnoreInternalCost: true})
		return ristrettoCache{c}, err
	case "freecache": // nearly LRU, in segments
		return freecacheCache{freecache.NewCache(capacity * average), prompt{}}, nil
	}
	return nil, fmt.Errorf("CACHE_POLICY: %q is none of fifo, lru, lru-1, lru-3, lru-5, otter, ristretto and freecache", policy)
}

type hashicorp struct {
	*lru.Cache[int, []byte]
	prompt
}

func (c hashicorp) get(key int) bool          { _, ok := c.Get(key); return ok }
func (c hashicorp) put(key int, value []byte) { c.Add(key, value) }

type otterCache struct{ *otter.Cache[int, []byte] }

func (c otterCache) get(key int) bool          { _, ok := c.GetIfPresent(key); return ok }
func (c otterCache) put(key int, value []byte) { c.Set(key, value) }
func (c otterCache) settle()                   { c.CleanUp() }

type ristrettoCache struct {
	*ristretto.Cache[int, []byte]
}

func (c ristrettoCache) get(key int) bool          { _, ok := c.Get(key); return ok }
func (c ristrettoCache) put(key int, value []byte) { c.Set(key, value, 1) }

// settle is what its guide has behind a Set that is to be seen; it drops what its buffers can't take.
func (c ristrettoCache) settle() { c.Wait() }

type freecacheCache struct {
	*freecache.Cache
	prompt
}

func (c freecacheCache) get(key int) bool { _, err := c.Get(bytesOf(key)); return err == nil }
func (c freecacheCache) put(key int, value []byte) {
	_ = c.Set(bytesOf(key), value, int(time.Hour/time.Second))
}

func bytesOf(key int) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(key)) }

// fifo evicts what came first.
type fifo struct {
	prompt
	values map[int][]byte
	order  *list.List
}

func (c *fifo) get(key int) bool { _, ok := c.values[key]; return ok }

func (c *fifo) put(key int, value []byte) {
	if len(c.values) == capacity {
		delete(c.values, c.order.Remove(c.order.Front()).(int))
	}
	c.values[key] = value
	c.order.PushBack(key)
}

// lruK evicts the key whose K-th last access is longest ago (O'Neil, O'Neil and Weikum, "The
// LRU-K page replacement algorithm for database disk buffering", SIGMOD 1993): one with fewer
// accesses goes before, the least recently used of them first. It remembers the accesses of
// evicted keys, of as many as it holds.
type lruK struct {
	prompt
	k      int
	now    int
	held   map[int]*entry
	queue  queue
	past   map[int]*entry // evicted
	oldest *list.List     // of these, by when they were evicted: *entry
}

type entry struct {
	key      int
	accesses []int // the last k at most, the latest last
	value    []byte
	place    int // in the queue
	evicted  *list.Element
}

func newLRUK(k int) *lruK {
	return &lruK{k: k, held: make(map[int]*entry), queue: queue{k: k}, past: make(map[int]*entry), oldest: list.New()}
}

func (c *lruK) note(e *entry) {
	c.now++
	if len(e.accesses) == c.k {
		copy(e.accesses, e.accesses[1:])
		e.accesses = e.accesses[:c.k-1]
	}
	e.accesses = append(e.accesses, c.now)
}

func (c *lruK) get(key int) bool {
	e, ok := c.held[key]
	if ok {
		c.note(e)
		heap.Fix(&c.queue, e.place)
	}
	return ok
}

func (c *lruK) put(key int, value []byte) {
	if len(c.held) == capacity {
		c.evict()
	}
	e := c.past[key]
	if e == nil {
		e = &entry{key: key}
	} else {
		delete(c.past, key)
		c.oldest.Remove(e.evicted)
	}
	e.value = value
	c.note(e)
	c.held[key] = e
	heap.Push(&c.queue, e)
}

func (c *lruK) evict() {
	e := heap.Pop(&c.queue).(*entry)
	delete(c.held, e.key)
	e.value = nil
	c.past[e.key] = e
	e.evicted = c.oldest.PushBack(e)
	if c.oldest.Len() > capacity {
		delete(c.past, c.oldest.Remove(c.oldest.Front()).(*entry).key)
	}
}

// queue is a heap of the entries, the next to evict first.
type queue struct {
	k       int
	entries []*entry
}

func (q *queue) Len() int { return len(q.entries) }

func (q *queue) Less(i, j int) bool {
	a, b := q.entries[i], q.entries[j]
	if fullA, fullB := len(a.accesses) == q.k, len(b.accesses) == q.k; fullA != fullB {
		return fullB
	} else if !fullA {
		return a.accesses[len(a.accesses)-1] < b.accesses[len(b.accesses)-1]
	}
	return a.accesses[0] < b.accesses[0]
}

func (q *queue) Swap(i, j int) {
	q.entries[i], q.entries[j] = q.entries[j], q.entries[i]
	q.entries[i].place, q.entries[j].place = i, j
}

func (q *queue) Push(x any) {
	e := x.(*entry)
	e.place = len(q.entries)
	q.entries = append(q.entries, e)
}

func (q *queue) Pop() any {
	last := len(q.entries) - 1
	e := q.entries[last]
	q.entries = q.entries[:last]
	return e
}
