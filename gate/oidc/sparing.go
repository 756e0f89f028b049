package oidc

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// Anybody may send a token with a key that isn't known, and each has the provider asked for
// its keys: so it is asked a few times, and then once in some time only, or it would limit
// the gateway, and nobody could log in.

const (
	keysBurst = 5                // requests for a provider's keys, one after the other
	keysEvery = 10 * time.Second // until there may be one more
)

// errAskedLately is of a key that isn't among those that the provider had lately.
var errAskedLately = errors.New("its key isn't known, and the keys were asked for just now")

// sparing asks as often as that.
type sparing struct {
	by  http.RoundTripper
	now func() time.Time

	mu    sync.Mutex
	asked int       // that have not been made up for
	since time.Time // when the first of them was, or would have been
}

func (s *sparing) RoundTrip(r *http.Request) (*http.Response, error) {
	if !s.may() {
		return nil, errAskedLately
	}
	return s.by.RoundTrip(r)
}

func (s *sparing) may() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if gone := int(now.Sub(s.since) / keysEvery); gone >= s.asked || gone < 0 { // or the clock was set back
		s.asked, s.since = 0, now
	} else {
		s.asked, s.since = s.asked-gone, s.since.Add(time.Duration(gone)*keysEvery)
	}
	if s.asked >= keysBurst {
		return false
	}
	s.asked++
	return true
}
