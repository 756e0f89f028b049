//go:build linux

package main

import (
	"net"
	"net/http"
)

// smallWrites writes one response of hitEach in two pieces, with Nagle's algorithm on as in most
// languages: the second waits until the client acknowledges the first, which it puts off.
func (s *suffering) smallWrites(w http.ResponseWriter, r *http.Request) {
	if c, ok := r.Context().Value(connKey{}).(*net.TCPConn); ok {
		c.SetNoDelay(false)
	}
	w.Write([]byte("o"))
	if s.count.Add(1)%hitEach == 0 {
		w.(http.Flusher).Flush()
	}
	w.Write([]byte("k"))
}
