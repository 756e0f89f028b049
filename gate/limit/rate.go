package limit

import (
	"encoding/binary"
	"hash/maphash"
	"strconv"
	"time"

	"dyno/gate/config"
	"dyno/gate/request"
)

// Rate admits so many requests in a time, for each key.
type Rate struct {
	rules   config.Rate
	buckets *buckets
	seed    maphash.Seed
	common  bool                   // keys are the same in all gateways
	late    [waits]*request.Answer // by how long to wait
}

// waits is how many answers there are: for 1 to 60 seconds, then for 1 to 60 minutes.
const waits = 120

// NewRate makes the limit.
func NewRate(rules config.Rate) *Rate {
	l := &Rate{rules: rules, seed: maphash.MakeSeed(), buckets: newBuckets(max(1, int64(rules.Per)/int64(rules.Requests)), rules.Burst, rules.Keys)}
	for i := range l.late {
		seconds := i + 1
		if i >= 60 {
			seconds = (i - 59) * 60
		}
		l.late[i] = request.Refuse(429, "more requests than are taken in this time", "Retry-After: "+strconv.Itoa(seconds)+"\r\n")
	}
	return l
}

// Admit takes a token, or says when there will be one.
func (l *Rate) Admit(r *request.Request) *request.Answer {
	wait := l.buckets.take(l.key(r), r.Now)
	if wait == 0 {
		return nil
	}
	return l.refusal(wait)
}

// refusal is the answer to who has to wait so long, in ns.
func (l *Rate) refusal(wait int64) *request.Answer {
	seconds := int((wait + int64(time.Second) - 1) / int64(time.Second))
	if seconds <= 60 {
		return l.late[seconds-1]
	}
	return l.late[min(waits-1, 59+(seconds+59)/60)]
}

// Done does nothing: a request that was admitted has taken its token.
func (l *Rate) Done(*request.Outcome) {}

// key returns what the request is counted by.
func (l *Rate) key(r *request.Request) key {
	switch l.rules.Key {
	case config.RateRoute:
		return key{}
	case config.RateHeader:
		if value, ok := r.Sent(l.rules.Name); ok {
			return l.sum(value)
		}
	case config.RateCookie:
		if value, ok := r.Cookie(l.rules.Name); ok {
			return l.sum(value)
		}
	}
	// Who has an IPv6 network of 64 bits has all its addresses.
	b := r.Client.As16()
	k := key{binary.BigEndian.Uint64(b[:8])}
	if r.Client.Is4() || r.Client.Is4In6() {
		k[1] = binary.BigEndian.Uint64(b[8:])
	}
	return k
}

// sum is a sum of a text that nobody outside can make two texts have in common.
func (l *Rate) sum(value []byte) key {
	if l.common {
		return commonSum(value)
	}
	var h maphash.Hash
	h.SetSeed(l.seed)
	h.Write(value)
	k := key{h.Sum64()}
	h.WriteByte(0)
	k[1] = h.Sum64() | 1 // no address has it
	return k
}
