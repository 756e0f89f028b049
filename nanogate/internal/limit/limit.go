// Package limit bounds how much a route takes on: rates, requests under way, and what
// an upstream that fails or lags is still sent.
package limit

import "dyno.example/nanogate/internal/filter"

// Limit is a filter that lets requests pass while there is room, and hears of the end of
// each. Its methods are called by event loops, several at a time: they don't block and
// don't allocate.
type Limit interface {
	filter.Filter
	filter.Ender
}
