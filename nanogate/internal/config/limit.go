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
		{"rate", (*Rate).readRate},
		{"burst", func(r *Rate, p place) { r.Burst = p.Integer(1, 1_000_000) }},
		{"key", (*Rate).readKey},
		{"before", func(r *Rate, p place) { r.Early = p.word("guards") != "" }},
		{"redis", func(r *Rate, p place) { r.Redis = readRedis(p) }},
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
		{"header", func(r *Rate, p place) { r.Key, r.Name = RateHeader, strings.ToLower(p.token("header field")) }},
		{"cookie", func(r *Rate, p place) { r.Key, r.Name = RateCookie, p.token("cookie") }},
	})
}

// Concurrency bounds how many requests are under way at once. With an objective the
// bound is sought between Least and Most.
type Concurrency struct {
	Most      int
	Least     int
	Objective time.Duration // for the response to begin; 0: the bound is Most
	Queue     *Queue        // of requests that find no place; nil: they are refused at once
}

// Queue is where requests wait for a place.
type Queue struct {
	Size int           // requests
	Wait time.Duration // of one of them, at most
}

// readQueue reads what differs from the defaults.
func readQueue(p place, q Queue) *Queue {
	readFields(p, &q, []known[Queue]{
		{"size", func(q *Queue, p place) { q.Size = p.Integer(1, 100_000) }},
		{"wait", func(q *Queue, p place) { q.Wait = p.Duration(time.Millisecond, time.Minute) }},
	})
	return &q
}

func readConcurrency(p place) *Concurrency {
	c := &Concurrency{Most: 10_000, Least: 1}
	if !p.IsMapping() {
		c.Most = p.Integer(1, 10_000_000)
		return c
	}
	found := readFields(p, c, []known[Concurrency]{
		{"objective", func(c *Concurrency, p place) { c.Objective = p.Duration(time.Millisecond, time.Minute) }},
		{"least", func(c *Concurrency, p place) { c.Least = p.Integer(1, 1_000_000) }},
		{"most", func(c *Concurrency, p place) { c.Most = p.Integer(1, 10_000_000) }},
		{"queue", func(c *Concurrency, p place) { c.Queue = readQueue(p, Queue{Size: 1000, Wait: 100 * time.Millisecond}) }},
	})
	_, sought := found["least"]
	if _, bound := found["most"]; c.Objective == 0 && (sought || !bound) && p.IsMapping() {
		p.Problem("such as concurrency: 100, {most: 100}, or {objective: 50ms}", "a concurrency that is sought needs an objective")
	}
	if c.Least > c.Most {
		found["least"].Problem("", "expected at most %d, which is the most, got %d", c.Most, c.Least)
	}
	return c
}

// Breaker stops sending to what fails.
type Breaker struct {
	Errors float64       // share of requests that fail at which it opens
	Slow   time.Duration // a request that takes longer has failed too; 0: none
	Over   time.Duration // the time that is looked at
	Least  int           // requests in that time before it may open
	Open   time.Duration // how long nothing is sent; twice that each time it goes on, up to a minute
	Probes int           // requests that must then succeed
}

func readBreaker(p place) *Breaker {
	b := &Breaker{Errors: 0.5, Over: 10 * time.Second, Least: 20, Open: 5 * time.Second, Probes: 3}
	readFields(p, b, []known[Breaker]{
		{"errors", func(b *Breaker, p place) {
			if b.Errors = p.share(); b.Errors == 0 {
				p.Problem("such as 50%", "a breaker that opens at no errors is always open")
			}
		}},
		{"slow", func(b *Breaker, p place) { b.Slow = p.Duration(time.Millisecond, time.Hour) }},
		{"over", func(b *Breaker, p place) { b.Over = p.Duration(time.Second, 10*time.Minute) }},
		{"least", func(b *Breaker, p place) { b.Least = p.Integer(1, 1_000_000) }},
		{"open", func(b *Breaker, p place) { b.Open = p.Duration(100*time.Millisecond, time.Minute) }},
		{"probes", func(b *Breaker, p place) { b.Probes = p.Integer(1, 1000) }},
	})
	return b
}
