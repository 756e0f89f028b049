package transcode

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"dyno.example/nano/wire/grpc"
	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/request"
)

// Wrong is a request that doesn't fit its method.
type Wrong struct {
	Status int    // of HTTP; 0: 400
	Field  string // that it is about, such as "user.tags[2]"; "": none
	Line   int    // of the body, if its lines are messages; 0: they aren't
	Text   string
}

func (w *Wrong) Error() string {
	text := w.Text
	if w.Field != "" {
		text = w.Field + ": " + text
	}
	if w.Line > 0 {
		text = "line " + strconv.Itoa(w.Line) + ": " + text
	}
	return text
}

// Reply is the response that a client gets.
func (w *Wrong) Reply() *request.Reply {
	status := w.Status
	if status == 0 {
		status = 400
	}
	return problem{Status: status, Title: http1.Reason(status), Detail: w.Error(), Field: w.Field}.reply()
}

// ReplyTo is the reply to the client for an error of [Call.Request].
func ReplyTo(err error) *request.Reply {
	if w := (*Wrong)(nil); errors.As(err, &w) {
		return w.Reply()
	}
	return (&Wrong{Text: err.Error()}).Reply()
}

// problem is a problem document (RFC 9457), with members of its own.
type problem struct {
	Type    string            `json:"type"`
	Title   string            `json:"title"`
	Status  int               `json:"status"`
	Detail  string            `json:"detail,omitempty"`
	Field   string            `json:"field,omitempty"`
	Code    string            `json:"code,omitempty"`    // the status of gRPC
	Details []json.RawMessage `json:"details,omitempty"` // that came with it

	after time.Duration // in which the client may try again; 0: it isn't said
}

func (p problem) append(dst []byte) []byte {
	p.Type = "about:blank"
	b, err := json.Marshal(p)
	if err != nil { // a detail is no JSON
		p.Details = nil
		b, _ = json.Marshal(p)
	}
	return append(dst, b...)
}

func (p problem) reply() *request.Reply {
	fields := []byte("Content-Type: application/problem+json\r\n")
	if p.after > 0 { // in whole seconds (RFC 9110 10.2.3)
		fields = append(fields, "Retry-After: "...)
		fields = append(strconv.AppendInt(fields, int64((p.after+time.Second-1)/time.Second), 10), "\r\n"...)
	}
	return &request.Reply{
		Status: p.Status, Fields: fields,
		Body: append(p.append(nil), '\n'), Detail: p.Detail,
	}
}

// Status is how a call has ended.
type Status struct {
	Code    grpc.Code
	Message string
	Details []byte // google.rpc.Status as it came; nil: none came
}

// StatusOf reads it from lines of fields. ok is false if it isn't there.
func StatusOf(lines []byte) (s Status, ok bool) {
	for len(lines) > 0 {
		var line []byte
		line, lines, _ = bytes.Cut(lines, []byte("\r\n"))
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case http1.EqualFold(name, grpc.FieldStatus):
			if s.Code, ok = grpc.ParseCode(value); !ok {
				return s, false
			}
		case http1.EqualFold(name, grpc.FieldMessage):
			s.Message = grpc.ParseMessage(value)
		case http1.EqualFold(name, grpc.FieldDetails):
			s.Details, _ = grpc.ParseBinary(value)
		}
	}
	return s, ok
}

// problemOf makes a problem document of a status.
func (a *API) problemOf(s *Status) problem {
	status := grpc.HTTPOfCode(s.Code)
	p := problem{Status: status, Title: http1.Reason(status), Detail: s.Message, Code: s.Code.String()}
	var whole statuspb.Status
	if len(s.Details) == 0 || proto.Unmarshal(s.Details, &whole) != nil {
		return p
	}
	for _, detail := range whole.GetDetails() {
		p.take(detail)
		b, err := protojson.MarshalOptions{Resolver: a.types, UseProtoNames: a.Rules.PreserveNames}.Marshal(detail)
		if err != nil { // what it is isn't known: it is given as it came
			b, _ = json.Marshal(struct {
				Type  string `json:"@type"`
				Value []byte `json:"value"`
			}{detail.GetTypeUrl(), detail.GetValue()})
		}
		p.Details = append(p.Details, b)
	}
	return p
}

// take has the document say in its own members what a detail says: which field is wrong
// first, and when to try again (google/rpc/error_details.proto).
func (p *problem) take(detail *anypb.Any) {
	var bad errdetails.BadRequest
	var retry errdetails.RetryInfo
	switch {
	case detail.MessageIs(&bad) && detail.UnmarshalTo(&bad) == nil:
		if wrong := bad.GetFieldViolations(); len(wrong) > 0 && p.Field == "" {
			p.Field = wrong[0].GetField()
		}
	case detail.MessageIs(&retry) && detail.UnmarshalTo(&retry) == nil:
		p.after = min(max(retry.GetRetryDelay().AsDuration(), 0), mostAfter)
	}
}

// mostAfter is the longest Retry-After that is sent.
const mostAfter = 24 * time.Hour

// Refusal is the reply to the client for a call that has failed before any of its
// response was sent.
func (c *Call) Refusal(s *Status) *request.Reply { return c.api.problemOf(s).reply() }

// Ending is a failure at the end of a stream: its last line, {"error": …}, or an event
// of that name.
func (c *Call) Ending(s *Status) []byte {
	p := c.api.problemOf(s)
	if c.Form == SSE {
		return append(p.append([]byte("event: error\ndata: ")), "\n\n"...)
	}
	return append(p.append([]byte(`{"error":`)), "}\n"...)
}
