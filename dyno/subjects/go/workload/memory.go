package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

const (
	spike = 128 << 20 // bytes
	look  = 5 * time.Millisecond
)

// spiker makes spikes, one at a time.
type spiker struct {
	patience time.Duration // for memory to be given back; dyno waits 5 s when it verifies

	mu   sync.Mutex
	base int // bytes in memory before the first
}

// giveBack uses memory, drops it, and responds when the process is as small as
// before the first time: the time of the request is the time that giving back
// took. It responds "kept" if that did not happen within patience, of which none is
// what a request takes if giving back costs nothing.
func (s *spiker) giveBack(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := resident()
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotImplemented)
		return
	}
	if s.base == 0 {
		s.base = before
	}
	dirty(spike)
	// The scavenger keeps what the collection before the last one expected to
	// need, so it takes two to make the spike forgotten.
	runtime.GC()
	runtime.GC()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	for start := time.Now(); time.Since(start) < s.patience && r.Context().Err() == nil; time.Sleep(look) {
		if now, err := resident(); err == nil && now < s.base+spike/10 {
			_, _ = io.WriteString(w, "given back")
			return
		}
	}
	_, _ = io.WriteString(w, "kept")
}

// dirty writes to every page of n bytes, which then are garbage.
//
//go:noinline
func dirty(n int) {
	b := make([]byte, n)
	for i := 0; i < n; i += 4 << 10 {
		b[i] = 1
	}
	runtime.KeepAlive(b)
}

// resident returns how many bytes of the process are in memory (proc(5), statm).
func resident() (int, error) {
	content, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, errors.New("this system does not tell how much memory a process has: there is no /proc")
	}
	fields := bytes.Fields(content)
	if len(fields) < 2 {
		return 0, errors.New("/proc/self/statm has no resident pages")
	}
	pages, err := strconv.Atoi(string(fields[1]))
	return pages * os.Getpagesize(), err
}
