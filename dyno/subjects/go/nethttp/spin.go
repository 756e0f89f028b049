package main

import (
	"fmt"
	"net/http"
	"time"
)

// maxSpin bounds NETHTTP_SPIN.
const maxSpin = time.Second

// parseSpin reads NETHTTP_SPIN, such as "600ns"; nothing is none.
func parseSpin(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 || d > maxSpin {
		return 0, fmt.Errorf("NETHTTP_SPIN is %q: set it to a duration above zero and up to %v, or not at all", s, maxSpin)
	}
	return d, nil
}

// spinning keeps the CPU busy for a while before each request: a slow-down of a
// known size. Without one it is the handler itself.
func spinning(handler http.Handler, each time.Duration) http.Handler {
	if each == 0 {
		return handler
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for began := time.Now(); time.Since(began) < each; {
		}
		handler.ServeHTTP(w, r)
	})
}
