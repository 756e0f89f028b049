package request

import (
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	"dyno.example/dyno/load/protomsg"
	"dyno.example/dyno/load/template"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/grpc"
)

// Unit is what counts as one request of a call with messages in both directions.
type Unit string

const (
	// UnitMessage makes a request of each message with its response; the stream stays
	// open between them as a connection does. The default of bidirectional methods.
	UnitMessage Unit = "message"
	// UnitCall makes one of the whole call: all its messages are sent one after the
	// other. All other methods have no other unit.
	UnitCall Unit = "call"
)

// Limits of calls.
const (
	MostMessages  = 1_000_000_000 // of a stream
	mostResponses = 1_000_000     // to a message
)

// GRPC makes a request a call over gRPC: its body is the JSON of the message that is
// sent, as package protomsg reads it.
type GRPC struct {
	Method string `json:"method"` // "package.Service/Method"
	// Messages is how many the client sends on a stream, where the method lets it send
	// several. 0 is one for a call and, for [UnitMessage], no limit.
	Messages    int           `json:"messages,omitempty"`
	Unit        Unit          `json:"unit,omitempty"`        // "": what the method's kind makes of it
	Responses   int           `json:"answers,omitempty"`     // messages in response to each, for [UnitMessage]; 0 is 1
	Compression string        `json:"compression,omitempty"` // of what is sent: "" or "gzip"
	Deadline    time.Duration `json:"deadline,omitempty"`    // that is sent to the server (grpc-timeout); 0: none
	Schema      Schema        `json:"schema,omitzero"`

	method protoreflect.MethodDescriptor // once it is known
}

// Schema says where messages are described. The zero value uses the server's
// reflection.
type Schema struct {
	Protos      []string `json:"protos,omitempty"`      // .proto files
	ImportDirs  []string `json:"import_dirs,omitempty"` // where they and their imports are looked for
	Descriptors string   `json:"descriptors,omitempty"` // a file with a FileDescriptorSet
}

// Reflects reports whether the server's reflection is needed.
func (s *Schema) Reflects() bool { return len(s.Protos) == 0 && s.Descriptors == "" }

// Check reports what is wrong with the schema's own settings, or nil.
func (s *Schema) Check() error {
	switch {
	case len(s.Protos) > 0 && s.Descriptors != "":
		return i18n.Errorf("request.proto-and-descriptor", "both .proto files and a descriptor set are given; give one of them")
	case len(s.Protos) == 0 && len(s.ImportDirs) > 0:
		return i18n.Errorf("request.import-folders-unused", "folders of imports are for .proto files, and none is given")
	}
	return nil
}

// Describe sets what the method is; package rpc finds it.
func (g *GRPC) Describe(method protoreflect.MethodDescriptor) { g.method = method }

// Described reports whether it is known what the method is.
func (g *GRPC) Described() bool { return g.method != nil }

// Streams reports whether the server may respond with several messages.
func (g *GRPC) Streams() bool { return g.method != nil && g.method.IsStreamingServer() }

// PerMessage reports whether each message of a stream is a request.
func (g *GRPC) PerMessage() bool { return g.unit() == UnitMessage }

// NewGRPC makes a request of a call: name is "package.Service/Method", message JSON.
func NewGRPC(g *GRPC, message string) Request {
	return Request{Name: g.Method, Method: "POST", Path: "/" + g.Method, Body: message, GRPC: g}
}

// Verb is a request's HTTP method or, of a gRPC call, "call".
func (r *Request) Verb() string {
	if r.GRPC != nil {
		return "call"
	}
	return r.Method
}

// unit is the request's unit, as the method has it.
func (g *GRPC) unit() Unit {
	if g.Unit == "" && g.method.IsStreamingClient() && g.method.IsStreamingServer() {
		return UnitMessage
	}
	if g.Unit == "" {
		return UnitCall
	}
	return g.Unit
}

// kindOf is the kind of a method in words.
func kindOf(m protoreflect.MethodDescriptor) i18n.Message {
	switch {
	case m.IsStreamingClient() && m.IsStreamingServer():
		return i18n.New("request.bidirectional-streaming", "bidirectional streaming")
	case m.IsStreamingClient():
		return i18n.New("request.client-streaming", "client streaming")
	case m.IsStreamingServer():
		return i18n.New("request.server-streaming", "server streaming")
	}
	return i18n.Verbatim("unary")
}

