package http2

import (
	"runtime"
	"testing"
	"unsafe"
)

// TestIdleConnectionsAreSmall holds what a connection keeps that has served some
// requests and has nothing to do.
func TestIdleConnectionsAreSmall(t *testing.T) {
	if n := unsafe.Sizeof(Conn{}); n > 1024 {
		t.Errorf("a Conn is %d bytes", n)
	}
	const n = 500
	servers := make([]*Conn, n)
	cfg, pool := NewConfig(Config{Server: true, Table: 4096}), new(Pool)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	w := newWireless([]byte("Hello, World!"))
	for i := range servers {
		w.client.Out, w.server.Out = nil, nil
		w.client.Start(w.client.cfg, &w.clientPool, 0)
		w.server.Start(cfg, pool, 0)
		w.roundTrips(t, 3, 10)
		servers[i] = new(Conn)
		*servers[i] = w.server
		servers[i].Out = nil // its owner's
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if each := (after.HeapAlloc - before.HeapAlloc) / n; each > 3<<10 {
		t.Errorf("%d bytes a connection", each)
	} else {
		t.Logf("%d bytes a connection", each)
	}
	runtime.KeepAlive(servers)
}

func TestPoolIsBounded(t *testing.T) {
	p := new(Pool)
	streams := make([]*Stream, 2*freeStreams)
	for i := range streams {
		streams[i] = p.take()
	}
	for _, s := range streams {
		p.give(s)
	}
	n := 0
	for s := p.free; s != nil; s = s.after {
		n++
	}
	if n != freeStreams || p.kept != n {
		t.Errorf("%d streams are kept, %d counted", n, p.kept)
	}
	if s := p.take(); s.closed || s.after != nil || p.kept != n-1 {
		t.Errorf("stream taken: %+v, %d are left", s, p.kept)
	}
}
