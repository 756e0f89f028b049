package nano

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unsafe"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/http1"
)

// ErrResponded is returned by methods that would begin a response that has begun.
var ErrResponded = exchange.ErrResponded

// Status sets the status of the response for methods that don't name one, and for a
// handler that returns without a response. 100 to 199 are not final and refused.
func (c Ctx) Status(code int) Ctx {
	c.own().Status = checkStatus(code)
	return c
}

func checkStatus(code int) int {
	if code < 200 || code > 999 {
		panic(fmt.Sprintf("nano: %d is not the status of a final response (200 to 999)", code))
	}
	return code
}

// SetHeader sets a field of the response; it replaces fields of the same name. It
// panics if name or value can't be sent (RFC 9110 5.1, 5.5): a line break in a
// value would let it forge fields.
func (c Ctx) SetHeader(name, value string) {
	x := c.own()
	x.removeField(name)
	x.addField(name, value)
}

// AddHeader adds a field to the response, in addition to those of the same name.
func (c Ctx) AddHeader(name, value string) { c.own().addField(name, value) }

// ResponseHeader returns the first field of that name set on the response so far.
func (c Ctx) ResponseHeader(name string) View {
	x := c.live()
	return View(x.handOut(x.responseField(name)))
}

// ResponseHeaders goes through the fields set on the response so far, names and values, in
// the order in which they will be sent.
func (c Ctx) ResponseHeaders() iter.Seq2[View, View] {
	x := c.live()
	return func(yield func(name, value View) bool) {
		fields := x.handOut(x.Fields)
		for len(fields) > 0 {
			line, end := exchange.CutLine(fields)
			name, value, ok := bytes.Cut(line, []byte(": "))
			if ok && !yield(View(name), View(value)) {
				return
			}
			fields = fields[end:]
		}
	}
}

const textLine = "Content-Type: text/plain; charset=utf-8\r\n"

// Text responds with text/plain in UTF-8.
func (c Ctx) Text(code int, body string) error {
	return c.send(code, textLine, unsafeBytes(body))
}

// Bytes responds with the body as it is. It is not kept: while the client is slow,
// Bytes waits for it, off the event loop, until it has taken all but 64 KiB, and body
// must stay as it is until then. So what many clients get can be one slice, and
// costs no more when they don't read; [Limits].WriteStall and MinTake end the wait.
func (c Ctx) Bytes(code int, contentType string, body []byte) error {
	x := c.own()
	if x.begun {
		return ErrResponded
	}
	x.setContentType(contentType)
	x.Status = checkStatus(code)
	x.begun = true
	return x.Wire.Respond(&x.Exchange, body)
}

// XML responds with v encoded by encoding/xml, behind an XML declaration.
func (c Ctx) XML(code int, v any) error {
	body, err := xml.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding the response: %w", err)
	}
	return c.send(code, "Content-Type: application/xml; charset=utf-8\r\n", append([]byte(xml.Header), body...))
}

// NoContent responds with a status and no body.
func (c Ctx) NoContent(code int) error { return c.send(code, "", nil) }

// send responds with a body. The line is the Content-Type field, left out if the
// handler has set its own.
func (c Ctx) send(code int, line string, body []byte) error {
	x := c.own()
	if x.begun {
		return ErrResponded
	}
	if line != "" && (len(x.Fields) == 0 || x.responseField("Content-Type") == nil) {
		x.Fields = append(x.Fields, line...)
	}
	x.Status = checkStatus(code)
	x.begun = true
	return x.Wire.Respond(&x.Exchange, body)
}

func (x *liveRequest) setContentType(value string) {
	x.removeField("Content-Type")
	x.addField("Content-Type", value)
}

func (x *liveRequest) addField(name, value string) {
	checkField(name, value)
	x.Fields = append(append(append(append(x.Fields, name...), ": "...), value...), "\r\n"...)
}

func checkField(name, value string) {
	if !http1.ValidToken(name) || !http1.ValidFieldValue(value) {
		panic(fmt.Sprintf("nano: %q: %q can't be sent as a header field", name, value))
	}
}