// check reports what is wrong with the call, or nil: its message is only looked at when
// the method is known.
func (g *GRPC) check(r *Request, env *template.Env) error {
	service, method, ok := strings.Cut(g.Method, "/")
	switch {
	case !ok || service == "" || method == "" || strings.Contains(method, "/"):
		return i18n.Errorf("request.grpc-method-form", "method %q of gRPC is not written as package.Service/Method", g.Method)
	case r.Method != "POST" || r.Path != "/"+g.Method:
		return i18n.Errorf("request.grpc-is-post", "a call over gRPC is sent with POST to /%s", g.Method)
	case g.Messages < 0 || g.Messages > MostMessages:
		return i18n.Errorf("request.bad-message-count", "messages of a stream must be from 1 to %d, not %d", MostMessages, g.Messages)
	case g.Responses < 0 || g.Responses > mostResponses:
		return i18n.Errorf("request.bad-response-count", "answers to a message must be from 1 to %d, not %d", mostResponses, g.Responses)
	case g.Unit != "" && g.Unit != UnitMessage && g.Unit != UnitCall:
		return i18n.Errorf("request.unknown-unit", "unit %q is neither %q nor %q", g.Unit, UnitMessage, UnitCall)
	case g.Compression != "" && g.Compression != "gzip":
		return i18n.Errorf("request.unknown-compression", "compression %q of messages is not known; only gzip is", g.Compression)
	case g.Deadline < 0:
		return i18n.Errorf("request.negative-deadline", "the deadline must not be negative, not %v", g.Deadline)
	case r.Jar:
		return i18n.Errorf("request.grpc-without-cookies", "a call over gRPC has no cookie jar")
	}
	if err := g.Schema.Check(); err != nil {
		return err
	}
	if err := checkMetadata(r.Headers); err != nil {
		return err
	}
	e, err := r.Expectations()
	if err != nil {
		return err
	}
	if e.SaysStatus() {
		return i18n.Errorf("request.grpc-expects-status", "a call over gRPC is expected to end with a status of gRPC: write grpc OK, not a status of HTTP")
	}
	if g.method == nil {
		return nil
	}
	if err := g.checkKind(); err != nil {
		return err
	}
	if _, err := protomsg.Compile(r.message(), g.method.Input(), env); err != nil {
		return i18n.Errorf("request.message", "message: %w", err)
	}
	return nil
}

// checkKind holds the settings to the method's kind.
func (g *GRPC) checkKind() error {
	m := g.method
	switch {
	case g.Messages > 1 && !m.IsStreamingClient():
		return i18n.Errorf("request.one-message-only", "%d messages can't be sent on a stream of %s: it is %s and takes one; several are for client and bidirectional streaming", g.Messages, g.Method, kindOf(m))
	case g.Unit == UnitMessage && !(m.IsStreamingClient() && m.IsStreamingServer()):
		return i18n.Errorf("request.unit-message-needs-bidi", "a request can't be one message of %s: it is %s, and only bidirectional streaming has responses to single messages", g.Method, kindOf(m))
	case g.Responses > 0 && g.unit() != UnitMessage:
		return i18n.Errorf("request.unary-takes-no-count", "the number of responses to a message can't be given for %s: it is %s, in calls that are a request as a whole", g.Method, kindOf(m))
	}
	return nil
}

// message is the JSON that is sent; an empty one if nothing is said.
func (r *Request) message() string {
	if strings.TrimSpace(r.Body) == "" {
		return "{}"
	}
	return r.Body
}

// isReserved reports whether a field, in small letters, belongs to gRPC or to HTTP/2, so
// that it can't be metadata ("Custom-Metadata" of PROTOCOL-HTTP2.md).
func isReserved(name string) bool {
	return strings.HasPrefix(name, "grpc-") || slices.Contains([]string{"content-type", "te", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection", "upgrade"}, name)
}

// checkMetadata refuses fields that are the protocol's own, and binary ones that are
// not in base64.
func checkMetadata(headers []Header) error {
	for _, h := range headers {
		name := strings.ToLower(h.Name)
		switch {
		case name == "host": // the authority
		case name == "grpc-timeout":
			return i18n.Errorf("request.grpc-timeout-header", "grpc-timeout is set by the deadline; leave the header out")
		case name == "grpc-encoding":
			return i18n.Errorf("request.grpc-encoding-header", "grpc-encoding is set by the compression; leave the header out")
		case isReserved(name):
			return i18n.Errorf("request.grpc-reserved-header", "the header %s belongs to gRPC itself and can't be metadata; leave it out", h.Name)
		case grpc.IsBinary(name) && !strings.Contains(h.Value, "{{"):
			if _, err := grpc.ParseBinary([]byte(h.Value)); err != nil {
				return i18n.Errorf("request.metadata-not-base64", "metadata %s ends in -bin, so that its value must be base64; %q is not", h.Name, h.Value)
			}
		}
	}
	return nil
}
