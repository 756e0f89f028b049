package config

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"dyno.example/nano/wire/grpc"
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
	// Tries, the first included.
	{"attempts", func(r *Retry, p place) { r.Attempts = p.Integer(1, 10) }},
	// For the response of one try to begin. Default: none
	{"timeout", func(r *Retry, p place) { r.Timeout = p.duration(tryTime) }},
	// The share of requests that may be retried, over the last seconds.
	{"budget", func(r *Retry, p place) { r.Budget = p.share() }},
	// Statuses of calls over gRPC whose response is nothing else, such as `unavailable`. Default:
	// none
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
	// `connect`, which the budget doesn't count, and for methods that are idempotent `reset`,
	// `timeout` and statuses from 500 on. Default: `[connect, reset]`
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
