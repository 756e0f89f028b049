package measure

// ErrorKind is a way in which a request can fail.
type ErrorKind uint8

const (
	ConnectError  ErrorKind = iota // connection refused, unreachable, timed out while connecting
	TimeoutError                   // no complete response within the time limit
	ResetError                     // connection closed or reset before the response was complete
	StatusError                    // a status that was not expected
	BodyError                      // a response that breaks HTTP, or a body that is not as promised
	ExpectError                    // a complete response, but not as the request's expectations say
	StreamError                    // HTTP/2: the server reset the request's stream (RST_STREAM)
	RefusedError                   // HTTP/2: the server refused the stream each time it was tried (REFUSED_STREAM)
	GoAwayError                    // HTTP/2: the connection ended after a GOAWAY, before the response was complete
	ProtocolError                  // HTTP/2: the server broke the protocol, which ended the connection and all requests on it
	NumErrorKinds
)

// String returns the kind's name as used in files: the JSON name in [Errors].
func (k ErrorKind) String() string {
	return [...]string{"connect", "timeout", "reset", "status", "body", "expect", "stream", "refused", "goaway", "protocol"}[k]
}

// Errors counts failed requests by kind. A request that failed is never in a
// latency histogram, except those counted under Status and Expect, which were
// answered in full.
type Errors struct {
	Connect uint64 `json:"connect"` // see ConnectError and so on
	Timeout uint64 `json:"timeout"`
	Reset   uint64 `json:"reset"`
	Status  uint64 `json:"status"`
	Body    uint64 `json:"body"`
	Expect  uint64 `json:"expect"`

	Stream   uint64 `json:"stream,omitempty"`
	Refused  uint64 `json:"refused,omitempty"`
	GoAway   uint64 `json:"goaway,omitempty"`
	Protocol uint64 `json:"protocol,omitempty"`
}

// of returns the counter of a kind.
func (e *Errors) of(kind ErrorKind) *uint64 {
	return [NumErrorKinds]*uint64{&e.Connect, &e.Timeout, &e.Reset, &e.Status, &e.Body, &e.Expect, &e.Stream, &e.Refused, &e.GoAway, &e.Protocol}[kind]
}

// Count counts one error of a kind.
func (e *Errors) Count(kind ErrorKind) { *e.of(kind)++ }

// Total is the sum over all kinds.
func (e Errors) Total() uint64 {
	return e.Connect + e.Timeout + e.Reset + e.Status + e.Body + e.Expect + e.Stream + e.Refused + e.GoAway + e.Protocol
}

// Wrong counts the requests that were answered in full, but wrongly.
func (e Errors) Wrong() uint64 { return e.Status + e.Expect }

// Add adds the counts of o to e.
func (e *Errors) Add(o Errors) {
	for kind := range NumErrorKinds {
		*e.of(kind) += *o.of(kind)
	}
}

// ErrorCount is how many requests failed in one way.
type ErrorCount struct {
	Kind  string // as in files: "connect", "timeout", …
	Count uint64
}

// ByKind returns the counts of all kinds, also those that are zero.
func (e Errors) ByKind() []ErrorCount {
	var list []ErrorCount
	for kind := range NumErrorKinds {
		list = append(list, ErrorCount{kind.String(), *e.of(kind)})
	}
	return list
}
