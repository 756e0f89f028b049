package config

import "time"

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
		// The share of requests that fail at which it opens.
		{"errors", func(b *Breaker, p place) {
			if b.Errors = p.share(); b.Errors == 0 {
				p.Problem("such as 50%", "a breaker that opens at no errors is always open")
			}
		}},
		// A request that takes longer has failed too. Default: off
		{"slow", func(b *Breaker, p place) { b.Slow = p.Duration(time.Millisecond, time.Hour) }},
		// The time that is looked at.
		{"over", func(b *Breaker, p place) { b.Over = p.Duration(time.Second, 10*time.Minute) }},
		// Requests in that time before it may open.
		{"least", func(b *Breaker, p place) { b.Least = p.Integer(1, 1_000_000) }},
		// How long nothing is sent; twice that each time it opens again, up to a minute.
		{"open", func(b *Breaker, p place) { b.Open = p.Duration(100*time.Millisecond, time.Minute) }},
		// Requests that must then succeed.
		{"probes", func(b *Breaker, p place) { b.Probes = p.Integer(1, 1000) }},
	})
	return b
}
