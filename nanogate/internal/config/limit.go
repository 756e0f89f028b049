package config

import (
	"strconv"
	"strings"
	"time"
)

// Rate bounds how many requests come in a time, for each key.
type Rate struct {
	Requests int
	Per      time.Duration
	Burst    int // how many may come at once
	Key      RateKey
	Name     string // of the header field, in lower case, or of the cookie
	Keys     int    // how many keys are counted; when more come those furthest from their limit are forgotten
	Redis    *Redis // where gateways sum up what they admit; nil: each counts for itself
	Early    bool   // it is asked before the guards that find out who it is
}

// RateKey is what requests are counted by.
type RateKey uint8

const (
	RateClient RateKey = iota // the client's address; of IPv6 its network of 64 bits
	RateRoute                 // all of the route's together
	RateHeader                // a field's value; requests without it by address
	RateCookie
)

var rateKeys = []string{"client-ip", "route"}

func readRates(p place) (all []Rate) {
	items := []place{p}
	if p.IsList() {
		items = p.list()
	}
	for _, item := range items {
		all = append(all, readRate(item))
	}
	return all
}

func readRate(p place) Rate {
	r := Rate{Keys: 100_000}
	if !p.IsMapping() {
		r.readRate(p)
	} else if found := readFields(p, &r, []known[Rate]{
		// Such as `10/s`, `600/m` or `5000/h`. Default: required
		{"rate", (*Rate).readRate},
		// How many may come at once. Default: the number in `rate`
		{"burst", func(r *Rate, p place) { r.Burst = p.Integer(1, 1_000_000) }},
		// What is counted: each client's address, all requests of the route, each value of a header
		// field or cookie. Default: `client-ip`
		{"key", (*Rate).readKey},
		// `guards`: before the guards that find out who it is. Default: after them
		{"before", func(r *Rate, p place) { r.Early = p.word("guards") != "" }},
		// Where gateways count together. Default: each counts for itself
		{"redis", func(r *Rate, p place) { r.Redis = readRedis(p) }},
		// Keys that are counted; when there are more, those furthest from their limit are
		// forgotten.
		{"keys", func(r *Rate, p place) { r.Keys = p.Integer(1, 10_000_000) }},
	}); found["rate"].Node == nil {
		p.Problem("such as {rate: 1000/s, key: client-ip}", "a limit needs a rate")
	}
	if r.Burst == 0 {
		r.Burst = max(1, r.Requests)
	}
	return r
}

// readRate reads 1000/s, 60/m or 5/h.
func (r *Rate) readRate(p place) {
	number, unit, _ := strings.Cut(p.text(), "/")
	n, err := strconv.Atoi(number)
	per := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[unit]
	if err != nil || n < 1 || n > 1_000_000 || per == 0 {
		p.Problem("such as 1000/s, 60/m or 5/h", "expected requests in a second, minute or hour, got %s", p.Describe())
		n, per = 1, time.Second
	}
	r.Requests, r.Per = n, per
}

func (r *Rate) readKey(p place) {
	if !p.IsMapping() {
		r.Key = RateKey(max(0, indexOf(rateKeys, p.word(rateKeys...))))
		return
	}
	readFields(p, r, []known[Rate]{
		// Each value of a header field.
		{"header", func(r *Rate, p place) { r.Key, r.Name = RateHeader, strings.ToLower(p.token("header field")) }},
		// Each value of a cookie.
		{"cookie", func(r *Rate, p place) { r.Key, r.Name = RateCookie, p.token("cookie") }},
	})
}
