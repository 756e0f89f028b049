package request

import (
	"bytes"
	"slices"
	"strconv"

	"dyno.example/nano/wire/http1"
)

// Reply is a response of the gateway itself: a refusal, a redirect, a fixed response.
// It is made when a route is built, shared by all requests, and immutable.
type Reply struct {
	Status int
	Fields []byte // lines with their CRLF, such as Retry-After; no Content-Length, Date or Connection
	Body   []byte
	Detail string // what is wrong, in words; "" if it says nothing
	Close  bool   // the connection can't carry another request
	Why    Refusal

	// Deferred decides whether this is given at all; nil: it is.
	Deferred *Deferred
	// Queue is where the request may wait for what it is refused for want of; nil: it is
	// refused at once.
	Queue Queue
}

// Refuse makes the reply of a refusal, as a problem document (RFC 9457). detail says
// what is wrong, for the client; fields are further lines, each with its CRLF.
func Refuse(status int, detail, fields string) *Reply {
	var b bytes.Buffer
	b.WriteString(`{"type":"about:blank","title":`)
	b.WriteString(strconv.Quote(http1.Reason(status)))
	b.WriteString(`,"status":` + strconv.Itoa(status))
	if detail != "" {
		b.WriteString(`,"detail":` + jsonText(detail))
	}
	b.WriteString("}\n")
	return &Reply{Status: status, Fields: []byte("Content-Type: application/problem+json\r\n" + fields), Body: b.Bytes(), Detail: detail}
}

// jsonText writes s as a JSON text. Details are of our own making: plain words.
func jsonText(s string) string {
	b := []byte{'"'}
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c == 0x7f:
			b = append(b, ' ')
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}

// Outcome is how a request ended, for logs and metrics.
type Outcome struct {
	Status    int   // of the response to the client; 0: it got none
	Upstream  bool  // the response is an upstream's, not the gateway's own
	Hedged    bool  // the request was hedged: sent to a second endpoint too
	Tries     int   // connections to upstreams that it was sent on
	Began     int64 // ns of [clock.Now]
	Forwarded int64 // when it was first sent on; 0: it wasn't
	Responded int64 // when the head of the upstream's response was in; 0: there was none
	Ended     int64
	Failed    Failure
	Refused   Refusal // why the gateway responded itself
	Instead   int     // the status of the upstream's response in whose place a stale one was sent; 0: none was
	Endpoint  string  // of the last try; "": none
	Received  int64   // bytes of content that were sent on of the request
	Sent      int64   // bytes of content of the response, or of what came through a tunnel
	Loop      int     // that it was on
	Trail     []Try   // its tries in the order they were begun, for observers; valid during the call only
}

// Clone copies it, to be kept.
func (o *Outcome) Clone() *Outcome {
	c := *o
	c.Trail = slices.Clone(o.Trail)
	return &c
}

// Try is one request to an endpoint.
type Try struct {
	Endpoint string
	Began    int64 // ns of [clock.Now]
	Ended    int64
	Status   int // 0: there was no response
	Failed   Failure
	Hedge    bool // it was a second one beside another
	Lost     bool // the response of another try came first
}

// Failure is why there was no response, or only a part of one.
type Failure uint8

const (
	OK            Failure = iota
	ClientGone            // the client closed or reset its connection
	ConnectFailed         // no connection to the upstream
	UpstreamGone          // it closed or reset the connection before its response was complete
	BadResponse           // its response isn't HTTP/1.1 or is ambiguous
	TimedOut              // it took longer than it may
	NoEndpoint            // none is available
	Untrusted             // TLS with the upstream failed: its certificate has another name, say

	Failures = iota // how many there are
)

// String is the failure's name in logs and metrics.
func (f Failure) String() string {
	return [...]string{"ok", "client-gone", "connect-failed", "upstream-gone", "bad-response", "timed-out", "no-endpoint", "untrusted"}[f]
}
