package nano

import "sync"

// drainSignal tells answers without an end that the app shuts down.
type drainSignal struct {
	once  sync.Once
	begun chan struct{}
}

func (d *drainSignal) begin() { d.once.Do(func() { close(d.begun) }) }

// Draining is closed when the app begins to shut down. The request's context
// lasts for Limits.Drain longer: an answer that goes on until its client has
// enough, as one of events does, should end now.
func (c Ctx) Draining() <-chan struct{} { return c.live().app.drains.begun }
