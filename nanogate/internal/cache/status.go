package cache

import "strconv"

// Result is what the cache had for a request.
type Result uint8

const (
	Bypass      Result = iota // the cache wasn't used: the request isn't one that it can serve
	Miss                      // nothing was stored for it
	Hit                       // a response was given that was fresh
	HitStale                  // one was given that wasn't, and may be
	Revalidated               // one was given that the upstream says is good still
	Expired                   // one was stored, and the upstream gave another
	Saved                     // one was given in place of an error
	Coalesced                 // another request's response was given

	Results = iota // how many there are
)

// String is its name in metrics.
func (r Result) String() string {
	return [...]string{"bypass", "miss", "hit", "stale", "revalidated", "expired", "saved", "coalesced"}[r]
}

// AppendStatus appends the line of Cache-Status for a response from the store (RFC 9211):
// left is how long it is still fresh, in seconds, status that of the upstream's response,
// if it was revalidated; 0: it wasn't.
func AppendStatus(dst []byte, r Result, left int64, status int) []byte {
	dst = append(dst, "Cache-Status: nanogate"...)
	switch r {
	case Hit, HitStale:
		dst = append(dst, "; hit"...)
	case Coalesced:
		dst = append(dst, "; fwd=uri-miss; collapsed"...)
	case Revalidated, Saved:
		dst = append(dst, "; fwd=stale"...)
		if status != 0 {
			dst = strconv.AppendInt(append(dst, "; fwd-status="...), int64(status), 10)
		}
	}
	dst = strconv.AppendInt(append(dst, "; ttl="...), left, 10)
	return append(dst, "\r\n"...)
}

// AppendForwarded does the same for an upstream's response: why is the reason for
// forwarding the request.
func AppendForwarded(dst []byte, why string, stored bool) []byte {
	dst = append(append(dst, "Cache-Status: nanogate; fwd="...), why...)
	if stored {
		dst = append(dst, "; stored"...)
	}
	return append(dst, "\r\n"...)
}
