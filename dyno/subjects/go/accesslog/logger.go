package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// A ring is emptied in batches of so many bytes, or of what has come in so long.
const (
	batchSize = 64 << 10
	batchTime = 10 * time.Millisecond
)

// sampled is of how many lines one is kept by a guard, while the ring is filled: 5 %.
const sampled = 20

// logger writes lines and counts what becomes of them. Each line is written, lost, left out by the guard, or
// still in the ring.
type logger struct {
	to    sink
	ring  *ring // nil where lines are written on the path of their requests
	none  bool
	guard bool // take a sample of the lines while the ring is filled

	lines, written, lost, left atomic.Int64
	sample                     atomic.Uint64

	ends, ended chan struct{}
}

func newLogger(s settings, to sink) *logger {
	l := &logger{to: to, none: s.how == "none", guard: s.guard, ends: make(chan struct{}), ended: make(chan struct{})}
	if s.how != "ring" {
		close(l.ended)
		return l
	}
	l.ring = newRing(s.ring)
	go l.empty()
	return l
}

// counts is what became of the lines until now.
type counts struct{ lines, written, lost, left int64 }

func (l *logger) counts() counts {
	c := counts{written: l.written.Load(), lost: l.lost.Load(), left: l.left.Load()}
	c.lines = l.lines.Load() // behind these, so that there are no fewer
	return c
}

// log has a line written before it returns, or puts it into the ring.
func (l *logger) log(line []byte) {
	if l.none {
		return
	}
	l.lines.Add(1)
	switch {
	case l.ring == nil:
		l.write(line)
	case l.guard && l.ring.filled() && l.sample.Add(1)%sampled != 0:
		l.left.Add(1)
	case !l.ring.put(line):
		l.lost.Add(1)
	}
}

// write writes whole lines, and counts them.
func (l *logger) write(lines []byte) {
	n := int64(bytes.Count(lines, newline))
	if err := l.to.write(lines); err != nil {
		l.lost.Add(n)
		return
	}
	l.written.Add(n)
}

var newline = []byte{'\n'}

// empty empties the ring until the logger is closed and nothing is left in it.
func (l *logger) empty() {
	defer close(l.ended)
	batch := make([]byte, 0, batchSize)
	wait := time.NewTimer(batchTime)
	for closing := false; !closing; {
		select {
		case <-l.ends:
			closing = true
		case <-l.ring.some:
			wait.Reset(batchTime)
			select {
			case <-wait.C:
			case <-l.ring.full:
			case <-l.ends:
			}
		}
		for batch = l.ring.take(batch); len(batch) > 0; batch = l.ring.take(batch) {
			l.write(batch)
		}
	}
}

// close returns when what was logged is written or lost. Nobody logs any more.
func (l *logger) close() {
	close(l.ends)
	<-l.ended
	l.to.close()
}

// linePool has buffers for lines, which are in use while one is made.
var linePool = sync.Pool{New: func() any { b := make([]byte, 0, 512); return &b }}

// handle responds with a number, such as that of the lines that were lost until now, so that who
// expects 0 sees it in each response after one was; and has the request logged.
func (l *logger) handle(number func() int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { l.respond(w, r, number()) }
}

func (l *logger) respond(w http.ResponseWriter, r *http.Request, number int64) {
	begun := time.Now()
	text := strconv.FormatInt(number, 10)
	respond(w, text)
	if l.none {
		return
	}
	b := linePool.Get().(*[]byte)
	*b = appendLine((*b)[:0], &entry{
		remote: r.RemoteAddr, method: r.Method, uri: r.RequestURI, proto: r.Proto, referer: r.Referer(), agent: r.UserAgent(),
		status: http.StatusOK, size: len(text), begun: begun, took: time.Since(begun),
	})
	l.log(*b)
	linePool.Put(b)
}

// metrics tells the counts in Prometheus' format.
func (l *logger) metrics(w http.ResponseWriter, _ *http.Request) {
	c := l.counts()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	fmt.Fprintf(w, "# TYPE accesslog_lines_total counter\naccesslog_lines_total %d\n", c.lines)
	fmt.Fprintf(w, "# TYPE accesslog_written_lines_total counter\naccesslog_written_lines_total %d\n", c.written)
	fmt.Fprintf(w, "# TYPE accesslog_lost_lines_total counter\naccesslog_lost_lines_total %d\n", c.lost)
	fmt.Fprintf(w, "# TYPE accesslog_left_out_lines_total counter\naccesslog_left_out_lines_total %d\n", c.left)
}
