package request

import (
	"compress/gzip"
	"fmt"
	"strings"
	"sync"
	"time"

	"dyno.example/dyno/load/expect"
	"dyno.example/dyno/load/protomsg"
	"dyno.example/dyno/load/template"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/grpc"
)

// Call is what the engines know of a request that is a call over gRPC.
type Call struct {
	Unit           Unit
	Messages       int           // that are sent on a stream; 0: no limit
	Deadline       time.Duration // that is sent to the server; 0: none
	Responses      int           // messages in response to each, for [UnitMessage]
	ManyResponses  bool          // the server may send several messages
	Codes          expect.Codes
	Uses           template.Uses // of a message
	Constant       []byte        // a message as it goes over the wire; nil if it must be rendered
	program        *protomsg.Program
	compresses     bool
	compressors    sync.Pool // of *compressor
	sent, response *protomsg.Decoder
}

// compileCall compiles the call of a request, which was checked.
func compileCall(r *Request, e *expect.Expect, env *template.Env) (*Call, error) {
	g := r.GRPC
	if g.method == nil {
		return nil, i18n.Errorf("request.schema-missing", "it is not known what %s takes: its schema was not read", g.Method)
	}
	p, err := protomsg.Compile(r.message(), g.method.Input(), env)
	if err != nil {
		return nil, i18n.Errorf("request.message", "message: %w", err)
	}
	c := &Call{
		Unit: g.unit(), Messages: g.Messages, Responses: max(1, g.Responses), Deadline: g.Deadline, ManyResponses: g.method.IsStreamingServer(),
		Codes: e.Codes(), Uses: p.Uses(), program: p, compresses: g.Compression != "",
		sent: protomsg.NewDecoder(g.method.Input()), response: protomsg.NewDecoder(g.method.Output()),
	}
	if c.Messages == 0 && c.Unit == UnitCall {
		c.Messages = 1
	}
	c.compressors.New = func() any { return new(compressor) }
	if p.Constant() {
		c.Constant, _ = c.AppendMessage(nil, nil, env.NewState(0, 0, 1))
	}
	return c, nil
}

// AppendMessage renders a message with its prefix into dst, as [Compiled.Append] does a
// request.
func (c *Call) AppendMessage(dst, scratch []byte, s *template.State) (wire, used []byte) {
	if c.Constant != nil {
		return append(dst, c.Constant...), scratch
	}
	start := len(dst)
	dst = grpc.AppendPrefix(dst, 0, false)
	if !c.compresses {
		dst, scratch = c.program.Append(dst, scratch, s)
	} else {
		z := c.compressors.Get().(*compressor)
		z.message, scratch = c.program.Append(z.message[:0], scratch, s)
		dst = z.append(dst)
		c.compressors.Put(z)
	}
	grpc.PutPrefix(dst[start:], len(dst)-start-grpc.PrefixLen, c.compresses)
	return dst, scratch
}

// compressor compresses messages, with memory that is used again.
type compressor struct {
	message []byte
	gzip    *gzip.Writer
	out     []byte
}

// Write implements io.Writer for the compression.
func (z *compressor) Write(p []byte) (int, error) {
	z.out = append(z.out, p...)
	return len(p), nil
}

// append appends the message in gzip (RFC 1952).
func (z *compressor) append(dst []byte) []byte {
	if z.gzip == nil {
		z.gzip = gzip.NewWriter(z)
	}
	z.out = dst
	z.gzip.Reset(z)
	_, err := z.gzip.Write(z.message)
	if closing := z.gzip.Close(); err == nil {
		err = closing
	}
	if err != nil {
		panic("request: writing to memory failed: " + err.Error())
	}
	dst, z.out = z.out, nil
	return dst
}

// Rows is how many rows of a feed one request takes, which uses it: each message of a
// call takes its own.
func (r *Compiled) Rows(feed int) int {
	if r.Call == nil || !r.Call.Uses.Feed(feed) || r.Call.Unit == UnitMessage {
		return 1
	}
	return r.Call.Messages
}

// Sent is a message that was sent, with its prefix, as JSON, for display.
func (c *Call) Sent(framed []byte) string { return shown(c.sent, framed) }

// shown is the first of messages on the wire as JSON, or what it is otherwise.
func shown(d *protomsg.Decoder, framed []byte) string {
	messages, err := appendJSON(nil, d, framed, false)
	if err != nil {
		return fmt.Sprintf("(%d bytes of a message: %v)", len(framed), err)
	}
	return strings.TrimSpace(string(messages))
}

// ResponseJSON is a call's response, as far as it came, as JSON: the message or, if there
// may be several, a list of them.
func (c *Call) ResponseJSON(framed []byte) ([]byte, error) {
	return appendJSON(nil, c.response, framed, c.ManyResponses && c.Unit == UnitCall)
}

// head is the fields of a call's request other than the user's.
func (g *GRPC) head() string {
	text := "Content-Type: " + grpc.ContentType + "\r\nTE: trailers\r\n"
	if g.Deadline > 0 {
		text += "grpc-timeout: " + string(grpc.AppendTimeout(nil, g.Deadline)) + "\r\n"
	}
	if g.Compression != "" {
		text += "grpc-encoding: " + g.Compression + "\r\ngrpc-accept-encoding: " + g.Compression + "\r\n"
	}
	return text
}
