package config

import "time"

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
		// Requests that may wait.
		{"size", func(q *Queue, p place) { q.Size = p.Integer(1, 100_000) }},
		// How long each may wait. Default: `100ms` of `concurrency`, `1s` of plug-ins
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
		// For a response to begin, by which the bound is sought between `least` and `most`.
		// Default: the bound is `most`
		{"objective", func(c *Concurrency, p place) { c.Objective = p.Duration(time.Millisecond, time.Minute) }},
		// The lowest bound.
		{"least", func(c *Concurrency, p place) { c.Least = p.Integer(1, 1_000_000) }},
		// The bound, or with `objective` the highest.
		{"most", func(c *Concurrency, p place) { c.Most = p.Integer(1, 10_000_000) }},
		// Requests that find no place and wait. Default: they are refused at once
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
