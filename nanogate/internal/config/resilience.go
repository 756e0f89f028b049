package config

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno.example/nano/wire/grpc"
	"dyno.example/nano/wire/http1"
)

// Retry is when a request is sent again. It never is when something of its response
// has been sent on, when its body has been sent on, or when its method isn't
// idempotent and an upstream may have seen it.
type Retry struct {
	Attempts int           // tries at most, the first included; 1: none
	On       []string      // connect, reset, timeout
	Statuses []int         // of responses
	Codes    []grpc.Code   // of calls over gRPC whose response is nothing else
	Timeout  time.Duration // for one try's response to begin; 0: none of its own
	Budget   float64       // share of requests that may be retried, over the last seconds
}

// newRetry retries what never reached an endpoint, and what one may have seen before it
// closed the connection, if that may be asked twice.
func newRetry() Retry { return Retry{Attempts: 2, On: []string{"connect", "reset"}, Budget: 0.2} }

// tryTime is how long one try may take.
var tryTime = span{time.Millisecond, time.Hour}

var retryFields = []known[Retry]{
	{"attempts", func(r *Retry, p place) { r.Attempts = p.Integer(1, 10) }},
	{"timeout", func(r *Retry, p place) { r.Timeout = p.duration(tryTime) }},
	{"budget", func(r *Retry, p place) { r.Budget = p.share() }},
	{"grpc", func(r *Retry, p place) {
		for _, item := range p.list() {
			name := item.text()
			code, ok := grpc.NamedCode(strings.ToUpper(strings.ReplaceAll(name, "-", "_")))
			if !ok || code == grpc.OK {
				item.Problem("such as unavailable", "expected a status of gRPC, got %s", form.Quote(name))
				continue
			}
			r.Codes = append(r.Codes, code)
		}
	}},
	{"on", func(r *Retry, p place) {
		r.On = nil
		for _, item := range p.list() {
			text := item.text()
			if n, err := strconv.Atoi(text); err == nil && n >= 500 && n <= 599 {
				r.Statuses = append(r.Statuses, n)
				continue
			}
			if text != "" && !slices.Contains([]string{"connect", "reset", "timeout"}, text) {
				item.Problem("", "expected connect, reset, timeout or a status from 500 to 599, got %s", form.Quote(text))
			}
			r.On = append(r.On, text)
		}
	}},
}

// Hedge sends a request that is late to a second endpoint too, and takes the response
// that begins first. It is for safe methods without a body.
type Hedge struct {
	After  time.Duration
	Budget float64 // share of requests that may be hedged
}

func readHedge(p place) *Hedge {
	h := &Hedge{Budget: 0.05}
	found := readFields(p, h, []known[Hedge]{
		{"after", func(h *Hedge, p place) { h.After = p.Duration(time.Millisecond, time.Second) }},
		{"budget", func(h *Hedge, p place) { h.Budget = p.share() }},
	})
	if _, ok := found["after"]; !ok {
		p.Problem("such as {after: 50ms}", "a hedge needs after")
	}
	return h
}

// Fault makes a share of requests fail or wait, for tests.
type Fault struct {
	Abort      int // status; 0: none
	AbortShare float64
	Delay      time.Duration
	DelayShare float64
}

const leastFault = 400 // status

// check says what is wrong with the responses that are made up.
func (f *Fault) check(report report) {
	if f.Abort != 0 {
		hint, message := between(leastFault, mostStatus, f.Abort)
		report.value(hint, message, "abort", "status")
		hint, message = checkShare(f.AbortShare)
		report.value(hint, message, "abort", "share")
	}
}

func readFault(p place) *Fault {
	f := &Fault{}
	readFields(p, f, []known[Fault]{
		{"abort", func(f *Fault, p place) {
			f.AbortShare = 1
			readFields(p, f, []known[Fault]{
				{"status", func(f *Fault, p place) { f.Abort = p.status(leastFault, mostStatus) }},
				{"share", func(f *Fault, p place) { f.AbortShare = p.share() }},
			})
			if f.Abort == 0 {
				p.Problem("such as {status: 503, share: 1%}", "an abort needs a status")
			}
		}},
		{"delay", func(f *Fault, p place) {
			f.DelayShare = 1
			readFields(p, f, []known[Fault]{
				{"for", func(f *Fault, p place) { f.Delay = p.Duration(time.Millisecond, time.Minute) }},
				{"share", func(f *Fault, p place) { f.DelayShare = p.share() }},
			})
			if f.Delay == 0 {
				p.Problem("such as {for: 100ms, share: 5%}", "a delay needs for")
			}
		}},
	})
	return f
}

// Sticky keeps a client with the endpoint that it was given first, by a cookie.
type Sticky struct {
	Cookie string
	For    time.Duration // 0: as long as the browser is open
	Key    string        // file of what its values are encrypted with; "": what the gateway draws
}

func readSticky(p place) *Sticky {
	s := &Sticky{}
	found := readFields(p, s, []known[Sticky]{
		{"cookie", func(s *Sticky, p place) { s.Cookie = p.token("cookie") }},
		{"for", func(s *Sticky, p place) { s.For = p.Duration(time.Second, 366*24*time.Hour) }},
		{"key", func(s *Sticky, p place) { s.Key = p.path() }},
	})
	if _, ok := found["cookie"]; !ok || !http1.ValidToken(s.Cookie) {
		p.Problem("such as {cookie: instance}", "sticky needs the name of its cookie")
	}
	return s
}

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
		{"header", header},
		{"unit", func(d *Deadline, p place) { d.Unit = TimeUnit(max(0, indexOf(timeUnits, p.word(timeUnits...)))) }},
	}); found["header"].Node == nil {
		p.Problem("such as deadline: x-request-timeout, or {header: x-request-timeout, unit: ms}", "a deadline needs a header")
	}
	if d.Header == "grpc-timeout" {
		d.Unit = GRPC
	}
	return d
}
