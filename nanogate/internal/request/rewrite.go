package request

import (
	"strconv"

	"dyno.example/nano/wire/http1"
)

// Line is what a request's first line says, and its host: what is sent on in place of what
// the client has sent. What is empty stays.
type Line struct {
	Method string // any but CONNECT; HEAD stays HEAD, as the client's response depends on it
	URI    string // path and query, in origin-form
	Host   string
}

// Rewrite replaces the request's first line or host, for all that follows. Its route
// stays the same, and doesn't rewrite the path itself. A line that isn't valid refuses
// the request with 500.
func (r *Request) Rewrite(to Line) { r.rewritten = to }

// SetContent replaces the request's body; the bytes must not change any more. It is for
// work that has received the whole body ([Deferred.Content]).
func (r *Request) SetContent(body []byte) { r.content, r.refilled = body, true }

// Content is the body that was set; ok is false if none was.
func (r *Request) Content() (body []byte, ok bool) { return r.content, r.refilled }

// Rewritten reports whether the request was changed.
func (r *Request) Rewritten() bool { return r.refilled || r.rewritten != Line{} }

// AppendRewritten appends the head as it is to be.
func (r *Request) AppendRewritten(dst []byte) []byte {
	to := r.rewritten
	if to.Method == "" {
		to.Method = string(r.Method())
	}
	if to.URI == "" {
		to.URI = r.URI()
	}
	own := to.Host != "" || r.Head.Form == http1.AbsoluteForm
	if own && to.Host == "" {
		to.Host = string(r.Authority())
	}
	dst = append(append(append(dst, to.Method...), ' '), to.URI...)
	dst = append(append(dst, " HTTP/1."...), '0'+r.Head.Minor, '\r', '\n')
	if own {
		dst = AppendField(dst, "Host", to.Host)
	}
	if r.refilled {
		dst = append(strconv.AppendInt(append(dst, "Content-Length: "...), int64(len(r.content)), 10), "\r\n"...)
	}
	for i := range r.Head.Fields {
		f := &r.Head.Fields[i]
		name := f.Name.Of(r.Buf)
		switch {
		case own && http1.EqualFold(name, "host"):
		case r.refilled && (http1.EqualFold(name, "content-length") || http1.EqualFold(name, "transfer-encoding")):
		default:
			dst = append(append(append(dst, name...), ": "...), f.Value.Of(r.Buf)...)
			dst = append(dst, "\r\n"...)
		}
	}
	return append(dst, "\r\n"...)
}

// Renew goes on with the head that was parsed from buf, in place of the one before: what
// guards have set stays.
func (r *Request) Renew(buf []byte) {
	r.Buf, r.rewritten, r.content, r.refilled = buf, Line{}, nil, false
}

// URI is the path in canonical form with the query, as in origin-form.
func (r *Request) URI() string {
	if r.Head.Form == http1.AsteriskForm {
		return "*"
	}
	uri := string(r.Path)
	if query := r.Query(); len(query) > 0 {
		uri += "?" + string(query)
	}
	return uri
}

// Replace has the upstream get values of a field, in place of all that the client and
// guards have given by that name, which must be in lower case; none removes it. Fields
// that frame a message or are about the connection stay as they are, and so does the host.
func (r *Request) Replace(lower string, values ...string) {
	if Frames(lower) || lower == "host" {
		return
	}
	r.Drop(lower)
	for _, v := range values {
		r.lines = AppendField(r.lines, lower, v)
	}
}
