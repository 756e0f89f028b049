package main

import (
	"io"
	"net/http"
	"runtime"
	"time"
)

// wait answers after a while, in which a request holds a goroutine and, if each has a
// thread of the kernel's, that thread.
func wait(s settings) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if s.threads == "kernel" {
			// A thread that is locked to a goroutine serves no other one meanwhile.
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		}
		time.Sleep(s.wait)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "0")
	}
}
