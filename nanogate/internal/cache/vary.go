package cache

import (
	"bytes"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/translate"
)

// UpstreamRequest is a request as the upstream gets it, for those fields that clients send, guards
// put in, and the route edits: what Vary is about (RFC 9111 4.1).
type UpstreamRequest struct {
	Request *request.Request
	Strip   interface{ Has(name []byte) bool } // fields that the route takes out; nil: none
	Drop    []string                           // that its edit takes out
	Lines   []byte                             // that its edit puts in
}

const (
	mostNames     = 8   // that Vary may give
	mostSelecting = 512 // bytes of the values of these
)

// appendVary appends the names in a Vary field, in lower case, each with a line end. It
// reports whether responses can be selected by them: not by "*", nor by fields that the
// gateway itself writes for each request.
func appendVary(names, value []byte) ([]byte, bool) {
	for len(value) > 0 {
		var name []byte
		name, value, _ = bytes.Cut(value, comma)
		if name = trim(name); len(name) == 0 {
			continue
		}
		from := len(names)
		names = append(append(names, bytes.ToLower(name)...), '\n')
		switch lower := names[from : len(names)-1]; {
		case string(lower) == "host", string(lower) == "x-forwarded-host", string(lower) == "x-forwarded-proto":
			names = names[:from] // it is part of the URL, or of the kind of request
		case string(lower) == "*", !http1.ValidToken(lower), translate.Stripped(lower), bytes.IndexByte(lower, '_') >= 0, ours(lower):
			return names, false
		}
		if bytes.Count(names, newline) > mostNames {
			return names, false
		}
	}
	return names, true
}

// ours reports whether a field of a request is one that the cache or the gateway writes.
func ours(lower []byte) bool {
	switch string(lower) {
	case "range", "if-range", "if-none-match", "if-modified-since", "via", "traceparent", "tracestate":
		return true
	}
	return false
}

// appendSelecting appends what a request has in the fields of those names, in a form in
// which two requests that mean the same are the same.
func appendSelecting(dst, names []byte, s *UpstreamRequest) []byte {
	for len(names) > 0 {
		var name []byte
		name, names, _ = bytes.Cut(names, newline)
		dst = append(s.appendValues(dst, name), '\n')
	}
	return dst
}

var newline = []byte("\n")

// appendValues appends all values of a field as one list; a zero byte if it isn't there.
func (s *UpstreamRequest) appendValues(dst, lower []byte) []byte {
	from, there := len(dst), false
	r := s.Request
	if !within(r.Drops(), lower) && !within(s.Drop, lower) && (s.Strip == nil || !s.Strip.Has(lower)) {
		for i := range r.Head.Fields {
			if f := &r.Head.Fields[i]; f.Name.Len() == len(lower) && bytes.EqualFold(f.Name.Of(r.Buf), lower) {
				dst = appendValue(dst, there, lower, f.Value.Of(r.Buf))
				there = true
			}
		}
	}
	for _, lines := range [...][]byte{r.Forwards(), s.Lines} {
		for len(lines) > 0 {
			var line []byte
			line, lines, _ = bytes.Cut(lines, newline)
			if name, value, ok := bytes.Cut(line, colon); ok && len(name) == len(lower) && bytes.EqualFold(name, lower) {
				dst = appendValue(dst, there, lower, trim(bytes.TrimSuffix(value, carriage)))
				there = true
			}
		}
	}
	if !there {
		return append(dst[:from], 0)
	}
	return dst
}

var colon, carriage = []byte(":"), []byte("\r")

// appendValue appends a value; more says that there is one before it. White space between
// members means nothing in the fields that negotiate by lists.
func appendValue(dst []byte, more bool, lower, value []byte) []byte {
	if more {
		dst = append(dst, ',')
	}
	if !bytes.HasPrefix(lower, []byte("accept")) {
		return append(dst, value...)
	}
	for _, c := range value {
		if c != ' ' && c != '\t' {
			dst = append(dst, c)
		}
	}
	return dst
}

func within(list []string, name []byte) bool {
	for _, one := range list {
		if string(name) == one {
			return true
		}
	}
	return false
}
