// Package expect checks responses against what was expected of them.
//
// An expectation is one line, such as
//
//	status 200 201 4xx
//	grpc OK NOT_FOUND
//	header content-type contains json
//	body contains hello
//	body size < 1000
//	json $.items[0].name == "Ann"
//
// [Parse] compiles lines, [Expect.Judge] holds a response to them. The package
// is pure: no clock, no files, no sockets.
package expect

import (
	"errors"
	"fmt"
	"strings"
)

// Needs says how much of a response is looked at.
type Needs uint8

// From little to much; each includes the ones before it.
const (
	Status Needs = iota
	Head
	Body
)

// Expect is what is expected of the responses to one request. It is read-only once
// parsed and may be shared.
type Expect struct {
	statuses Statuses
	codes    Codes
	checks   []check
	needs    Needs
	json     bool // some check reads the body as JSON

	saysStatus bool
}

// check is one expectation other than the status.
type check struct {
	text  string // as written
	needs Needs
	json  bool
	holds judgement
}

// judgement reports whether a response is as expected, and if not, what was
// there instead.
type judgement func(a response) (got string, ok bool)

// response is what checks read. It is passed by value, which keeps it off the heap.
type response struct {
	head, body []byte
	doc        document
}

// Parse compiles expectations, one per line. Without a status line, any status
// from 200 to 399 is expected. What is said of the status in several lines adds
// up; all other lines must hold.
func Parse(lines []string) (*Expect, error) {
	e := &Expect{}
	for _, line := range lines {
		if err := e.add(line); err != nil {
			return nil, fmt.Errorf("expectation %q: %w", line, err)
		}
	}
	if e.statuses.empty() {
		e.statuses = Successful()
	}
	return e, nil
}

// kinds are the words an expectation starts with.
var kinds = []string{"status", "grpc", "header", "body", "json"}

func (e *Expect) add(line string) error {
	kind, rest := word(line)
	switch kind {
	case "status":
		e.saysStatus = true
		return e.statuses.parse(rest)
	case "grpc":
		return e.codes.parse(rest)
	}
	var c check
	var err error
	switch kind {
	case "header":
		c, err = parseHeader(rest)
	case "body":
		c, err = parseBody(rest)
	case "json":
		c, err = parseJSON(rest)
	case "":
		err = errors.New("is empty")
	default:
		err = fmt.Errorf("starts with %q; expected one of %s", kind, strings.Join(kinds, ", "))
	}
	if err != nil {
		return err
	}
	c.text = strings.TrimSpace(line)
	e.checks = append(e.checks, c)
	e.needs = max(e.needs, c.needs)
	e.json = e.json || c.json
	return nil
}

// Needs returns how much of a response [Expect.Judge] reads.
func (e *Expect) Needs() Needs { return e.needs }

// Statuses returns the expected statuses.
func (e *Expect) Statuses() Statuses { return e.statuses }

// Judge returns "" if a response is as expected, and otherwise the first
// expectation that failed and what was there instead. head is the response's head
// as it came, from the status line to the empty line; body is the body without
// its transfer coding. Neither is kept. Judge allocates only if an expectation
// failed, or to read JSON.
func (e *Expect) Judge(status int, head, body []byte) (failed string) {
	if !e.statuses.Has(status) {
		return fmt.Sprintf("status %s: got %d", e.statuses, status)
	}
	a := response{head: head, body: body}
	if e.json {
		a.doc = readDocument(body)
	}
	for i := range e.checks {
		if got, ok := e.checks[i].holds(a); !ok {
			return e.checks[i].text + ": got " + got
		}
	}
	return ""
}