// Redirect sends the client to a URL, relative or absolute: 301 and 308 for good, 302,
// 303 and 307 for now; 307 and 308 keep method and body, 303 changes to GET (RFC 9110
// 15.4). Other statuses panic. A URL that can't be sent, with a line break or not a
// URL, is an error.
//
// A URL that came from a client sends people wherever it says: use
// [Ctx.LocalRedirect] for these.
func (c Ctx) Redirect(code int, to string) error {
	switch code {
	case 301, 302, 303, 307, 308:
	default:
		panic(fmt.Sprintf("nano: %d is not the status of a redirect (301, 302, 303, 307, 308)", code))
	}
	if !http1.ValidFieldValue(to) || to == "" {
		return fmt.Errorf("nano: redirect to %q, which can't be sent", to)
	}
	u, err := url.Parse(to)
	if err != nil {
		return fmt.Errorf("nano: redirect: %w", err)
	}
	c.SetHeader("Location", u.String())
	return c.NoContent(code)
}

// LocalRedirect is Redirect for a URL that came from a client: one that leads to
// another host is a [Problem] of status 400.
func (c Ctx) LocalRedirect(code int, to string) error {
	if !isLocal(to) {
		return NewProblem(400, "the URL to go to is not one of this site")
	}
	return c.Redirect(code, to)
}

// isLocal: a path. Browsers take "\" for "/", and "//" and "/\" begin a host;
// they also drop tabs and line breaks.
func isLocal(to string) bool {
	if len(to) == 0 || to[0] != '/' || len(to) > 1 && (to[1] == '/' || to[1] == '\\') {
		return false
	}
	for i := range len(to) {
		if to[i] < ' ' || to[i] == 0x7f || to[i] == '\\' {
			return false
		}
	}
	return true
}

// Renderer makes pages. [Templates] is one; another template language is another.
type Renderer interface {
	Render(w io.Writer, name string, data any) error
}

// Templates renders a set of html/template by their names.
func Templates(set *template.Template) Renderer { return templates{set} }

type templates struct{ set *template.Template }

func (t templates) Render(w io.Writer, name string, data any) error {
	return t.set.ExecuteTemplate(w, name, data)
}

// Render responds with a page of [Config].Renderer. The page is made before anything is
// sent: a template that fails becomes a 500, not half a page.
func (c Ctx) Render(code int, name string, data any) error {
	r := c.live().app.config.Renderer
	if r == nil {
		return errors.New("nano: Render needs a Config.Renderer, such as nano.Templates(set)")
	}
	var page bytes.Buffer
	if err := r.Render(&page, name, data); err != nil {
		return fmt.Errorf("rendering %s: %w", name, err)
	}
	return c.send(code, htmlLine, page.Bytes())
}

const htmlLine = "Content-Type: text/html; charset=utf-8\r\n"

// HTML responds with a page. What goes into it from elsewhere must have been
// escaped: [Ctx.Render] does.
func (c Ctx) HTML(code int, page string) error { return c.send(code, htmlLine, unsafeBytes(page)) }

// The response's fields are kept as the lines that will be sent. There are few of
// them: looking through them costs less than a map would.

// responseField returns the value of the first line with the name.
func (x *liveRequest) responseField(name string) []byte {
	for rest := x.Fields; len(rest) > 0; {
		line, end := exchange.CutLine(rest)
		if n := len(name); len(line) >= n+2 && line[n] == ':' && exchange.SameName(line[:n], name) {
			return line[n+2:]
		}
		rest = rest[end:]
	}
	return nil
}

// removeField takes out all lines with the name.
func (x *liveRequest) removeField(name string) {
	for at := 0; at < len(x.Fields); {
		line, end := exchange.CutLine(x.Fields[at:])
		if n := len(name); len(line) > n && line[n] == ':' && exchange.SameName(line[:n], name) {
			x.Fields = append(x.Fields[:at], x.Fields[at+end:]...)
			continue
		}
		at += end
	}
}

