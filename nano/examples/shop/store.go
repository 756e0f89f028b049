package main

import (
	"maps"
	"slices"
	"sync"
)

// item is what the shop sells.
type item struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Cents int64  `json:"cents"`
	Owner string `json:"owner"`
}

// store keeps items in memory, and sends changes to its subscribers.
type store struct {
	mu        sync.Mutex
	last      int64
	items     map[int64]item
	listeners map[chan item]struct{}
}

func newStore() *store {
	return &store{items: map[int64]item{}, listeners: map[chan item]struct{}{}}
}

// add keeps an item under a new ID.
func (s *store) add(i item) item {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	i.ID = s.last
	s.items[i.ID] = i
	for ch := range s.listeners {
		select {
		case ch <- i:
		default: // a subscriber that doesn't keep up misses some
		}
	}
	return i
}

// get returns an item.
func (s *store) get(id int64) (item, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.items[id]
	if !ok {
		return i, errNoItem
	}
	return i, nil
}

// page returns items in the order of their IDs.
func (s *store) page(number, size int) []item {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := slices.Sorted(maps.Keys(s.items))
	from := min(max(number-1, 0)*size, len(ids))
	found := []item{}
	for _, id := range ids[from:min(from+size, len(ids))] {
		found = append(found, s.items[id])
	}
	return found
}

// listen returns a channel of items that are added, until stop is called.
func (s *store) listen() (items <-chan item, stop func()) {
	ch := make(chan item, 16)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners[ch] = struct{}{}
	return ch, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.listeners, ch)
	}
}
