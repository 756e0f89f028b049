package state

import (
	"log/slog"
	"sync"
	"time"
)

// DelayedSaver saves the newest of values that come one after another, a second after the first
// of those that aren't saved. A nil DelayedSaver saves nothing. It may be used by several
// goroutines at once.
type DelayedSaver struct {
	file *File
	log  *slog.Logger

	mu      sync.Mutex
	next    any         // isn't changed any more
	timer   *time.Timer // nil: the file is up to date
	writing sync.Mutex  // one at a time, so that the last is the newest
}

// DelayedSaver returns what saves to a file. [DelayedSaver.Close] ends it.
func (f *File) DelayedSaver(log *slog.Logger) *DelayedSaver {
	if f == nil {
		return nil
	}
	return &DelayedSaver{file: f, log: log}
}

// Save has a value saved soon. It belongs to l from then on.
func (l *DelayedSaver) Save(v any) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next = v
	if l.timer == nil {
		l.timer = time.AfterFunc(l.file.dir.after, l.write)
	}
}

// Close saves what isn't saved yet.
func (l *DelayedSaver) Close() {
	if l != nil {
		l.write()
	}
}

func (l *DelayedSaver) write() {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	v, pending := l.next, l.timer != nil
	if pending {
		l.timer.Stop()
		l.timer, l.next = nil, nil
	}
	l.mu.Unlock()
	if !pending {
		return
	}
	if err := l.file.Save(v); err != nil {
		l.log.Error("what is known can't be stored on disk: after a restart it is unknown until it is read again", "error", err)
		return
	}
	l.file.dir.sweep(l.file.kind, time.Now())
}
