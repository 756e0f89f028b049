package engine

import (
	"bytes"
	"strconv"

	"dyno.example/nano/internal/exchange"
	"dyno.example/nano/wire/http1"
	"dyno.example/nano/wire/http2"
)

// sendStream sends what a stream has, of its content no more than a frame: others have
// their turn. It reports whether there is more that can be sent.
func (l *h2streams) send(c *conn, t *h2stream) (again bool) {
	codec := &c.h2.codec
	t.mu.Lock()
	o := &t.out
	if !t.s.Closed() {
		again = l.sendPart(codec, t, o)
	}
	if !t.running && (o.cut || o.status == 0 && !t.collecting) {
		codec.Reset(t.s, http2.InternalError) // nothing to be sent says how it ends
	}
	if t.s.Closed() || t.s.SendEnded() {
		o.data, o.sent = o.data[:0], 0
	}
	if t.running && len(o.data)-o.sent <= keptOfStream/2 {
		signal(t.writable)
		if t.idle && t.full {
			l.coroutines.resumeLater(c, t)
		}
	}
	ended := !t.running && (t.s.Closed() || t.s.SendEnded())
	t.mu.Unlock()
	if ended {
		l.end(c, t)
		return false
	}
	return again
}

// sendPart sends heads, a frame of content and trailers.
func (l *h2streams) sendPart(codec *http2.Conn, t *h2stream, o *h2out) (again bool) {
	if len(o.interim) > 0 {
		sendInterim(codec, t.s, o.interim)
		o.interim = o.interim[:0]
	}
	if o.status == 0 || o.cut && !o.begun {
		return false
	}
	if o.ended && t.running { // the client learns of the end when the request is over here, too
		return false
	}
	if t.running && !o.begun && !o.flushed && len(o.data) == 0 { // the end may go with the head
		return false
	}
	bare := o.ended && len(o.data) == 0 && len(o.trailers) == 0
	if !o.begun {
		o.begun = true
		l.sendHead(t.conn.h2, t.s, o, bare)
		if o.last {
			codec.Drain(l.now)
		}
	}
	if rest := o.data[o.sent:]; len(rest) > 0 {
		part := rest[:min(len(rest), http2.MinMaxFrame)]
		n := codec.SendData(t.s, part, o.ended && len(part) == len(rest) && len(o.trailers) == 0)
		t.moved += int64(n)
		if o.sent += n; o.sent < len(o.data) {
			return n == len(part)
		}
		o.data, o.sent = o.data[:0], 0
	}
	switch {
	case !o.ended || t.s.SendEnded():
	case len(o.trailers) > 0:
		codec.Trailers(t.s)
		sendFields(codec, o.trailers)
		codec.EndHeaders(true)
	default:
		codec.SendData(t.s, nil, true)
	}
	return false
}

// h2head is the head of the last response on a connection: most are the same, and are
// sent again as they were encoded.
type h2head struct {
	section http2.Section
	status  int
	length  int64
	until   int64 // when the Date in it ends to be right; 0: it was the handler's
	lines   []byte
}

// mostHead is the size of a head, in bytes, up to which it is kept.
const mostHead = 512

// is reports whether o's head is this one.
func (k *h2head) is(o *h2out, until int64) bool {
	return k.status == o.status && k.length == o.length && k.until == until && string(k.lines) == string(o.head)
}

// sendHead sends the head of a response; bare says that it is all.
func (l *h2streams) sendHead(h *h2conn, s *http2.Stream, o *h2out, bare bool) {
	codec, k, until := &h.codec, &h.last, l.dated
	if o.dated {
		until = 0
	}
	if k.is(o, until) && codec.Again(s, &k.section) {
		codec.EndHeaders(bare)
		return
	}
	l.encodeHead(codec, s, o)
	if k.status = 0; len(o.head) <= mostHead && codec.Keep(&k.section) {
		k.status, k.length, k.until, k.lines = o.status, o.length, until, append(k.lines[:0], o.head...)
	}
	codec.EndHeaders(bare)
}

func (l *h2streams) encodeHead(codec *http2.Conn, s *http2.Stream, o *h2out) {
	codec.Response(s, o.status)
	sendFields(codec, o.head)
	if !o.dated {
		date := l.turn.date
		codec.Known(http2.NameDate, date[len("Date: "):len(date)-len("\r\n")])
	}
	if o.length >= 0 {
		var digits [20]byte
		codec.Known(http2.NameContentLength, strconv.AppendInt(digits[:0], o.length, 10))
	}
}

// sendInterim sends interim responses: for each the status, and lines up to an empty
// one.
func sendInterim(codec *http2.Conn, s *http2.Stream, lines []byte) {
	for len(lines) > 0 {
		line, end := exchange.CutLine(lines)
		status, err := strconv.Atoi(string(line[:min(3, len(line))]))
		if err != nil {
			panic("nano: an interim response without a status: " + err.Error())
		}
		lines = lines[end:]
		codec.Response(s, status)
		fields := bytes.Index(lines, []byte("\r\n\r\n")) + len("\r\n")
		if bytes.HasPrefix(lines, []byte("\r\n")) {
			fields = 0
		}
		sendFields(codec, lines[:fields])
		codec.EndHeaders(false)
		lines = lines[fields+len("\r\n"):]
	}
}

// sendFields adds "Name: value\r\n" lines. Who made them has seen to it that they can
// be sent; white space around a value can't be (RFC 9113 8.2.1).
func sendFields(codec *http2.Conn, lines []byte) {
	for len(lines) > 0 {
		var name, value []byte
		if name, value, lines = http1.CutField(lines); len(name) > 0 {
			codec.Field(name, value)
		}
	}
}
