package bounds

import (
	"sync"
	"time"
)

// FetchLimit bounds how often somebody is asked whom strangers can have asked as often as
// they like, such as a provider whose keys a token with a made-up one needs: some times, one
// after the other, and then once in a while only, or it would refuse the gateway.
type FetchLimit struct {
	Burst int           // questions one after the other
	Every time.Duration // until there may be one more

	mu    sync.Mutex
	asked int       // that have not been made up for
	since time.Time // when the first of them was, or would have been
}

// May reports whether it may be asked at a time now, and counts that it is.
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
