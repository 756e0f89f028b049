package cache

import (
	"strconv"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/translate"
)

// Fill is a response on its way into the store. It belongs to one loop. A response that
// isn't complete is not stored.
type Fill struct {
	store    *Store
	key      Key
	url      []byte
	epoch    uint64
	response *Response
	expected int64 // bytes of content; -1: unknown
	reserved int64
	failed   bool
}

// Begin begins to store the response m to a request for url, if it may be stored; else it
// returns nil. epoch is what [Store.Epoch] was when the request was sent.
func (s *Store) Begin(p *Policy, key Key, url []byte, epoch uint64, m *UpstreamResponse) *Fill {
	v := p.prepare(m)
	if v == nil {
		return nil
	}
	f := &Fill{store: s, key: key, url: url, epoch: epoch, response: v, expected: -1}
	if m.Head.ContentLength >= 0 && !m.Head.Chunked {
		f.expected = m.Head.ContentLength
	}
	if bodiless(v.Status) {
		f.expected = 0
	}
	if !f.reserve(max(f.expected, 0)) {
		return nil
	}
	if f.expected > 0 {
		v.Body = make([]byte, 0, f.expected)
	}
	return f
}

// Response is the response that is being stored, without its body. It must not be
// changed.
func (f *Fill) Response() *Response { return f.response }

func bodiless(status int) bool { return status == 204 || status == 304 }

// reserve takes room for a body of n bytes. All responses that are on their way take up to a
// quarter of what the store may.
func (f *Fill) reserve(n int64) bool {
	s, v := f.store, f.response
	whole := n + int64(v.size()-cap(v.Body))
	object := s.object.Load()
	if more := whole - f.reserved; whole <= object {
		if s.filling.Add(more) <= max(s.size.Load()/4, object) {
			f.reserved = whole
			return true
		}
		s.filling.Add(-more)
	}
	s.refused.Add(1)
	f.Abandon()
	return false
}

// Write adds a part of the body. It reports whether the response is stored still.
func (f *Fill) Write(piece []byte) bool {
	v := f.response
	n := len(v.Body) + len(piece)
	if f.failed || f.expected >= 0 && int64(n) > f.expected {
		f.Abandon()
		return false
	}
	if n > cap(v.Body) {
		grown := max(n, 2*cap(v.Body), 4<<10)
		if !f.reserve(int64(grown)) {
			return false
		}
		v.Body = append(make([]byte, 0, grown), v.Body...)
	}
	v.Body = append(v.Body, piece...)
	return true
}

// Finish stores the response and returns it; nil if its body is incomplete, or it isn't
// stored.
func (f *Fill) Finish() *Response {
	v := f.response
	defer f.Abandon()
	if f.failed || f.expected >= 0 && int64(len(v.Body)) != f.expected {
		return nil
	}
	if wasted := cap(v.Body) - len(v.Body); wasted > len(v.Body)/8 {
		v.Body = append(make([]byte, 0, len(v.Body)), v.Body...)
	}
	v.seal()
	if !f.store.put(f.key, f.url, v, f.epoch) {
		return nil
	}
	return v
}

// seal writes how long the body is.
func (v *Response) seal() {
	if !bodiless(v.Status) {
		v.Head = append(v.Head, "Content-Length: "...)
		v.Head = append(strconv.AppendInt(v.Head, int64(len(v.Body)), 10), "\r\n"...)
	}
}

// Abandon gives up the room that was taken. It may be called more than once.
func (f *Fill) Abandon() {
	f.failed = true
	f.store.filling.Add(-f.reserved)
	f.reserved = 0
}

// Freshen stores v again after a 304 has revalidated it, and returns the response to
// send; v itself isn't changed. It returns nil if the 304 is about another response (RFC
// 9111 4.3.4). The 304 may forbid that it is stored: it is sent all the same.
func (s *Store) Freshen(p *Policy, key Key, url []byte, epoch uint64, v *Response, m *UpstreamResponse) *Response {
	for i := range m.Head.Fields {
		f := &m.Head.Fields[i]
		if name := f.Name.Of(m.Buf); len(name) == len("etag") && http1.EqualFold(name, "etag") && !weaklyEqual(f.Value.Of(m.Buf), v.ETag) {
			return nil
		}
	}
	text := v.merge(nil, m.Head, m.Buf, m.Named, m.Drop)
	var head http1.ResponseHead
	if n, err := head.Parse(text, true, nil); n == 0 || err != nil {
		return nil
	}
	whole := *m
	whole.Head, whole.Buf, whole.Named = &head, text, &translate.Named{}
	whole.Head.UntilClose = false
	next := p.prepare(&whole)
	if next == nil {
		s.Invalidate(key)
		return v
	}
	next.Body = v.Body
	next.seal()
	s.put(key, url, next, epoch)
	return next
}
