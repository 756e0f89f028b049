package bounds

import (
	"sync"
	"time"
)

// FetchLimit bounds fetches that clients can trigger at will, as a token with an unknown key
// triggers a fetch of the provider's keys: a burst, and then one per interval. Without it
// the provider would rate-limit the gateway.
type FetchLimit struct {
	Burst int           // questions one after the other
	Every time.Duration // until there may be one more

	mu    sync.Mutex
	asked int       // that have not been made up for
	since time.Time // when the first of them was, or would have been
}

// May reports whether a fetch is allowed at a time now, and counts it.
func (s *FetchLimit) May(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if gone := int(now.Sub(s.since) / s.Every); gone >= s.asked || gone < 0 { // or the clock was set back
		s.asked, s.since = 0, now
	} else {
		s.asked, s.since = s.asked-gone, s.since.Add(time.Duration(gone)*s.Every)
	}
	if s.asked >= s.Burst {
		return false
	}
	s.asked++
	return true
}
