package acmetest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Balancer gives connections to gateways in turn, as they come. Until there is a gateway
// connections wait.
type Balancer struct {
	port int

	mu    sync.Mutex
	there *sync.Cond
	to    []string
	next  int
	ended bool
}

func newBalancer(t testing.TB) *Balancer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &Balancer{port: ln.Addr().(*net.TCPAddr).Port}
	b.there = sync.NewCond(&b.mu)
	t.Cleanup(func() {
		ln.Close()
		b.mu.Lock()
		defer b.mu.Unlock()
		b.ended = true
		b.there.Broadcast()
	})
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go b.pass(c)
		}
	}()
	return b
}

// To sets the gateways' addresses.
func (b *Balancer) To(addresses ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.to = addresses
	b.there.Broadcast()
}

// pick waits for a gateway; "" is none any more.
func (b *Balancer) pick() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.to) == 0 && !b.ended {
		b.there.Wait()
	}
	if b.ended {
		return ""
	}
	b.next++
	return b.to[b.next%len(b.to)]
}

// pass passes on what both sides say.
func (b *Balancer) pass(client net.Conn) {
	defer client.Close()
	address := b.pick()
	if address == "" {
		return
	}
	gateway, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer gateway.Close()
	go func() {
		_, _ = io.Copy(gateway, client)
		_ = gateway.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(client, gateway)
}
