package config

import "time"

// Hedge sends a request that is late to a second endpoint too, and takes the response
// that begins first. It is for safe methods without a body.
type Hedge struct {
	After  time.Duration
	Budget float64 // share of requests that may be hedged
}

func readHedge(p place) *Hedge {
	h := &Hedge{Budget: 0.05}
	found := readFields(p, h, []known[Hedge]{
		// When the second request is sent. Default: required
		{"after", func(h *Hedge, p place) { h.After = p.Duration(time.Millisecond, time.Second) }},
		// The share of requests that may be hedged.
		{"budget", func(h *Hedge, p place) { h.Budget = p.share() }},
	})
	if _, ok := found["after"]; !ok {
		p.Problem("such as {after: 50ms}", "a hedge needs after")
	}
	return h
}
