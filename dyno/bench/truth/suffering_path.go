//go:build linux

package main

import (
	"context"
	"net"
	"net/http"

	"golang.org/x/sys/unix"
)

// The path takes slowRate bytes a second of a response of slowSize, so most of it waits for some 48 ms:
// it is sent in four pieces, as loopback has packets of 64 KiB, and the first one at once.
const (
	slowRate = 4 << 20
	slowSize = 256 << 10
)

// connKey is what a request's connection is kept under in its context.
type connKey struct{}

// withConn keeps the connection of requests.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// paced sets how fast the kernel sends on a request's connection, bytes a second; 0 for as fast as
// it can. It does so by itself, without a queue of packets that can.
func paced(r *http.Request, rate uint64) {
	c, ok := r.Context().Value(connKey{}).(*net.TCPConn)
	if !ok {
		return
	}
	if rate == 0 {
		rate = 1<<32 - 1 // unlimited, as the kernel has it
	}
	if raw, err := c.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_MAX_PACING_RATE, int(rate)) })
	}
}

// slowPath responds on a path that one response of hitEach is slow on.
func (s *suffering) slowPath(w http.ResponseWriter, r *http.Request) {
	if s.count.Add(1)%hitEach == 0 {
		paced(r, slowRate)
		w.Write(make([]byte, slowSize))
		return
	}
	paced(r, 0)
	w.Write([]byte("ok"))
}
