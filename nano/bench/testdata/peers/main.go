// Command peers serves what nano/bench' everyday campaigns ask for, by other
// frameworks: files, a bound and validated JSON body, server-sent events, a WebSocket
// echo, TLS. Each does it as its documentation says.
package main

import (
	"flag"
	"log"
	"net"
	"sync"
	"time"

	"github.com/go-playground/validator/v10"
)

// order is the body of POST /orders.
type order struct {
	ID       int64    `json:"id" binding:"required,gte=1" validate:"required,gte=1"`
	Name     string   `json:"name" binding:"required,max=100" validate:"required,max=100"`
	Email    string   `json:"email" binding:"required,email" validate:"required,email"`
	Note     string   `json:"note" binding:"max=2000" validate:"max=2000"`
	Tags     []string `json:"tags" binding:"max=20,dive,max=40" validate:"max=20,dive,max=40"`
	Quantity int      `json:"quantity" binding:"gte=1,lte=1000" validate:"gte=1,lte=1000"`
}

var valid = validator.New()

const (
	hello = "Hello, World!"
	event = "data: {\"symbol\":\"DYNO\",\"price\":1234.5,\"at\":\"2026-01-01T00:00:00Z\"}\n\n"
)

// ticker wakes all who wait, once a second.
type ticker struct {
	mu   sync.Mutex
	next chan struct{}
}

func newTicker() *ticker {
	t := &ticker{next: make(chan struct{})}
	go func() {
		for range time.Tick(time.Second) {
			t.mu.Lock()
			close(t.next)
			t.next = make(chan struct{})
			t.mu.Unlock()
		}
	}()
	return t
}

// tick returns what is closed at the next tick.
func (t *ticker) tick() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.next
}

func main() {
	kind := flag.String("kind", "gin", "gin, fiber or fasthttp")
	address := flag.String("address", "127.0.0.1:0", "where to listen")
	files := flag.String("files", ".", "folder of /files/")
	certificate := flag.String("certificate", "", "PEM file with certificate and key; serves TLS 1.3")
	flag.Parse()
	ln, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	serve := map[string]func(net.Listener, string, string) error{"gin": serveGin, "fiber": serveFiber, "fasthttp": serveFasthttp}[*kind]
	if serve == nil {
		log.Fatalf("there is no server %q", *kind)
	}
	log.Fatal(serve(ln, *files, *certificate))
}
