package cache

import (
	"bytes"
	"strconv"

	"dyno.example/nano/wire/http1"
)

// Unchanged reports whether the client has what is stored already: a 304 is enough
// (RFC 9110 13.2.2, RFC 9111 4.3.2).
func (v *Response) Unchanged(noneMatch, modifiedSince []byte) bool {
	if v.Status != 200 {
		return false
	}
	if noneMatch != nil {
		return v.matches(noneMatch)
	}
	if modifiedSince == nil {
		return false
	}
	since, ok := parseDate(modifiedSince)
	if !ok {
		return false
	}
	if v.modified > 0 {
		return v.modified <= since
	}
	return v.date > 0 && v.date <= since
}

// matches reports whether a list of entity tags has that of the response.
func (v *Response) matches(list []byte) bool {
	if string(list) == "*" {
		return true
	}
	if v.ETag == nil {
		return false
	}
	for len(list) > 0 {
		end := directiveEnd(list)
		if weaklyEqual(trim(list[:end]), v.ETag) {
			return true
		}
		if list = list[end:]; len(list) > 0 {
			list = list[1:]
		}
	}
	return false
}

var weak = []byte("W/")

// weaklyEqual compares entity tags (RFC 9110 8.8.3.2).
func weaklyEqual(a, b []byte) bool {
	return bytes.Equal(bytes.TrimPrefix(a, weak), bytes.TrimPrefix(b, weak))
}

// Part is a part of a body: from From up to To, not included.
type Part struct{ From, To int64 }

// How a request for a part is dealt with.
type Ranged uint8

const (
	Whole         Ranged = iota // all is given: more than one part, or of another unit, or it has changed
	Partial                     // the part is given
	Unsatisfiable               // there is none of it
)

// Range reads what part of a response is wanted (RFC 9110 14.1.2, 14.2). For several
// the response is the whole, which is allowed.
func (v *Response) Range(wanted, ifRange []byte) (Part, Ranged) {
	size := int64(len(v.Body))
	if wanted == nil || v.Status != 200 || ifRange != nil && !v.is(ifRange) {
		return Part{}, Whole
	}
	spec, ok := bytes.CutPrefix(wanted, []byte("bytes="))
	if !ok || bytes.IndexByte(spec, ',') >= 0 {
		return Part{}, Whole
	}
	first, last, ok := bytes.Cut(trim(spec), []byte("-"))
	if !ok {
		return Part{}, Whole
	}
	from, hasFrom := http1.ParseLength(first) // which positions are written like
	to, hasTo := http1.ParseLength(last)
	switch {
	case len(first) > 0 && !hasFrom, len(last) > 0 && !hasTo, !hasFrom && !hasTo, hasFrom && hasTo && to < from:
		return Part{}, Whole
	case !hasFrom: // so many at the end
		from, to = max(0, size-to), size
	case !hasTo:
		to = size
	default:
		to = min(to+1, size)
	}
	if from >= to {
		return Part{}, Unsatisfiable
	}
	return Part{from, to}, Partial
}

// is reports whether an If-Range means this response: by a strong entity tag, or by the
// very date (RFC 9110 13.1.5).
func (v *Response) is(ifRange []byte) bool {
	if len(ifRange) > 0 && ifRange[0] == '"' {
		return bytes.Equal(ifRange, v.ETag)
	}
	return v.Modified != nil && bytes.Equal(ifRange, v.Modified) && v.date-v.modified > 1
}

// AppendPart appends the fields of a 206 with a part of the response, at a time now.
func (v *Response) AppendPart(dst []byte, p Part, now int64) []byte {
	dst = append(dst, "HTTP/1.1 206 Partial Content\r\n"...)
	dst = v.appendWithoutLength(dst)
	dst = append(strconv.AppendInt(append(dst, "Content-Range: bytes "...), p.From, 10), '-')
	dst = append(strconv.AppendInt(dst, p.To-1, 10), '/')
	dst = append(strconv.AppendInt(dst, int64(len(v.Body)), 10), "\r\nContent-Length: "...)
	dst = append(strconv.AppendInt(dst, p.To-p.From, 10), "\r\nAge: "...)
	return append(strconv.AppendInt(dst, v.Age(now), 10), "\r\n"...)
}

// appendWithoutLength appends its fields but for the last one, which says how long it is.
func (v *Response) appendWithoutLength(dst []byte) []byte {
	lines := v.Head[bytes.IndexByte(v.Head, '\n')+1:]
	return append(dst, lines[:bytes.LastIndexByte(lines[:len(lines)-1], '\n')+1]...)
}

// AppendUnsatisfiable appends the head of a 416.
func (v *Response) AppendUnsatisfiable(dst []byte, date []byte) []byte {
	dst = append(append(dst, "HTTP/1.1 416 Range Not Satisfiable\r\n"...), date...)
	dst = append(dst, "Content-Range: bytes */"...)
	return append(strconv.AppendInt(dst, int64(len(v.Body)), 10), "\r\nContent-Length: 0\r\n"...)
}

// WithoutConditions takes the cache's conditions out of a request's head.
func WithoutConditions(head []byte) []byte {
	out := head[:0]
	for len(head) > 0 {
		end := 0
		for end < len(head) && head[end] != '\n' {
			end++
		}
		line := head[:min(end+1, len(head))]
		head = head[len(line):]
		if !begins(line, "if-none-match:") && !begins(line, "if-modified-since:") {
			out = append(out, line...)
		}
	}
	return out
}

func begins(line []byte, lower string) bool {
	return len(line) > len(lower) && http1.EqualFold(line[:len(lower)], lower)
}
