package nano

import (
	"sync"
	"sync/atomic"
)

// seal keeps an app's routes as they are once it serves. Registration holds the
// lock, so that a request that comes meanwhile waits for it and nothing is changed
// after that.
type seal struct {
	mu     sync.Mutex
	closed atomic.Bool
}

// close ends registration.
func (s *seal) close() {
	s.mu.Lock()
	s.closed.Store(true)
	s.mu.Unlock()
}

// registering calls f to change what the app serves, or panics if it serves
// already. what names the change and its place.
func (a *App) registering(what string, f func()) {
	a.seal.mu.Lock()
	defer a.seal.mu.Unlock()
	if a.seal.closed.Load() {
		panic("nano: " + what + " comes too late: the app serves already; register everything before Listen, Serve and the first request")
	}
	f()
}
