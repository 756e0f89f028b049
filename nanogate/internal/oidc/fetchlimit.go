package oidc

import (
	"errors"
	"net/http"
	"time"

	"dyno.example/nanogate/internal/bounds"
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
	by     http.RoundTripper
	now    func() time.Time
	spared bounds.FetchLimit
}

func (s *sparing) RoundTrip(r *http.Request) (*http.Response, error) {
	if !s.spared.May(s.now()) {
		return nil, errAskedLately
	}
	return s.by.RoundTrip(r)
}
