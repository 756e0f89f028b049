package cache

import "time"

// Policy is what a route's configuration says of caching.
type Policy struct {
	Heuristic       time.Duration // the longest that a response is fresh which doesn't say how long; 0: it isn't
	WhileRevalidate time.Duration // for responses that don't say it themselves
	IfError         time.Duration // in the same way
	Obey            bool          // what clients say in Cache-Control counts
	Targets         []string      // fields, in lower case, of which the first that is there counts in place of a response's Cache-Control and Expires (RFC 9213)
}

// Decision is what is done with a request of which a response is stored.
type Decision uint8

const (
	Validate       Decision = iota // revalidate with the upstream
	Give                           // it is fresh
	GiveStale                      // it isn't, and may be given
	GiveAndRefresh                 // stale, but may be sent while it is revalidated in the background
)

// Judge says what is done with a request for which v is stored, at a time now.
func (p *Policy) Judge(v *Response, a *RequestFields, now int64) Decision {
	d := &a.Control
	age, left := now-v.born, v.lifetime-(now-v.born)
	if v.noCache || d.NoCache || d.MaxAge == 0 || d.MaxAge != absent && age > d.MaxAge*second {
		return Validate
	}
	if left > 0 && (d.MinFresh == absent || left >= d.MinFresh*second) {
		return Give
	}
	if v.strict || left > 0 {
		return Validate
	}
	if d.MaxStale != absent && -left <= d.MaxStale*second && !v.shared {
		return GiveStale
	}
	if d.MaxAge == absent && d.MinFresh == absent && -left < p.window(v, v.whileRevalidate, p.WhileRevalidate) {
		return GiveAndRefresh
	}
	return Validate
}

// InPlace reports whether v may be given in place of an error (RFC 5861 4), at a time now.
func (p *Policy) InPlace(v *Response, a *Directives, now int64) bool {
	if v.strict || v.noCache {
		return false
	}
	window := p.window(v, v.ifError, p.IfError)
	if a.IfError != absent && !v.shared {
		window = max(window, a.IfError*second)
	}
	return now-v.born-v.lifetime < window
}

// window is how long a response may be given when it is stale: what it says itself, or
// else what the route says. s-maxage forbids it (RFC 9111 5.2.2.10), unless the response
// itself allows for it.
func (p *Policy) window(v *Response, own int64, otherwise time.Duration) int64 {
	switch {
	case own != absent:
		return own * second
	case v.shared:
		return 0
	}
	return int64(otherwise)
}

const second = int64(time.Second)
