package accesslog

import (
	"bytes"
	"time"

	"dyno.example/nano/wire/clock"
	"dyno.example/nanogate/internal/config"
)

const (
	gather    = 100 * time.Millisecond // that lines wait for others, to be written together
	mostBatch = 64 << 10               // bytes that are written at once
)

// writer makes lines of records and writes them. It is the only one that does what may
// block.
type writer struct {
	l      *Log
	sink   sink
	line   line
	record []byte
	batch  []byte
}

// run writes until the log is closed.
func (w *writer) run() {
	l := w.l
	defer close(l.done)
	defer w.sink.close()
	timer := time.NewTimer(0)
	<-timer.C
	for {
		var flushed chan struct{}
		l.asleep.Store(true)
		if w.empty() {
			select {
			case <-l.wake:
			case flushed = <-l.flushes:
			case <-l.stop:
			}
		}
		l.asleep.Store(false)
		if flushed == nil {
			timer.Reset(gather)
			select {
			case <-timer.C:
			case <-l.hurry:
			case flushed = <-l.flushes:
			case <-l.stop:
			}
			timer.Stop()
		}
		w.drain()
		if flushed != nil {
			close(flushed)
		}
		select {
		case <-l.stop:
			w.drain()
			return
		default:
		}
	}
}

func (w *writer) empty() bool {
	for _, r := range w.l.rings {
		if r.used() > 0 {
			return false
		}
	}
	return true
}

// drain writes all that waits.
func (w *writer) drain() {
	s := w.l.settings.Load()
	if err := w.sink.use(s.To, w.l.reopen.Swap(false)); err != nil {
		w.complain("the access log can't be opened, and goes on once it can", err)
	}
	offset := time.Now().UnixNano() - clock.Now()
	var r record
	for _, from := range w.l.rings {
		for {
			var ok bool
			if w.record, ok = from.take(w.record); !ok {
				break
			}
			r.read(w.record)
			w.batch = w.line.append(w.batch, &r, s, time.Unix(0, r.began+offset))
			if len(w.batch) >= mostBatch {
				w.write()
			}
		}
	}
	w.write()
}

// write writes the batch.
func (w *writer) write() {
	if len(w.batch) == 0 {
		return
	}
	n, err := w.sink.write(w.batch)
	lines := uint64(bytes.Count(w.batch[:n], newline))
	lost := uint64(bytes.Count(w.batch[n:], newline))
	w.l.written.Add(lines)
	w.l.failed.Add(lost)
	if err != nil {
		w.complain("the access log can't be written, and goes on once it can", err)
	}
	w.batch = w.batch[:0]
}

var newline = []byte("\n")

// complain says what is wrong, once a minute.
func (w *writer) complain(what string, err error) {
	if w.sink.mayComplain() {
		w.l.log.Error(what, "file", w.l.settings.Load().To, "error", err)
	}
}

// Check says what is wrong with where a log is to go, without creating it.
func Check(c *config.AccessLog) error { return checkSink(c.To) }
