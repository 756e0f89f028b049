package transcode

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"dyno.example/internal/descriptors"
	"dyno.example/nano/wire/grpc"
	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/httprule"
	"dyno.example/nanogate/internal/request"
)

// Call is one request on its way: pieces of JSON go in at [Call.Request] and come out as
// messages of gRPC, those of the response at [Call.Response] the other way. It isn't for
// several goroutines. What it gives is good until it is called again.
type Call struct {
	Binding *Binding
	Form    Form // of a response that is a stream

	api      *API
	settings []setting // from the path and the query

	body   []byte // of the request, what isn't a message yet
	frames []byte
	inside []byte // what settings add to the message that the body is
	line   int    // of the body, for messages
	kind   string // content type of a body that isn't JSON
	frame  int    // messages that have been made of such a one

	responseState
}

// Form is how a response of several messages is written.
type Form uint8

const (
	One    Form = iota // it is one message
	NDJSON             // each on a line of its own
	SSE                // each an event
	Raw                // what they hold, one behind the other
)

// ContentType is the media type of a response that isn't an error.
func (f Form) ContentType() string {
	switch f {
	case NDJSON:
		return "application/x-ndjson"
	case SSE:
		return "text/event-stream"
	}
	return "application/json"
}

// Begin makes a call of a request, whose memory isn't needed after that. body says that
// it has one. For a request that fits no method it returns a reply instead.
func (a *API) Begin(r *request.Request, body bool) (*Call, *request.Reply) {
	var m httprule.Match
	b, ok := a.table.Find(string(r.Method()), r.Path, &m)
	if !ok {
		if m.WrongMethod {
			return nil, request.Refuse(405, "", "Allow: "+strings.Join(m.Allowed(), ", ")+"\r\n").For(request.RefusedCallMethod)
		}
		return nil, request.Refuse(404, "no method of the API has this path", "").For(request.RefusedCallMethod)
	}
	c := &Call{Binding: b, api: a}
	if b.request != nil {
		value, _ := r.Header("content-type")
		c.kind = string(value)
	} else if body && c.hasBody() && !isJSON(r) {
		return nil, request.Refuse(415, "the body of a request is JSON here: say so by Content-Type: application/json", "Accept: application/json\r\n").For(request.RefusedCallType)
	}
	if value, coded := r.Header("content-encoding"); coded && body && !http1.EqualFold(value, "identity") {
		return nil, request.Refuse(415, "the body of a request isn't compressed here", "Accept-Encoding: identity\r\n").For(request.RefusedCallType)
	}
	if b.Method.Desc.IsStreamingServer() {
		if c.Form = Raw; b.response == nil {
			c.Form = a.form(r)
		}
	}
	c.responseState.reader.Max = uint32(a.Rules.Most)
	var text []byte
	for i := range b.Template.Variables {
		v := &b.Template.Variables[i]
		text = m.Append(text[:0], v)
		value, err := a.value(b.fields[i][len(b.fields[i])-1], string(text))
		if err != nil {
			return nil, (&Wrong{Field: v.Name(), Text: err.Error()}).Reply()
		}
		c.settings = append(c.settings, setting{b.fields[i], value})
	}
	var err error
	if c.settings, err = a.query(b, r.Query(), c.settings); err != nil {
		return nil, ReplyTo(err)
	}
	return c, nil
}

// isJSON reports whether a request says that its body is JSON, of one value or one on each
// line. It has to: pages of other sites can send text and forms without a preflight.
func isJSON(r *request.Request) bool {
	value, _ := r.Header("content-type")
	kind, _, _ := bytes.Cut(value, []byte(";"))
	kind = bytes.ToLower(bytes.TrimSpace(kind))
	switch string(kind) {
	case "application/json", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-lines":
		return true
	}
	return bytes.HasPrefix(kind, []byte("application/")) && bytes.HasSuffix(kind, []byte("+json"))
}

// form is how the client wants a stream, or how the rules say that it is.
func (a *API) form(r *request.Request) Form {
	switch a.Rules.Stream {
	case config.StreamNDJSON:
		return NDJSON
	case config.StreamSSE:
		return SSE
	}
	form := NDJSON
	r.Headers("accept", func(value []byte) bool {
		lower := bytes.ToLower(value)
		events, lines := bytes.Index(lower, []byte("text/event-stream")), bytes.Index(lower, []byte("ndjson"))
		if events >= 0 && (lines < 0 || events < lines) {
			form = SSE
		}
		return events < 0 && lines < 0
	})
	return form
}

// Streams reports whether each line of the request's body is a message, or each piece of one
// that isn't JSON.
func (c *Call) Streams() bool { return c.Binding.Method.Desc.IsStreamingClient() && c.hasBody() }