// unsafeBytes is s as bytes, which must not be changed.
func unsafeBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// unsafeString is b as a string, for as long as b isn't changed.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Hijack gives the connection to the handler, for another protocol than HTTP, with
// what was read of it after the request. Nothing is sent by the app from then on,
// and the handler closes the connection. Limits of time no longer count, but the
// app waits for the handler when it shuts down: see [Ctx.Draining].
//
// It fails, and the handler can still respond, where there is no HTTP/1.1 connection:
// HTTP/1.0 and HTTP/2, and requests in memory.
func (c Ctx) Hijack() (conn net.Conn, early []byte, err error) {
	x := c.live()
	if x.Tunnel != exchange.NoTunnel {
		return nil, nil, fmt.Errorf("nano: what is spoken on a stream of HTTP/2 begins with SwitchProtocols: %w", errors.ErrUnsupported)
	}
	if x.Req.Minor == 0 {
		return nil, nil, fmt.Errorf("nano: HTTP/1.0 has no other protocols: %w", errors.ErrUnsupported)
	}
	return x.hijack()
}

// switchHead is how long the client may take for the head of a 101.
const switchHead = 10 * time.Second

// SwitchProtocols sends a 101 and gives the connection to the handler as [Ctx.Hijack]
// does. The response has the fields given, which name the protocol, and those that
// handlers and middleware have set, also in [Ctx.BeforeResponse], except those that
// describe content.
//
// Over HTTP/2 a WebSocket has a stream (RFC 8441): its request is seen as HTTP/1.1 would
// have sent it, except for Sec-WebSocket-Key, the response is a 200, and the connection
// that is returned is the stream, which ends when the handler returns.
func (c Ctx) SwitchProtocols(fields http.Header) (conn net.Conn, early []byte, err error) {
	if c.live().Tunnel != exchange.NoTunnel {
		conn, err = c.openTunnel(fields)
		return conn, nil, err
	}
	taken, early, err := c.Hijack()
	if err != nil {
		return nil, nil, err
	}
	x := c.x
	defer func() { // also if a hook panics
		if conn == nil {
			taken.Close()
		}
	}()
	x.Status = 101
	if x.hooked {
		x.hooks.prepare(nil, -1, false)
		x.hooks.dropFilters()
		x.Status = 101
	}
	head := []byte("HTTP/1.1 101 Switching Protocols\r\n")
	eachLine(x.Fields, func(name, value string) {
		if tellsOfContent(name) || fields.Get(name) != "" {
			return
		}
		head = appendField(head, name, value)
	})
	eachField(fields, func(name, value string) { head = appendField(head, name, value) })
	head = append(head, "\r\n"...)
	_ = taken.SetWriteDeadline(time.Now().Add(switchHead)) // an error shows again
	if _, err := taken.Write(head); err != nil {
		return nil, nil, err
	}
	if err := taken.SetWriteDeadline(time.Time{}); err != nil {
		return nil, nil, err
	}
	return taken, early, nil
}

// openTunnel is SwitchProtocols on a stream of HTTP/2.
func (c Ctx) openTunnel(fields http.Header) (net.Conn, error) {
	x := c.x
	conn, _, err := x.hijack()
	if err != nil {
		return nil, err
	}
	x.Status = 200
	if x.hooked {
		x.hooks.prepare(nil, -1, false)
		x.hooks.dropFilters()
	}
	var lines []byte
	eachLine(x.Fields, func(name, value string) {
		if !tellsOfContent(name) && fields.Get(name) == "" {
			lines = appendField(lines, name, value)
		}
	})
	eachField(fields, func(name, value string) {
		if !tellsOfContent(name) && !strings.EqualFold(name, "Sec-WebSocket-Accept") { // RFC 8441 5
			lines = appendField(lines, name, value)
		}
	})
	x.Fields = append(x.Fields[:0], lines...)
	return conn, conn.(exchange.Tunnel).Open(&x.Exchange)
}

// tellsOfContent reports whether a field has no place in a response without one, or
// frames it.
func tellsOfContent(name string) bool {
	switch strings.ToLower(name) {
	case "etag", "last-modified", "accept-ranges", "transfer-encoding", "trailer", "connection", "upgrade":
		return true
	}
	return len(name) > len("content-") && strings.EqualFold(name[:len("content-")], "content-") && !strings.EqualFold(name, "Content-Security-Policy")
}
