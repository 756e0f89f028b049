package export

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// eventQueue is how many events may wait for a reader that is slow: an hour's.
const eventQueue = 4096

// Events writes JSON Lines as things happen: each event is one object on a line,
// handed to the system at once. Writing is done in parallel with the load, which never
// waits for it. Safe for use by several goroutines until Close.
type Events struct {
	lines   chan []byte
	done    sync.WaitGroup
	mu      sync.Mutex // of the fields below
	dropped int
	err     error
}

// NewEvents starts writing to w, which is the caller's to close after Close.
func NewEvents(w io.Writer) *Events {
	e := &Events{lines: make(chan []byte, eventQueue)}
	e.done.Go(func() {
		for line := range e.lines {
			if _, err := w.Write(line); err != nil {
				e.fail(err)
			}
		}
	})
	return e
}

// Add queues an event, which is encoded before Add returns.
func (e *Events) Add(event any) {
	line, err := json.Marshal(event)
	if err != nil {
		e.fail(err)
		return
	}
	select {
	case e.lines <- append(line, '\n'):
	default:
		e.mu.Lock()
		e.dropped++
		e.mu.Unlock()
	}
}

// fail keeps the first error.
func (e *Events) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = err
	}
}

// Close waits until all that was added is written, and returns the first error.
func (e *Events) Close() error {
	close(e.lines)
	e.done.Wait()
	if e.err == nil && e.dropped > 0 {
		return fmt.Errorf("%d events were dropped: what reads them is too slow", e.dropped)
	}
	return e.err
}
