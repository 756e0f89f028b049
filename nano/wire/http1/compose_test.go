package http1

import (
	"errors"
	"strings"
	"testing"
)

// TestComposedAsParsed: a head that is put together is judged as one that is parsed.
func TestComposedAsParsed(t *testing.T) {
	const uri = 100
	for _, tt := range []struct{ method, target, host, fields string }{
		{"GET", "/", "a", ""},
		{"GET", "/a/b?c=d&e", "a:80", "Accept: */*\r\n"},
		{"GET", "/caf%C3%A9?x=%", "[::1]", ""},
		{"GET", "/%zz", "a", ""},
		{"GET", "/%4", "a", ""},
		{"GET", "/%41", "a", ""},
		{"GET", "/a#b", "a", ""},
		{"GET", "/a\\b", "a", ""},
		{"GET", "/a?b#c", "a", ""},
		{"GET", "/\xc3\xa9", "a", ""},
		{"GET", "*", "a", ""},
		{"GET", "a", "a", ""},
		{"OPTIONS", "*", "a", ""},
		{"CONNECT", "a:443", "a:443", ""},
		{"CONNECT", "/a", "a", ""},
		{"GET", "/", "a:b", ""},
		{"GET", "/", "u@a", ""},
		{"GET", "/", "a", "Expect: a miracle\r\n"},
		{"POST", "/", "a", "Content-Length: 5\r\nExpect: 100-continue\r\n"},
		{"GET", "/" + strings.Repeat("a", uri-1), "a", ""},
		{"GET", "/" + strings.Repeat("a", uri), "a", ""},
	} {
		wire := tt.method + " " + tt.target + " HTTP/1.1\r\n" + tt.fields + "Host: " + tt.host + "\r\n\r\n"
		var parsed, composed Request
		_, want := parsed.Parse([]byte(wire), &Limits{URI: uri})
		b := []byte(wire)
		at := len(tt.method) + 1
		got := composed.Begin(b, span(0, len(tt.method)), span(at, at+len(tt.target)), uri)
		if got == nil {
			for _, f := range fieldsIn(wire) {
				if got = composed.Add(f, b); got != nil {
					break
				}
			}
		}
		if got == nil {
			got = composed.Conclude(false)
		}
		if !errors.Is(got, want) {
			t.Errorf("%s %s: %v, parsed: %v", tt.method, tt.target, got, want)
			continue
		}
		if want == nil && show(&composed, wire) != show(&parsed, wire) {
			t.Errorf("%s %s: %+v, parsed: %+v", tt.method, tt.target, show(&composed, wire), show(&parsed, wire))
		}
	}
	var r Request
	if err := r.Begin([]byte("GET"), span(0, 3), Span{}, uri); err == nil {
		t.Error("no target is a target")
	}
	if err := r.Begin([]byte("GET/"), span(0, 3), span(3, 4), uri); err != nil || r.Conclude(true) == nil {
		t.Errorf("%v; without a host it is whole", err)
	}
}

// fieldsIn gives the fields of a head as parts of it.
func fieldsIn(wire string) (fields []Field) {
	at := strings.Index(wire, "\r\n") + 2
	for wire[at] != '\r' {
		end := at + strings.Index(wire[at:], "\r\n")
		colon := at + strings.IndexByte(wire[at:], ':')
		fields = append(fields, Field{span(at, colon), span(colon+2, end)})
		at = end + 2
	}
	return fields
}
