package cache

import (
	"bytes"
	"net/http"
	"time"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/translate"
)

// UpstreamResponse is the head of a response that has come from an upstream, with what there is to
// know for storing it.
type UpstreamResponse struct {
	Head  *http1.ResponseHead
	Buf   []byte           // what Head was parsed from
	Named *translate.Named // the fields that its Connection field names
	Drop  []string         // those that the route takes out
	Sent  *UpstreamRequest // the request, as the upstream got it
	Route Key              // the kind of request

	Authorized bool  // the request had credentials
	Cookies    bool  // the upstream was sent cookies
	Requested  int64 // when it was sent, ns
	Now        int64 // ns
	Wall       int64 // the same moment, s of Unix time
}

// responseFields is what the fields of a response say about storing it.
type responseFields struct {
	control    Directives
	targeted   [MostTargets][]string // lines of the fields that count more, by the policy's targets
	expires    int64                 // s of Unix time
	hasExpires bool
	date       int64
	hasDate    bool
	age        int64
	hasAge     bool
	modified   int64
	names      []byte
	cookie     bool
	partial    bool
	incomplete bool // its Vary or its tags exceed what is stored
}

// tag notes the tags that a field gives.
func (s *responseFields) tag(v *Response, value []byte, separator byte) {
	tags, whole := appendTags(v.tags, value, separator)
	v.tags, s.incomplete = tags, s.incomplete || !whole
}

// prepare makes what is stored of a response, without its body; nil if it isn't stored
// (RFC 9111 3).
func (p *Policy) prepare(m *UpstreamResponse) *Response {
	s := responseFields{control: NoDirectives}
	v := &Response{Status: m.Head.Status, route: m.Route}
	s.read(p, m, v)
	s.choose()
	if !p.storable(m, &s) {
		return nil
	}
	c := &s.control
	if !s.hasDate { // RFC 9110 6.6.1
		s.date = m.Wall
		v.Head = append(http1.AppendDate(append(v.Head, "Date: "...), s.date), "\r\n"...)
		v.NotModified = append(http1.AppendDate(append(v.NotModified, "Date: "...), s.date), "\r\n"...)
	}
	v.date, v.modified = s.date, s.modified
	age := max((m.Wall-s.date)*second, s.age*second+max(0, m.Now-m.Requested)) // RFC 9111 4.2.3
	v.born = m.Now - age
	v.lifetime = p.lifetime(m.Head.Status, &s) * second
	v.noCache, v.strict, v.shared = c.NoCache, c.MustRevalidate, c.SharedMaxAge != absent
	v.open = c.Public || c.MustRevalidate || c.SharedMaxAge != absent
	v.whileRevalidate, v.ifError = c.WhileRevalidate, c.IfError
	if left := v.lifetime - age; left <= 0 || v.noCache {
		// It must be revalidated before each use, and is worth its room only if it has
		// validators, or may be sent when it is stale.
		stale := max(p.window(v, v.whileRevalidate, p.WhileRevalidate), p.window(v, v.ifError, p.IfError))
		if !v.Validators() && (v.strict || v.noCache || -left >= stale) {
			return nil
		}
	}
	if v.names = s.names; len(v.names) > 0 {
		if v.selecting = appendSelecting(nil, v.names, m.Sent); len(v.selecting) > mostSelecting {
			return nil
		}
	}
	return v
}

// storable reports whether a response may be stored.
func (p *Policy) storable(m *UpstreamResponse, s *responseFields) bool {
	c, status := &s.control, m.Head.Status
	switch {
	case status < 200 || status == 206 || status == 304 || s.partial:
		return false
	case c.MustUnderstand && !understood(status): // RFC 9111 5.2.2.3
		return false
	case c.NoStore && !c.MustUnderstand, c.Private, s.incomplete:
		return false
	case s.cookie: // it is for one client
		return false
	case m.Authorized && !c.Public && !c.MustRevalidate && c.SharedMaxAge == absent: // RFC 9111 3.5
		return false
	case m.Head.UntilClose: // its end may be that of an upstream that failed
		return false
	}
	// The response to a request with cookies may be personal: it is shared only if it says so.
	return c.Public || c.MaxAge != absent || c.SharedMaxAge != absent || s.hasExpires || heuristic(status) && !m.Cookies
}

