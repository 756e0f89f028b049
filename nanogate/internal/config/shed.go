package config

import (
	"strings"
	"time"
)

// Importance is which of a route's requests give way to others when not all can be
// served.
type Importance struct {
	Otherwise int    // of requests without the field: index in [importanceNames]
	Header    string // a field, in lower case, that says it; "": none
	Most      int    // that the field may claim
}

// importanceNames are in the order of request.Importance.
var importanceNames = []string{"low", "normal", "high", "critical"}

const normal, high = 1, 2

func readImportance(p place) Importance {
	i := Importance{Otherwise: normal, Most: high}
	word := func(p place) int { return max(0, indexOf(importanceNames, p.word(importanceNames...))) }
	if !p.IsMapping() {
		i.Otherwise = word(p)
		return i
	}
	found := readFields(p, &i, []known[Importance]{
		// A header field that says it. Default: none
		{"header", func(i *Importance, p place) { i.Header = strings.ToLower(p.token("header field")) }},
		// The highest that the field may claim. Default: `high`
		{"most", func(i *Importance, p place) { i.Most = word(p) }},
		// Of requests without the field. Default: `normal`
		{"otherwise", func(i *Importance, p place) { i.Otherwise = word(p) }},
	})
	if _, ok := found["header"]; !ok {
		p.Problem("such as importance: low, or {header: x-importance, most: high}", "an importance that requests say themselves needs a header")
	}
	return i
}

// Shed refuses the least important requests when responses take longer than they should.
type Shed struct {
	Objective   time.Duration // for a response to begin
	Least, Most int           // requests under way between which the bound is sought
}

func readShed(p place) *Shed {
	s := &Shed{Least: 4, Most: 10_000}
	found := readFields(p, s, []known[Shed]{
		// For a response to begin. Default: required
		{"objective", func(s *Shed, p place) { s.Objective = p.Duration(time.Millisecond, time.Minute) }},
		// Requests under way that are always admitted.
		{"least", func(s *Shed, p place) { s.Least = p.Integer(1, 1_000_000) }},
		// Requests under way that are ever admitted.
		{"most", func(s *Shed, p place) { s.Most = p.Integer(1, 10_000_000) }},
	})
	if _, ok := found["objective"]; !ok {
		p.Problem("such as shed: {objective: 100ms}", "shed needs an objective")
	}
	if s.Least > s.Most {
		p.Problem("", "least is %d and more than most, which is %d", s.Least, s.Most)
	}
	return s
}

// Overload is when the gateway itself has too much to do.
type Overload struct {
	Lag    time.Duration // that a request may wait in the gateway before it is looked at; 0: any
	Memory int64         // bytes of the heap; 0: any number
}

var overloadFields = []known[Overload]{
	// How long a request may wait in the gateway before it is looked at. Default: any time
	{"lag", func(o *Overload, p place) { o.Lag = p.Duration(time.Millisecond, 10*time.Second) }},
	// How large the heap may be. Default: any size
	{"memory", func(o *Overload, p place) { o.Memory = p.size(16<<20, 1<<50) }},
}
