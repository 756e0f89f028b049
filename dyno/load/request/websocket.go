package request

import (
	"strings"
	"unicode/utf8"

	"dyno.example/dyno/load/template"
	"dyno.example/internal/i18n"
)

// Responses says how the server's messages relate to those of the load.
type Responses string

const (
	// OneResponse is a server that responds to each message with one, in order: a
	// connection has one message under way. The default.
	OneResponse Responses = "one"
	// NoResponses is a server that sends on its own: what comes is counted. A message is
	// sent once on each connection, when it is up, to subscribe.
	NoResponses Responses = "none"
)

// WebSocket makes a load exchange messages over WebSockets (RFC 6455): the path,
// fields and credentials of its first request are those of the handshake, the bodies
// of all are messages.
type WebSocket struct {
	Responses  Responses `json:"answers,omitempty"`
	Binary     bool      `json:"binary,omitempty"`      // messages are binary, not text
	MaxMessage int64     `json:"max_message,omitempty"` // of the server, bytes; 0: DefaultMaxMessage
	Stamp      *Stamp    `json:"stamp,omitempty"`       // of what a server sends on its own
}

// Limits of messages and events, in bytes.
const (
	DefaultMaxMessage = 16 << 20
	MostMessage       = 1 << 30
)

// Pushes reports whether the server sends unsolicited messages.
func (w *WebSocket) Pushes() bool { return w.Responses == NoResponses }

// Most is how long a message of the server may be, in bytes.
func (w *WebSocket) Most() int64 {
	if w.MaxMessage == 0 {
		return DefaultMaxMessage
	}
	return w.MaxMessage
}

// check reports what is wrong, or nil.
func (w *WebSocket) check() error {
	switch w.Responses {
	case "", OneResponse, NoResponses:
	default:
		return i18n.Errorf("request.unknown-responses", "answers %q is none of %q and %q", w.Responses, OneResponse, NoResponses)
	}
	if w.MaxMessage < 0 || w.MaxMessage > MostMessage {
		return i18n.Errorf("request.bad-max-message", "the longest message must be from 1 to %d bytes, not %d", MostMessage, w.MaxMessage)
	}
	if w.Stamp == nil {
		return nil
	}
	if !w.Pushes() {
		return i18n.Errorf("request.stamp-needs-push", "a stamp is of what a server sends on its own: a response is timed from its message; give answers: none for one that pushes")
	}
	if w.Stamp.Where == "id" {
		return i18n.Errorf("request.message-id-place-missing", "a message has no id; say where its stamp is as json:.PATH or regexp:EXPRESSION")
	}
	_, err := w.Stamp.Compile()
	return err
}

// handshakeFields are set by the load itself.
var handshakeFields = []string{"Connection", "Upgrade", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Accept"}

// CheckMessage reports why r can't be a message over WebSockets, or nil. first is the
// first request of the load, which has the handshake.
func (r *Request) CheckMessage(w *WebSocket, first *Request, env *template.Env) error {
	if r.Method != "" && r.Method != "GET" {
		return i18n.Errorf("request.websocket-is-get", "a WebSocket's handshake is a GET, not a %s (RFC 6455 4.1)", r.Method)
	}
	if r.Path != first.Path {
		return i18n.Errorf("request.websocket-paths-differ", "all messages go over the same WebSockets: the path %s is another one than %s; leave it out, or load each path by itself", r.Path, first.Path)
	}
	if r.Jar {
		return i18n.Errorf("request.websocket-without-cookies", "a WebSocket has one response only, its handshake's: no cookies are kept from it")
	}
	for _, name := range handshakeFields {
		if r.has(name) {
			return i18n.Errorf("request.handshake-header", "the header %s is the handshake's own; leave it out", name)
		}
	}
	if r.has("Sec-WebSocket-Extensions") {
		return i18n.Errorf("request.websocket-extensions-header", "the header Sec-WebSocket-Extensions can't be sent: no extension is spoken, nor permessage-deflate (RFC 7692); leave it out")
	}
	if r.Status != 0 {
		return i18n.Errorf("request.message-without-status", "a message has no status to expect")
	}
	for _, line := range r.Expect {
		if kind, _, _ := strings.Cut(strings.TrimSpace(line), " "); kind == "status" || kind == "header" {
			return i18n.Errorf("request.message-expects-body", "expectation %q: a message has no %s; expect something of its body", line, kind)
		}
	}
	if w.Binary {
		return nil
	}
	t, err := template.Compile(r.Body, env)
	if err != nil {
		return i18n.Errorf("request.message", "message: %w", err)
	}
	for from, text := range t.Texts() {
		if !utf8.ValidString(text) {
			if from != "" {
				from = " (" + from + ")"
			}
			return i18n.Errorf("request.message-not-utf8", "message: it is not UTF-8, as text must be (RFC 6455 5.6)%s; send it as binary", from)
		}
	}
	return nil
}

// Handshake is the request that opens a WebSocket for a load whose first request is r,
// but for its key.
func (r *Request) Handshake() Request {
	h := Request{Name: r.Name, Method: "GET", Path: r.Path, Auth: r.Auth, Cookies: r.Cookies}
	h.Headers = append([]Header{{"Connection", "Upgrade"}, {"Upgrade", "websocket"}, {"Sec-WebSocket-Version", "13"}}, r.Headers...)
	return h
}

// CompileMessage readies the message of a request, which was checked.
func CompileMessage(r *Request, env *template.Env) (*Compiled, error) {
	e, err := r.Expectations()
	if err != nil {
		return nil, err
	}
	w := &Compiled{Name: r.Name, statuses: e.Statuses(), Expect: e, bare: true}
	if e.Needs() > 0 {
		w.Keeps = KeepBody
	}
	if w.body, err = template.Compile(r.Body, env); err != nil {
		return nil, err
	}
	w.Uses = w.body.Uses()
	if text, ok := w.body.Constant(); ok {
		w.Constant = []byte(text)
	}
	return w, nil
}
