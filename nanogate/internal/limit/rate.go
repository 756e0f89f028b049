package limit

import (
	"encoding/binary"
	"hash/maphash"
	"net/netip"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
)

// Rate admits so many requests in a time, for each key.
type Rate struct {
	rules   config.Rate
	buckets *buckets
	seed    maphash.Seed
	common  bool // keys are the same in all gateways
	late    refusals
}

// NewRate makes the limit.
func NewRate(rules config.Rate) *Rate {
	return &Rate{
		rules: rules, seed: maphash.MakeSeed(), late: newRefusals("rate limit exceeded", request.RefusedRate),
		buckets: newBuckets(max(1, int64(rules.Per)/int64(rules.Requests)), rules.Burst, rules.Keys),
	}
}

// Check takes a token, or says when there will be one.
func (l *Rate) Check(r *request.Request) *request.Reply {
	wait := l.buckets.take(l.key(r), r.Now)
	if wait == 0 {
		return nil
	}
	return l.late.in(wait)
}

// Done does nothing: a request that was admitted has taken its token.
func (l *Rate) Done(*request.Outcome) {}

// key returns what the request is counted by.
func (l *Rate) key(r *request.Request) key {
	switch l.rules.Key {
	case config.RateRoute:
		return key{}
	case config.RateHeader:
		if value, ok := r.UpstreamHeader(l.rules.Name); ok {
			return l.sum(value)
		}
	case config.RateCookie:
		if value, ok := r.Cookie(l.rules.Name); ok {
			return l.sum(value)
		}
	}
	return addressKey(r.Client)
}

// addressKey is the key of a client's address: all addresses of an IPv6 network of 64 bits
// are one client's.
func addressKey(client netip.Addr) key {
	b := client.As16()
	k := key{binary.BigEndian.Uint64(b[:8])}
	if client.Is4() || client.Is4In6() {
		k[1] = binary.BigEndian.Uint64(b[8:])
	}
	return k
}

// sum is a seeded hash of a text, so that collisions can't be constructed.
func (l *Rate) sum(value []byte) key {
	if l.common {
		return commonSum(value)
	}
	return seeded(l.seed, value)
}
