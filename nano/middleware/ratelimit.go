package middleware

import (
	"fmt"
	"hash/maphash"
	"math"
	"net/netip"
	"strconv"
	"time"

	"dyno.example/nano"
)

// RateLimitConfig is how [RateLimit] works.
type RateLimitConfig struct {
	// Rate is how many requests a client may make per Per. It is needed.
	Rate int
	// Per is the time Rate is for; default a second.
	Per time.Duration
	// Burst is how many requests may come at once; default Rate.
	Burst int
	// By returns what identifies a client, such as an API key; it is not kept. The
	// default, also for requests where it is empty, is the address: all of it for IPv4,
	// its first 64 bits for IPv6, as one customer has the rest.
	By func(c nano.Ctx) nano.View
	// Clients is how many clients are remembered; default 100,000, at 40 to 80
	// bytes each. When there are more, those furthest from their limit are
	// forgotten first.
	Clients int
	// Name is that of the policy in RateLimit fields; default "default".
	Name string
	// Quiet leaves the RateLimit fields out; Retry-After is sent all the same.
	Quiet bool
}

// RateLimit refuses requests of clients that make too many with 429. Clients are
// limited by the generic cell rate algorithm (ITU-T I.371): requests have to be
// Per/Rate apart on average, but Burst of them may come early. The routes and
// groups that a limiter is put around share it.
//
// Responses have the limit and what is left of it in the fields RateLimit-Policy and
// RateLimit (draft-ietf-httpapi-ratelimit-headers-10), refusals the time to wait in
// Retry-After, in seconds.
func RateLimit(config RateLimitConfig) nano.Middleware {
	l := newLimiter(config)
	return func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error {
			v := l.cells.take(l.keyOf(c), l.now())
			if !l.Quiet {
				c.SetHeader("RateLimit-Policy", l.policy)
				c.SetHeader("RateLimit", l.left(v))
			}
			if v.wait > 0 {
				c.SetHeader("Retry-After", strconv.FormatInt(seconds(v.wait), 10))
				return nano.NewProblem(429, "too many requests; see Retry-After")
			}
			return next(c)
		}
	}
}

// ByHeader identifies clients by a header field, such as an API key. Put the limit
// inside the middleware that checks the key, or a client can evade it with a new key
// for every request.
func ByHeader(name string) func(nano.Ctx) nano.View {
	return func(c nano.Ctx) nano.View { return c.Header(name) }
}

type limiter struct {
	RateLimitConfig
	cells  cells
	seed   maphash.Seed
	policy string
	now    func() int64 // ns
}

func newLimiter(config RateLimitConfig) *limiter {
	l := &limiter{RateLimitConfig: config, seed: maphash.MakeSeed()}
	if l.Per == 0 {
		l.Per = time.Second
	}
	if l.Burst == 0 {
		l.Burst = l.Rate
	}
	if l.Clients == 0 {
		l.Clients = 100_000
	}
	if l.Name == "" {
		l.Name = "default"
	}
	if l.Rate <= 0 || l.Per < time.Duration(l.Rate) || l.Burst < 0 || l.Clients < 0 {
		panic(fmt.Sprintf("middleware: RateLimitConfig of %d per %v, burst %d, %d clients: all must be positive, and at most one request a nanosecond", l.Rate, l.Per, l.Burst, l.Clients))
	}
	if int64(l.Burst) > math.MaxInt64/2/(int64(l.Per)/int64(l.Rate)) {
		panic(fmt.Sprintf("middleware: RateLimitConfig: a burst of %d at %d per %v would last for centuries", l.Burst, l.Rate, l.Per))
	}
	l.cells.init(int64(l.Per)/int64(l.Rate), int64(l.Burst), l.Clients)
	// The time in which the burst is there again is the window of the policy.
	l.policy = strconv.Quote(l.Name) + ";q=" + strconv.Itoa(l.Burst) + ";w=" + strconv.FormatInt(seconds(l.cells.tolerance), 10)
	start := time.Now()
	l.now = func() int64 { return int64(time.Since(start)) }
	return l
}

func (l *limiter) keyOf(c nano.Ctx) uint64 {
	if l.By != nil {
		if key := l.By(c); len(key) > 0 {
			return maphash.Bytes(l.seed, key)
		}
	}
	return addressKey(l.seed, c.RemoteAddr().Addr())
}

func addressKey(seed maphash.Seed, a netip.Addr) uint64 {
	b := a.As16()
	if a.Unmap().Is4() {
		return maphash.Bytes(seed, b[12:])
	}
	return maphash.Bytes(seed, b[:8])
}

// left returns the RateLimit field.
func (l *limiter) left(v verdict) string {
	b := make([]byte, 0, 48)
	b = strconv.AppendQuote(b, l.Name)
	b = append(b, ";r="...)
	b = strconv.AppendInt(b, v.left, 10)
	b = append(b, ";t="...)
	return string(strconv.AppendInt(b, seconds(v.full), 10))
}

// seconds rounds up.
func seconds(ns int64) int64 { return (ns + int64(time.Second) - 1) / int64(time.Second) }
