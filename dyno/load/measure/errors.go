package measure

// ErrorKind is a way in which a request can fail.
type ErrorKind uint8

const (
	ConnectError   ErrorKind = iota // connection refused, unreachable, timed out while connecting
	TimeoutError                    // no complete response within the time limit
	ResetError                      // connection closed or reset before the response was complete
	StatusError                     // a status that was not expected
	BodyError                       // a response that breaks HTTP, or a body that is not as promised
	ExpectError                     // a complete response, but not as the request's expectations say
	StreamError                     // HTTP/2: the server reset the request's stream (RST_STREAM)
	RefusedError                    // HTTP/2: the server refused the stream each time it was tried (REFUSED_STREAM)
	GoAwayError                     // HTTP/2: the connection ended after a GOAWAY, before the response was complete
	ProtocolError                   // HTTP/2, WebSocket: the server broke the protocol, which ended the connection and all on it
	HandshakeError                  // WebSocket, events: the server refused, with a status that is recorded
	CloseError                      // WebSocket: the server closed the connection with a status, before the response or not as a normal end
	MaskedError                     // WebSocket: the server masked a frame (RFC 6455 5.1)
	UTF8Error                       // WebSocket: text that is not UTF-8 (RFC 6455 8.1)
	OversizeError                   // WebSocket, events: a message longer than the limit
	GRPCError                       // gRPC: a status that was not expected (grpc-status)
	NumErrorKinds
)

// String returns the kind's name as used in files: the JSON name in [Errors].
func (k ErrorKind) String() string {
	return [...]string{"connect", "timeout", "reset", "status", "body", "expect", "stream", "refused", "goaway", "protocol", "handshake", "close", "masked", "utf8", "oversize", "grpc"}[k]
}

// Errors counts failed requests by kind. A request that failed is never in a latency
// histogram, except those counted under Status, Expect and GRPC, whose responses were
// complete.
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

	Handshake uint64 `json:"handshake,omitempty"`
	Close     uint64 `json:"close,omitempty"`
	Masked    uint64 `json:"masked,omitempty"`
	UTF8      uint64 `json:"utf8,omitempty"`
	Oversize  uint64 `json:"oversize,omitempty"`
	GRPC      uint64 `json:"grpc,omitempty"`
}

// of returns the counter of a kind.
func (e *Errors) of(kind ErrorKind) *uint64 {
	return [NumErrorKinds]*uint64{&e.Connect, &e.Timeout, &e.Reset, &e.Status, &e.Body, &e.Expect, &e.Stream, &e.Refused, &e.GoAway, &e.Protocol, &e.Handshake, &e.Close, &e.Masked, &e.UTF8, &e.Oversize, &e.GRPC}[kind]
}

// Count counts one error of a kind.
func (e *Errors) Count(kind ErrorKind) { *e.of(kind)++ }

// Total is the sum over all kinds.
func (e Errors) Total() uint64 {
	sum := uint64(0)
	for kind := range NumErrorKinds {
		sum += *e.of(kind)
	}
	return sum
}

// Wrong counts the requests whose response was complete, but wrong.
func (e Errors) Wrong() uint64 { return e.Status + e.Expect + e.GRPC }

// Most is the kind that happened most often; "" if none did.
func (e Errors) Most() string {
	most := ErrorCount{}
	for _, kind := range e.ByKind() {
		if kind.Count > most.Count {
			most = kind
		}
	}
	return most.Kind
}

// Add adds the counts of o to e.
func (e *Errors) Add(o Errors) {
	for kind := range NumErrorKinds {
		*e.of(kind) += *o.of(kind)
	}
}

// Sub takes o's counts, which were added before, from e.
func (e *Errors) Sub(o Errors) {
	for kind := range NumErrorKinds {
		*e.of(kind) -= *o.of(kind)
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
