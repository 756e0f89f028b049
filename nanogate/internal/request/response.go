package request

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"dyno.example/nano/wire/http1"
)

// Response is the head of an upstream's response on its way to the client, for
// middleware that may change it. It belongs to the loop that read it, and all bytes it
// returns are views that are valid until the function that was called with it returns:
// copy what is needed later. The next middleware sees the changes.
type Response struct {
	Head *http1.ResponseHead
	Buf  []byte // what Head was parsed from

	status int // in place of the upstream's; 0: that
	drops  []string

	content   []byte // in place of the upstream's, if refilled
	refilled  bool
	lines     []byte
	withdrawn [][]byte // lines that the response was also to get
}

// Begin readies p for the response whose head was parsed from buf.
func (p *Response) Begin(head *http1.ResponseHead, buf []byte) {
	p.Head, p.Buf, p.status = head, buf, 0
	p.drops, p.lines = p.drops[:0], p.lines[:0]
	p.content, p.refilled, p.withdrawn = nil, false, nil
}

// Status is the status that the client will get.
func (p *Response) Status() int {
	if p.status != 0 {
		return p.status
	}
	return p.Head.Status
}

// SetStatus has the client get another status. It reports false, and changes nothing, if
// that isn't from 200 to 599, or if one of the two is for responses without a body and the
// other isn't: 204, 304. Another response altogether is a [Reply].
func (p *Response) SetStatus(status int) bool {
	if status < 200 || status > 599 || bodiless(status) != bodiless(p.Head.Status) {
		return false
	}
	p.status = status
	return true
}

func bodiless(status int) bool { return status == 204 || status == 304 }

// SetContent replaces the response's body; the bytes must not change any more. It is for
// work that has received the whole body ([Deferred.Content]).
func (p *Response) SetContent(body []byte) { p.content, p.refilled = body, true }

// Content is the body that was set; ok is false if none was.
func (p *Response) Content() (body []byte, ok bool) { return p.content, p.refilled }

// Header returns the value of the first field of that name, which must be in lower case,
// as the client will have it.
func (p *Response) Header(lower string) (value []byte, ok bool) {
	p.Headers(lower, func(v []byte) bool {
		value, ok = v, true
		return false
	})
	return value, ok
}

// Headers calls f with the value of each field of that name, which must be in lower case,
// as the client will have it, until f returns false.
func (p *Response) Headers(lower string, f func(value []byte) bool) {
	if !slices.Contains(p.drops, lower) {
		for _, field := range p.Head.Fields {
			if field.Name.Len() == len(lower) && http1.EqualFold(field.Name.Of(p.Buf), lower) && !f(field.Value.Of(p.Buf)) {
				return
			}
		}
	}
	for rest := p.lines; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, crlf)
		if name, value, _ := bytes.Cut(line, colon); http1.EqualFold(name, lower) && !f(value) {
			return
		}
	}
}

// Each calls f with each field, as the client will have it.
func (p *Response) Each(f func(name, value []byte)) {
	for i := range p.Head.Fields {
		if name := p.Head.Fields[i].Name.Of(p.Buf); !p.drop(name) {
			f(name, p.Head.Fields[i].Value.Of(p.Buf))
		}
	}
	for rest := p.lines; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, crlf)
		name, value, _ := bytes.Cut(line, colon)
		f(name, value)
	}
}

// Set gives the response a field in place of all by that name. What isn't valid is left
// out (see [http1.ValidToken], [http1.ValidFieldValue]), and the upstream's are removed
// all the same. Fields that frame a message or are about the connection stay as they are.
// A name that is in lower case costs no allocation.
func (p *Response) Set(name string, value []byte) {
	if lower := strings.ToLower(name); !Frames(lower) {
		p.drops = append(p.drops, lower)
		p.lines = replace(p.lines, name, lower, value)
	}
}

// Add gives the response one more field, under the same conditions.
func (p *Response) Add(name string, value []byte) {
	if !Frames(name) {
		p.lines = AppendField(p.lines, name, value)
	}
}

// Drop removes the fields of that name, which must be in lower case, under the same
// conditions.
func (p *Response) Drop(lower string) {
	if Frames(lower) {
		return
	}
	p.drops = append(p.drops, lower)
	p.lines = without(p.lines, lower)
}

// Withdraw takes back a field that [Request.Respond] has promised to the response.
func (p *Response) Withdraw(name, value string) {
	p.withdrawn = append(p.withdrawn, AppendField(nil, name, value))
}

// KeepPromises removes what was withdrawn from the lines that are added to the response.
func (p *Response) KeepPromises(lines []byte) []byte {
	for _, line := range p.withdrawn {
		for at := 0; at < len(lines); {
			end := at + bytes.Index(lines[at:], crlf) + len(crlf)
			if bytes.Equal(lines[at:end], line) {
				lines = slices.Delete(lines, at, end)
				break
			}
			at = end
		}
	}
	return lines
}

// Frames reports whether a field says where a message ends, or is about the connection
// (RFC 9110 7.6.1, RFC 9112 6): only the sender of the message knows that.
func Frames(name string) bool {
	return slices.ContainsFunc(framing, func(one string) bool { return strings.EqualFold(one, name) })
}

// Reserved reports whether a field is written by who sends a message, and by no filter: those
// that frame it, and Host.
func Reserved(name string) bool { return Frames(name) || strings.EqualFold(name, "host") }

var framing = []string{"content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection", "upgrade", "te", "trailer"}

// clone returns a copy that is the caller's own.
func (p *Response) clone() *Response {
	head := *p.Head
	head.Fields = slices.Clone(head.Fields)
	return &Response{Head: &head, Buf: slices.Clone(p.Buf), status: p.status, drops: slices.Clone(p.drops), lines: slices.Clone(p.lines)}
}

// adopt takes over what was changed of a clone.
func (p *Response) adopt(c *Response) {
	p.status, p.drops, p.lines = c.status, append(p.drops[:0], c.drops...), append(p.lines[:0], c.lines...)
	p.withdrawn = append(p.withdrawn[:0], c.withdrawn...)
}

// Changed reports whether the response isn't as it came any more.
func (p *Response) Changed() bool { return p.status != 0 || len(p.drops)+len(p.lines) > 0 }

// AppendHead appends the head as it was changed, with the empty line at its end.
func (p *Response) AppendHead(dst []byte) []byte {
	dst = append(dst, "HTTP/1."...)
	dst = append(dst, '0'+p.Head.Minor, ' ')
	dst = strconv.AppendInt(dst, int64(p.Status()), 10)
	dst = append(dst, ' ')
	if p.status != 0 && p.status != p.Head.Status {
		dst = append(dst, http1.Reason(p.status)...)
	} else {
		dst = append(dst, p.Head.Reason.Of(p.Buf)...)
	}
	dst = append(dst, "\r\n"...)
	for i := range p.Head.Fields {
		f := &p.Head.Fields[i]
		if name := f.Name.Of(p.Buf); !p.drop(name) {
			dst = append(append(append(dst, name...), ": "...), f.Value.Of(p.Buf)...)
			dst = append(dst, "\r\n"...)
		}
	}
	return append(append(dst, p.lines...), "\r\n"...)
}

func (p *Response) drop(name []byte) bool {
	for _, lower := range p.drops {
		if len(name) == len(lower) && http1.EqualFold(name, lower) {
			return true
		}
	}
	return false
}
