//go:build linux

package main

import "net/http"

// slowReaders are clients that take 4 MB/s, as far as there is more than they take at once.
const slowReaders = ", read_rate: 4MiB"

// longNow responds with slowSize bytes to one request of hitEach: who reads at once has them in a
// millisecond.
func (s *suffering) longNow(w http.ResponseWriter, _ *http.Request) {
	if s.count.Add(1)%hitEach == 0 {
		w.Write(make([]byte, slowSize))
		return
	}
	w.Write([]byte("ok"))
}
