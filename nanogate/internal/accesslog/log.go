// Package accesslog writes a line for each request that has ended, or for a share of
// them. Loops put records into rings of bounded size and never wait: what there is no
// room for is dropped and counted, whether the disk is full, the pipe's reader hangs or
// is gone. One goroutine beside them makes the lines and writes them.
package accesslog

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Log is a gateway's access log. It goes on as long as the gateway does; what it writes
// and where to may change.
type Log struct {
	settings atomic.Pointer[config.AccessLog]
	rings    []*ring
	log      *slog.Logger

	asleep  atomic.Bool   // the writer waits for a record
	wake    chan struct{} // has a record, or something else to do
	hurry   chan struct{} // a ring is half full: don't wait for more
	reopen  atomic.Bool
	flushes chan chan struct{}
	stop    chan struct{}
	once    sync.Once
	done    chan struct{} // closed when the writer has ended

	written, failed atomic.Uint64 // lines
}

// New starts the log of a gateway with so many loops.
func New(c *config.AccessLog, loops int, log *slog.Logger) *Log {
	l := &Log{
		log: log, wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1),
		flushes: make(chan chan struct{}), stop: make(chan struct{}), done: make(chan struct{}),
	}
	for range max(1, loops) {
		l.rings = append(l.rings, newRing(c.Buffer))
	}
	l.settings.Store(c)
	w := &writer{l: l}
	go w.run()
	return l
}

// Configure changes what is written, how and where to. The size of the rings stays.
func (l *Log) Configure(c *config.AccessLog) {
	l.settings.Store(c)
	l.rouse()
}

// Redacts returns the configured names of secret parameters, in addition to the known
// ones.
func (l *Log) Redacts() []string { return l.settings.Load().Redact }

// Reopen opens the file again, which has been moved away to rotate it.
func (l *Log) Reopen() {
	l.reopen.Store(true)
	l.rouse()
}

// rouse wakes the writer.
func (l *Log) rouse() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Flush returns when all that was put in before is written or lost, or ctx ends.
func (l *Log) Flush(ctx context.Context) error {
	written := make(chan struct{})
	select {
	case l.flushes <- written:
	case <-l.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-written:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close writes what there is and ends. It waits a second at most: a writer that hangs
// is left behind.
func (l *Log) Close() {
	l.once.Do(func() { close(l.stop) })
	select {
	case <-l.done:
	case <-time.After(time.Second):
	}
}

// Counts are lines since the log was started.
type Counts struct {
	Written uint64
	Dropped uint64 // there was no room: the writer is too slow, or hangs
	Failed  uint64 // they couldn't be written: no disk space, no reader
}

// Counts returns how many lines became what.
func (l *Log) Counts() (c Counts) {
	c.Written, c.Failed = l.written.Load(), l.failed.Load()
	for _, r := range l.rings {
		c.Dropped += r.dropped.Load()
	}
	return c
}

// Route is an observer that logs one route's requests.
type Route struct {
	Log  *Log
	Name string
}

// Seen implements observe.Observer.
func (o *Route) Seen(r *request.Request, note []byte) []byte { return appendNote(note, r) }

// Ended implements observe.Observer.
func (o *Route) Ended(out *request.Outcome, note []byte) {
	l := o.Log
	if !wanted(l.settings.Load(), out) {
		return
	}
	var fixed [fixedSize]byte
	r := l.rings[out.Loop%len(l.rings)]
	if !r.put(appendFixed(fixed[:0], out, o.Name), o.Name, out.Endpoint, note) {
		return
	}
	if l.asleep.Load() && l.asleep.CompareAndSwap(true, false) {
		l.rouse()
	}
	if r.used() > len(r.buf)/2 {
		select {
		case l.hurry <- struct{}{}:
		default:
		}
	}
}

// wanted reports whether a request is logged.
func wanted(s *config.AccessLog, o *request.Outcome) bool {
	switch {
	case s.Sample >= 1:
		return true
	case s.Errors && (o.Status >= 500 || o.Status == 0 || o.Failed != request.OK):
		return true
	case s.Slow > 0 && o.Ended-o.Began >= int64(s.Slow):
		return true
	}
	return s.Sample > 0 && rand.Float64() < s.Sample
}
