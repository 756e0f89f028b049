package cache

import (
	"bytes"
	"strconv"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/translate"
)

// Response is a stored response. It is immutable.
type Response struct {
	Status      int
	Head        []byte // status line and fields, each with its line's end; without Age, and without the empty line
	NotModified []byte // those fields that a 304 in its place has (RFC 9110 15.4.5)
	Body        []byte
	ETag        []byte // nil: it has none
	Modified    []byte // Last-Modified as it was written; nil: none

	modified int64 // s of Unix time; 0: unknown
	date     int64 // when it was made, s of Unix time
	born     int64 // when it was of age 0, ns
	lifetime int64 // how long it is fresh, ns

	noCache         bool  // it must be revalidated before each use
	strict          bool  // it isn't given when stale, whatever happens
	shared          bool  // s-maxage says how long it is fresh
	open            bool  // it may be sent to requests with credentials (RFC 9111 3.5)
	whileRevalidate int64 // s; absent: it doesn't say
	ifError         int64 // in the same way

	route     Key    // the kind of requests that it is for
	names     []byte // of the fields in Vary, each with a line end
	selecting []byte // what its request had there
	tags      []byte // each with a line's end before and behind it
}

// Age is how old it is at a time now, in seconds.
func (v *Response) Age(now int64) int64 { return max(0, now-v.born) / second }

// Left is how long it is fresh still, in seconds; below 0: since when it isn't.
func (v *Response) Left(now int64) int64 { return (v.lifetime - (now - v.born)) / second }

// Validators reports whether it can be revalidated.
func (v *Response) Validators() bool { return v.ETag != nil || v.Modified != nil }

// Open reports whether it may be sent to requests with an Authorization field (RFC 9111
// 3.5).
func (v *Response) Open() bool { return v.open }

// overhead is about what a response takes in addition to its bytes.
const overhead = 512

// size is how much memory it takes, in bytes.
func (v *Response) size() int {
	return overhead + cap(v.Head) + cap(v.Body) + len(v.NotModified) + len(v.names) + len(v.selecting) + len(v.tags)
}

// AppendFields appends what the response says when it is given at a time now: its fields
// with its age.
func (v *Response) AppendFields(dst []byte, now int64) []byte {
	dst = append(append(dst, v.Head...), "Age: "...)
	return append(strconv.AppendInt(dst, v.Age(now), 10), "\r\n"...)
}

// AppendNotModified does the same for a 304.
func (v *Response) AppendNotModified(dst []byte, now int64) []byte {
	dst = append(append(dst, http1.StatusLine(304)...), v.NotModified...)
	dst = append(dst, "Age: "...)
	return append(strconv.AppendInt(dst, v.Age(now), 10), "\r\n"...)
}

// inNotModified reports whether a 304 has a field of the response.
func inNotModified(name []byte) bool {
	for _, lower := range [...]string{"cache-control", "content-location", "date", "etag", "expires", "vary", "last-modified"} {
		if len(name) == len(lower) && http1.EqualFold(name, lower) {
			return true
		}
	}
	return false
}

// kept reports whether a field of a response is stored as it came (RFC 9111 3.1).
func kept(name []byte) bool {
	switch {
	case translate.HopByHop(name):
	case http1.EqualFold(name, "age"), http1.EqualFold(name, "content-length"):
	case http1.EqualFold(name, "proxy-authenticate"), http1.EqualFold(name, "proxy-authentication-info"), http1.EqualFold(name, "proxy-authorization"):
	default:
		return true
	}
	return false
}

// updated reports whether a 304 changes a field of what is stored (RFC 9111 3.2): not what
// is about the content that is there already.
func updated(name []byte) bool {
	return !http1.EqualFold(name, "content-encoding") && !http1.EqualFold(name, "content-range") && !http1.EqualFold(name, "content-type")
}

// merge writes the head of a stored response with the fields of a 304, as it came.
// named are those that its Connection field names.
func (v *Response) merge(dst []byte, h *http1.ResponseHead, b []byte, named *translate.Named, drop []string) []byte {
	changed := func(name []byte) bool {
		if !updated(name) {
			return false
		}
		for i := range h.Fields {
			if f := h.Fields[i].Name.Of(b); len(f) == len(name) && bytes.EqualFold(f, name) {
				return true
			}
		}
		return false
	}
	old := v.Head
	line := bytes.IndexByte(old, '\n') + 1
	dst, old = append(dst, old[:line]...), old[line:]
	for len(old) > 0 {
		end := bytes.IndexByte(old, '\n') + 1
		name, _, _ := bytes.Cut(old[:end], colon)
		if !changed(name) && !http1.EqualFold(name, "content-length") {
			dst = append(dst, old[:end]...)
		}
		old = old[end:]
	}
	for i := range h.Fields {
		name := h.Fields[i].Name.Of(b)
		if !updated(name) || translate.HopByHop(name) || named.Has(name) || http1.EqualFold(name, "content-length") || translate.Dropped(name, drop) {
			continue
		}
		dst = append(append(append(dst, name...), ": "...), h.Fields[i].Value.Of(b)...)
		dst = append(dst, "\r\n"...)
	}
	return append(dst, "\r\n"...)
}
