package config

import (
	"strconv"
	"strings"
	"time"
)

// Canary has a share of a route's requests sent to another upstream in place of the
// route's own, and takes them back when they fare worse there.
type Canary struct {
	At     At
	Text   string // all of it but its place
	To     Target
	Steps  []CanaryStep // at least one
	Header string       // in lower case; says "canary" or "stable" for one request; "": none does
	Cookie string       // in the same way; "": none does
	Sticky time.Duration
	Rules  RollBack
}

// CanaryStep is a share of the requests, for a while.
type CanaryStep struct {
	Weight float64       // of all
	For    time.Duration // 0: until the configuration changes
}

// RollBack is when a canary is given up.
type RollBack struct {
	Off        bool          // never, by itself
	Errors     float64       // how many times as often requests may fail as at the route's own upstream
	Slow       time.Duration // from when a response is slow; 0: that isn't looked at
	Slower     float64       // how many times as often responses may be slow
	Least      int           // requests of the canary, before anything is decided
	Confidence float64       // 1 less the chance that one that isn't worse is ever given up
}

// mostSteps bounds the steps of a canary: each has counters of its own.
const mostSteps = 16

func readCanary(p place) *Canary {
	c := &Canary{At: p.At(), Text: p.in.text(p.Node), Rules: RollBack{Errors: 1, Slower: 1, Least: 50, Confidence: 0.99}}
	found := readFields(p, c, []known[Canary]{
		// An upstream or a URL. Default: required
		{"to", func(c *Canary, p place) { c.To = readTarget(p, p.text()) }},
		// The share of the requests. A canary has exactly one of this and `steps`.
		{"weight", func(c *Canary, p place) { c.Steps = append(c.Steps, CanaryStep{Weight: p.share()}) }},
		// Shares one after the other.
		{"steps", (*Canary).readSteps},
		// A header field with which a request says `canary` or `stable`. Default: none
		{"header", func(c *Canary, p place) { c.Header = strings.ToLower(p.token("header field")) }},
		// A cookie that says so. Default: none
		{"cookie", func(c *Canary, p place) { c.Cookie = p.token("cookie") }},
		// How long a client stays on its side, by `cookie`. Default: each request is drawn
		{"sticky", func(c *Canary, p place) { c.Sticky = p.Duration(time.Second, 366*24*time.Hour) }},
		// When the canary is given up; `off`: never by itself. Default: `on`
		{"roll-back", func(c *Canary, p place) { c.readRollBack(p) }},
	})
	if _, ok := found["to"]; !ok {
		p.Problem("such as {to: users-next, weight: 5%}", "a canary needs to: where its requests are sent")
	}
	_, weight := found["weight"]
	_, steps := found["steps"]
	if weight == steps {
		p.Problem("such as weight: 5%", "a canary has one of weight and steps")
	}
	if at, ok := found["sticky"]; ok && c.Cookie == "" {
		at.Problem("add cookie: release", "sticky needs the cookie that it is kept in")
	}
	return c
}

func (c *Canary) readSteps(p place) {
	items := p.list()
	if len(items) > mostSteps || len(items) == 0 {
		p.Problem("", "expected 1 to %d steps, got %d", mostSteps, len(items))
		return
	}
	for i, item := range items {
		var s CanaryStep
		found := readFields(item, &s, []known[CanaryStep]{
			// The share of this step. Default: required
			{"weight", func(s *CanaryStep, p place) { s.Weight = p.share() }},
			// How long it lasts. Default: until the configuration changes
			{"for", func(s *CanaryStep, p place) { s.For = p.Duration(time.Second, 366*24*time.Hour) }},
		})
		if _, ok := found["weight"]; !ok {
			item.Problem("such as {weight: 5%, for: 10m}", "a step needs a weight")
		}
		if _, ok := found["for"]; !ok && i+1 < len(items) {
			item.Problem("such as {weight: 5%, for: 10m}", "a step that others follow needs for")
		}
		c.Steps = append(c.Steps, s)
	}
}

func (c *Canary) readRollBack(p place) {
	r := &c.Rules
	if !p.IsMapping() {
		r.Off = readOff(p)
		return
	}
	found := readFields(p, r, []known[RollBack]{
		// How many times as often requests may fail as at the route's own upstream.
		{"errors", func(r *RollBack, p place) { r.Errors = p.times() }},
		// From when a response is slow. Default: off
		{"slow", func(r *RollBack, p place) { r.Slow = p.Duration(time.Millisecond, time.Hour) }},
		// How many times as often responses may be slow.
		{"slower", func(r *RollBack, p place) { r.Slower = p.times() }},
		// Requests of the canary before anything is decided.
		{"least", func(r *RollBack, p place) { r.Least = p.Integer(0, 1_000_000_000) }},
		// 1 less the chance that a canary that isn't worse is ever given up.
		{"confidence", func(r *RollBack, p place) {
			if r.Confidence = p.share(); r.Confidence < 0.5 || r.Confidence > 0.999999 {
				p.Problem("such as 99%", "expected a confidence from 50%% to 99.9999%%")
			}
		}},
	})
	if at, ok := found["slower"]; ok && r.Slow == 0 {
		at.Problem("add slow: 300ms", "slower needs slow: from when a response is slow")
	}
}

// times reads how many times as often something may happen: 1.5, or 1.5x.
func (p place) times() float64 {
	text, _ := p.Scalar()
	x, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	if err != nil || !(x >= 1 && x <= 1000) {
		p.Problem("such as 1.5: half as often again", "expected a number of times from 1 to 1000, got %s", p.Describe())
		return 1
	}
	return x
}
