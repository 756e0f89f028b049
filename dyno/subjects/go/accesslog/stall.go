package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

// stalling is a disk that can be made to stand still: a pipe, whose reader brings what comes to a file. While
// that one doesn't read, write(2) returns until the pipe is full, and then blocks, as it does where the
// page cache may have no more dirty pages, or a file system is frozen.
type stalling struct {
	in    *os.File
	to    file
	still sync.Mutex // held while the disk stands still
	ended chan struct{}
}

func openStalling() (*stalling, error) {
	to, err := openFile(0)
	if err != nil {
		return nil, err
	}
	out, in, err := os.Pipe()
	if err != nil {
		to.close()
		return nil, err
	}
	s := &stalling{in: in, to: to, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		defer out.Close()
		_, _ = io.Copy(onceItMoves{s}, out) // a write that fails closes the pipe, so that the next one into it fails too
	}()
	return s, nil
}

// onceItMoves writes to the file when the disk doesn't stand still.
type onceItMoves struct{ *stalling }

func (o onceItMoves) Write(b []byte) (int, error) {
	o.still.Lock()
	defer o.still.Unlock()
	return o.to.Write(b)
}

func (s *stalling) write(lines []byte) error { _, err := s.in.Write(lines); return err }

func (s *stalling) close() {
	s.in.Close()
	<-s.ended
	s.to.close()
}

// stall has the disk stand still for so long.
func (s *stalling) stall(ctx context.Context, d time.Duration) {
	s.still.Lock()
	defer s.still.Unlock()
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// handleStall has the disk stand still, waits until the ring has been empty again, and responds with how many lines
// the stall before cost, by their counts before and after it; the first response is 0, since dyno doesn't
// measure who responds wrongly from the first on. One stall comes after the other.
func (l *logger) handleStall(disk *stalling, d time.Duration, of func(counts) int64) http.HandlerFunc {
	var one sync.Mutex
	var cost int64
	return func(w http.ResponseWriter, r *http.Request) {
		one.Lock()
		defer one.Unlock()
		text, before := strconv.FormatInt(cost, 10), l.counts()
		disk.stall(r.Context(), d)
		select {
		case <-l.ring.emptied():
		case <-r.Context().Done():
			return
		}
		cost = of(l.counts()) - of(before)
		respond(w, text)
	}
}

// unwritten are the lines that nobody will ever read, dropped those of them that found no room.
func unwritten(c counts) int64 { return c.lost + c.left }
func dropped(c counts) int64   { return c.lost }

// hum logs lines at a rate, besides those of requests, until it ends.
func (l *logger) hum(rate int, ends <-chan struct{}) {
	var line []byte
	_ = pace(rate, ends, func(e *entry) error {
		line = appendLine(line[:0], e)
		l.log(line)
		return nil
	}, func(time.Duration) error { return nil })
}