// understood reports whether the meaning of a status is known here.
func understood(status int) bool { return http.StatusText(status) != "" }

// heuristic reports whether a response of a status may be stored that doesn't say for how
// long it is fresh (RFC 9110 15.1).
func heuristic(status int) bool {
	switch status {
	case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501:
		return true
	}
	return false
}

// lifetime is how long a response is fresh, in seconds (RFC 9111 4.2.1).
func (p *Policy) lifetime(status int, s *responseFields) int64 {
	switch c := &s.control; {
	case c.SharedMaxAge != absent:
		return c.SharedMaxAge
	case c.MaxAge != absent:
		return c.MaxAge
	case s.hasExpires:
		return min(max(0, s.expires-s.date), longest)
	case p.Heuristic > 0 && s.modified > 0 && (c.Public || heuristic(status)): // RFC 9111 4.2.2
		return min(max(0, s.date-s.modified)/10, int64(p.Heuristic/time.Second))
	}
	return 0
}

// read reads a response's fields, and writes those that are stored.
func (s *responseFields) read(p *Policy, m *UpstreamResponse, v *Response) {
	h, b := m.Head, m.Buf
	v.Head = append(make([]byte, 0, len(b)+64), "HTTP/1.1"...)
	line := bytes.IndexByte(b, '\n') + 1
	v.Head = append(v.Head, b[len("HTTP/1.1"):line]...)
	for i := range h.Fields {
		name, value := h.Fields[i].Name.Of(b), h.Fields[i].Value.Of(b)
		is := func(lower string) bool { return len(name) == len(lower) && http1.EqualFold(name, lower) }
		switch {
		case is("cache-control"):
			s.control.read(value)
		case is("expires"):
			if !s.hasExpires {
				s.expires, _ = parseDate(value) // what is no date has passed
				s.hasExpires = true
			}
		case is("date"):
			if s.hasDate {
				continue
			}
			if s.date, s.hasDate = parseDate(value); !s.hasDate {
				continue
			}
		case is("age"):
			if !s.hasAge {
				s.age, _ = parseSeconds(firstOf(value))
				s.hasAge = true
			}
		case is("last-modified"):
			v.Modified = bytes.Clone(value)
			s.modified, _ = parseDate(value)
		case is("etag"):
			v.ETag = bytes.Clone(value)
		case is("vary"):
			names, told := appendVary(s.names, value)
			s.names, s.incomplete = names, s.incomplete || !told
		case is("set-cookie"):
			s.cookie = true
		case is("content-range"):
			s.partial = true
		case is("cache-tag"):
			s.tag(v, value, ',')
		case is("surrogate-key"):
			s.tag(v, value, ' ')
		}
		target := p.target(name)
		if target >= 0 {
			s.targeted[target] = append(s.targeted[target], string(value))
		}
		if !kept(name) || m.Named.Has(name) || translate.Dropped(name, m.Drop) {
			continue
		}
		v.Head = append(append(append(append(v.Head, name...), ": "...), value...), "\r\n"...)
		if target >= 0 || inNotModified(name) {
			v.NotModified = append(append(append(append(v.NotModified, name...), ": "...), value...), "\r\n"...)
		}
	}
}

// firstOf is the first member of a list.
func firstOf(list []byte) []byte {
	first, _, _ := bytes.Cut(list, comma)
	return trim(first)
}

// parseDate reads a date in one of the three forms that there are (RFC 9110 5.6.7).
func parseDate(b []byte) (unix int64, ok bool) {
	// Package net/http reads digits that are missing and spaces that are too many.
	switch bytes.IndexByte(b, ',') {
	case 3:
		ok = len(b) == len(http.TimeFormat)
	case -1:
		ok = len(b) == len(time.ANSIC)
	default: // RFC 850, whose names of days have any length
		ok = true
	}
	t, err := http.ParseTime(string(b))
	if err != nil || !ok {
		return 0, false
	}
	return t.Unix(), true
}
