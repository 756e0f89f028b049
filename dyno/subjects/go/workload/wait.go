package main

import (
	"io"
	"net/http"
	"runtime"
	"time"
)

// wait responds after a while, in which a request holds the goroutine of its connection and, if
// each has a thread of the kernel's, that thread: for as long as the connection lasts, as where
// there are no goroutines.
func wait(s settings) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if s.threads == "kernel" {
			runtime.LockOSThread() // once more with each request; it ends with the goroutine
		}
		time.Sleep(s.wait)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "0")
	}
}
