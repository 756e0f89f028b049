package session

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// NewMemory returns a store for one server, of about so many bytes. When it is full the
// sessions go that were used longest ago. They end with the process.
func NewMemory(bytes int) Store {
	return &memory{left: bytes, entries: map[string]*list.Element{}, order: list.New(), now: time.Now}
}

// memory is a map with a list of its entries, the one that was used last in front.
type memory struct {
	mu      sync.Mutex
	left    int
	entries map[string]*list.Element
	order   *list.List
	now     func() time.Time
}

type entry struct {
	id     string
	values map[string]string
	size   int
	until  time.Time
}

// overhead is about what an entry takes in addition to its values, in bytes.
const overhead = 300

func (m *memory) Load(_ context.Context, id string) (map[string]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.entries[id]
	if at == nil {
		return nil, nil
	}
	e := at.Value.(*entry)
	if !m.now().Before(e.until) {
		m.remove(at)
		return nil, nil
	}
	m.order.MoveToFront(at)
	return e.values, nil
}

func (m *memory) Save(_ context.Context, id string, values map[string]string, keep time.Duration) error {
	size := overhead + len(id)
	for name, value := range values {
		size += len(name) + len(value)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := m.entries[id]; at != nil {
		m.remove(at)
	}
	for m.left < size && m.order.Len() > 0 {
		m.remove(m.order.Back())
	}
	if m.left < size {
		return ErrTooLarge
	}
	m.entries[id] = m.order.PushFront(&entry{id, values, size, m.now().Add(keep)})
	m.left -= size
	return nil
}

func (m *memory) Delete(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := m.entries[id]; at != nil {
		m.remove(at)
	}
	return nil
}

func (m *memory) remove(at *list.Element) {
	e := m.order.Remove(at).(*entry)
	m.left += e.size
	delete(m.entries, e.id)
}