func (c *Call) hasBody() bool { return c.Binding.Whole || c.Binding.Body != nil }

// Request takes a piece of the request's body; end says that it is the last. It returns
// messages with their prefixes. A [Wrong] says what doesn't fit.
func (c *Call) Request(piece []byte, end bool) (frames []byte, err error) {
	c.frames = c.frames[:0]
	if c.Streams() && c.Binding.request != nil {
		return c.pieces(piece, end)
	}
	if c.Streams() {
		return c.lines(piece, end)
	}
	if len(c.body)+len(piece) > c.api.Rules.Most {
		return nil, c.tooLong()
	}
	body := piece
	if len(c.body) > 0 || !end {
		c.body = append(c.body, piece...)
		body = c.body
	}
	if !end {
		return nil, nil
	}
	if c.frames, err = c.encode(c.frames, body); err != nil {
		return nil, err
	}
	c.body = nil
	return c.frames, nil
}

// lines takes a piece of a body of which each line is a message.
func (c *Call) lines(piece []byte, end bool) ([]byte, error) {
	var err error
	for len(piece) > 0 || end {
		line, rest, whole := bytes.Cut(piece, []byte("\n"))
		if len(c.body)+len(line) > c.api.Rules.Most {
			return nil, c.tooLong()
		}
		if !whole && !end {
			c.body = append(c.body, line...)
			break
		}
		if len(c.body) > 0 {
			line = append(c.body, line...)
			c.body = line[:0]
		}
		c.line++
		if len(bytes.TrimSpace(line)) > 0 {
			if c.frames, err = c.encode(c.frames, line); err != nil {
				return nil, err
			}
		}
		if piece = rest; !whole {
			break
		}
	}
	return c.frames, nil
}

func (c *Call) tooLong() error {
	return &Wrong{Status: 413, Line: c.line, Text: "a message has " + strconv.Itoa(c.api.Rules.Most) + " bytes at most"}
}

// encode appends the message that JSON comes to.
func (c *Call) encode(dst, body []byte) ([]byte, error) {
	at := len(dst)
	dst = grpc.AppendPrefix(slices.Grow(dst, grpc.PrefixLen+len(body)), 0, false)
	dst, ok := c.direct(dst, body)
	if !ok {
		var err error
		if dst, err = c.dynamic(dst, body); err != nil {
			return nil, err
		}
	}
	n := len(dst) - at - grpc.PrefixLen
	if n > c.api.Rules.Most {
		return nil, c.tooLong()
	}
	grpc.PutPrefix(dst[at:], n, false)
	return dst, nil
}

// dynamic appends the same by having the message in memory.
func (c *Call) dynamic(dst, body []byte) ([]byte, error) {
	m := dynamicpb.NewMessage(c.Binding.Method.Desc.Input())
	if c.Binding.request != nil {
		c.fillRaw(m, body)
	} else if err := c.fill(m, body); err != nil {
		err.Line = c.line
		return nil, err
	}
	for i := range c.settings {
		c.settings[i].put(m)
	}
	c.fillMask(m, body)
	dst, err := proto.MarshalOptions{}.MarshalAppend(dst, m)
	if err != nil {
		return nil, &Wrong{Line: c.line, Text: descriptors.Plain(err)}
	}
	return dst, nil
}

// fill reads a body into a message.
func (c *Call) fill(m *dynamicpb.Message, body []byte) *Wrong {
	b := c.Binding
	blank := len(bytes.TrimSpace(body)) == 0
	switch {
	case !c.hasBody():
		if text := bytes.TrimSpace(body); !blank && string(text) != "{}" {
			return &Wrong{Text: "this method takes no body"}
		}
		return nil
	case blank:
		return nil
	case b.Whole:
		if err := c.api.in.Unmarshal(body, m); err != nil {
			return wrongJSON(body, err, "")
		}
		return nil
	case b.Body.Message() != nil && !b.Body.IsList() && !b.Body.IsMap():
		if err := c.api.in.Unmarshal(body, m.Mutable(b.Body).Message().Interface()); err != nil {
			return wrongJSON(body, err, string(b.Body.Name()))
		}
		return nil
	}
	if !json.Valid(body) { // what is put around it must not become a part of it
		return &Wrong{Field: string(b.Body.Name()), Text: "the body is no JSON"}
	}
	whole := append(appendQuoted([]byte{'{'}, b.Body.JSONName()), ':')
	whole = append(append(whole, body...), '}')
	if err := c.api.in.Unmarshal(whole, m); err != nil {
		return wrongJSON(whole, err, "")
	}
	return nil
}

// appendQuoted appends text as JSON.
func appendQuoted(dst []byte, text string) []byte {
	b, _ := json.Marshal(text) // which text always can be
	return append(dst, b...)
}
