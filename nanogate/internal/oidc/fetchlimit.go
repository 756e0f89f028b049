package oidc

import (
	"errors"
	"net/http"
	"time"

	"dyno.example/nanogate/internal/bounds"
)

// A client can send tokens with unknown keys at will, and each triggers a fetch of the
// provider's keys: so there is a burst of fetches, and then one per interval. Without that
// the provider would rate-limit the gateway, and no user could log in.

const (
	keysBurst = 5                // requests for a provider's keys, one after the other
	keysEvery = 10 * time.Second // until there may be one more
)

// errAskedLately is of a key that isn't among those that the provider had lately.
var errAskedLately = errors.New("its key isn't known, and the keys were fetched just now")

// limitedFetch fetches only that often.
type limitedFetch struct {
	by     http.RoundTripper
	now    func() time.Time
	spared bounds.FetchLimit
}

func (s *limitedFetch) RoundTrip(r *http.Request) (*http.Response, error) {
	if !s.spared.May(s.now()) {
		return nil, errAskedLately
	}
	return s.by.RoundTrip(r)
}
