// Package shared holds what several have in common, for as long as one of them uses it.
package shared

import "sync"

// Map holds values by their keys, each while it has users. The zero value is empty. It
// may be used by several goroutines at once.
type Map[V any] struct {
	mu  sync.Mutex
	all map[string]*entry[V]
}

type entry[V any] struct {
	value V
	users int
}

// Use returns the value of a key, which open makes if it has no user; others wait
// meanwhile. Each use ends with [Map.Leave].
func (m *Map[V]) Use(key string, open func() V) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.all[key]
	if e == nil {
		if m.all == nil {
			m.all = map[string]*entry[V]{}
		}
		e = &entry[V]{value: open()}
		m.all[key] = e
	}
	e.users++
	return e.value
}

// Leave ends a use. It reports whether that was the last: the value is in the map no
// more, and the caller's to close.
func (m *Map[V]) Leave(key string) (last bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.all[key]
	if e.users--; e.users > 0 {
		return false
	}
	delete(m.all, key)
	return true
}

// Find returns the value of a key if it has users. It begins no use.
func (m *Map[V]) Find(key string) (value V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.all[key]; e != nil {
		return e.value, true
	}
	return value, false
}

// Len returns how many values are used.
func (m *Map[V]) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.all)
}
