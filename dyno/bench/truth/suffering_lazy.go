//go:build linux

package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// lazyFor is how long a connection isn't read after one response of hitEach.
const lazyFor = 100 * time.Millisecond

// lazily serves with a goroutine for each connection, which rests after some responses before it
// reads again, as limits of rates do.
func lazily(ln net.Listener) error {
	var count atomic.Int64
	for {
		c, err := ln.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			in := bufio.NewReader(c)
			for {
				r, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				r.Body.Close()
				if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"); err != nil {
					return
				}
				if count.Add(1)%hitEach == 0 {
					time.Sleep(lazyFor)
				}
			}
		}()
	}
}
