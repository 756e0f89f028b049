package study

import (
	"slices"
	"strconv"
	"strings"

	"dyno.example/dyno/load/request"
)

// maxBody bounds the bodies that the factor size makes, in bytes. Generator and
// subject hold one for each connection.
const maxBody = 16 << 20

// sizeLevel reads a length in bytes, with a unit or without.
func sizeLevel(at scope, _ *Study) string {
	text, _ := at.Scalar()
	if n, ok := parseSize(text); ok && n <= maxBody {
		return strconv.FormatInt(n, 10)
	}
	return strconv.Itoa(at.Integer(0, maxBody))
}

func sizeEnd(at scope) float64 { return float64(at.Integer(0, maxBody)) }

// checkSizes refuses a study none of whose requests has a body.
func checkSizes(e entry, _ string, s *Study) {
	if !slices.ContainsFunc(s.Requests, hasBody) {
		e.name.Problem("requests: [{post: /, body: x}]", "none of the requests has a body whose size could be varied")
	}
}

// hasBody reports whether the factor size says how long a request's body is.
func hasBody(r request.Request) bool {
	return r.GRPC == nil && (r.Body != "" || slices.Contains([]string{"POST", "PUT", "PATCH"}, r.Method))
}

// SizedRequests are the requests of the cell with bodies of the size in its levels:
// letters and digits in a fixed order that no template is read from. Without such a
// level they are the cell's own.
func (c *Cell) SizedRequests() []request.Request {
	if c.BodySize == nil {
		return c.Requests
	}
	asked := slices.Clone(c.Requests)
	for i := range asked {
		if hasBody(asked[i]) {
			asked[i].Body = filler(*c.BodySize)
		}
	}
	return asked
}

// filler is a text of n bytes.
func filler(n int) string {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-+"
	return strings.Repeat(letters, n/len(letters)+1)[:n]
}

// Levels of the factor tls.
const (
	tlsOff     = "off"
	TLSFull    = "full"    // a full handshake on each connection
	TLSResumed = "resumed" // a session resumed on each connection but the first
)

func tlsLevel(at scope, _ *Study) string { return at.oneOf(tlsOff, TLSFull, TLSResumed) }

// checkTLS refuses subjects that can't be had both with TLS and without.
func checkTLS(e entry, _ string, s *Study) {
	for _, subject := range s.Subjects {
		https := strings.HasPrefix(subject.URL, "https:")
		switch {
		case https && writes(e, tlsOff):
			e.name.Problem("", "%s is up with TLS and can't be had without", form.Quote(subject.Name))
		case subject.URL != "" && !https && (writes(e, TLSFull) || writes(e, TLSResumed)):
			e.name.Problem("give its https:// address", "%s is up without TLS", form.Quote(subject.Name))
		case subject.Run != "" && !subject.TLS:
			e.name.Problem("add: tls: true, if it listens with TLS where DYNO_TLS_CERT and DYNO_TLS_KEY name files", "dyno does not know that %s speaks TLS", form.Quote(subject.Name))
		case strings.HasPrefix(subject.Metrics, "/"):
			e.name.Problem("give the metrics an http:// address of their own", "the metrics of %s are on the port that speaks TLS", form.Quote(subject.Name))
		}
	}
}

// writes reports whether a factor's levels, as written, hold one.
func writes(e entry, level string) bool {
	n := e.value.Resolved()
	for _, item := range n.Content {
		if item.Value == level {
			return true
		}
	}
	return false
}

// checkHandshakes refuses levels of TLS between which only handshakes differ
// that happen before anything is measured.
func checkHandshakes(e entry, s *Study, factors []Factor) {
	if !writes(e, TLSFull) || !writes(e, TLSResumed) {
		return
	}
	if slices.ContainsFunc(factors, func(f Factor) bool { return f.Name == "reuse" }) {
		return
	}
	for _, l := range s.Loads {
		if l.Link.Reuse != request.NoReuse && l.Link.PerConnection == 0 && l.Link.MaxAge == 0 {
			e.name.Problem("add to the load: reuse: none", "the load %s keeps its connections, so that %s and %s change nothing that is measured", form.Quote(l.Name), TLSFull, TLSResumed)
		}
	}
}
