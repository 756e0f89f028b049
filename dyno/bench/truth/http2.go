//go:build linux

package main

import (
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// serveHTTP2 serves over HTTP/2 in cleartext, by the standard library, each request
// after a delay. end stops it and tells its slowest response, from the call of its
// handler to the end of it.
func serveHTTP2(delay time.Duration) (address string, end func() (slowest time.Duration), err error) {
	var longest atomic.Int64
	server := &http.Server{
		ReadHeaderTimeout: 10 * time.Second, Protocols: new(http.Protocols), HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 1000},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			began := time.Now()
			time.Sleep(delay)
			io.WriteString(w, "Hello, World!")
			took := int64(time.Since(began))
			for seen := longest.Load(); took > seen && !longest.CompareAndSwap(seen, took); seen = longest.Load() {
			}
		}),
	}
	server.Protocols.SetUnencryptedHTTP2(true)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	go server.Serve(ln)
	return ln.Addr().String(), func() time.Duration {
		server.Close()
		return time.Duration(longest.Load())
	}, nil
}
