package config

import "strings"

// Deadline is the field that says how much time there is left for a request: a client's
// shortens the route's, and what is left of it is told to the upstream with each try.
type Deadline struct {
	Header string // in lower case
	Unit   TimeUnit
}

// TimeUnit is how a time is written in a field.
type TimeUnit uint8

const (
	Milliseconds TimeUnit = iota // 150
	Seconds                      // 0.15
	GRPC                         // 150m, as gRPC over HTTP/2 has it
)

var timeUnits = []string{"ms", "s", "grpc"}

func readDeadline(p place) *Deadline {
	d := &Deadline{}
	header := func(d *Deadline, p place) { d.Header = strings.ToLower(readFieldName(p, p.token("header field"))) }
	if !p.IsMapping() {
		header(d, p)
	} else if found := readFields(p, d, []known[Deadline]{
		// Name of the field. Default: required
		{"header", header},
		// Milliseconds (150), seconds (0.15) or gRPC's form (150m), which `grpc-timeout` always
		// has. Default: `ms`
		{"unit", func(d *Deadline, p place) { d.Unit = TimeUnit(max(0, indexOf(timeUnits, p.word(timeUnits...)))) }},
	}); found["header"].Node == nil {
		p.Problem("such as deadline: x-request-timeout, or {header: x-request-timeout, unit: ms}", "a deadline needs a header")
	}
	if d.Header == "grpc-timeout" {
		d.Unit = GRPC
	}
	return d
}
