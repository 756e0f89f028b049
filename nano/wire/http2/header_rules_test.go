package http2

import "testing"

// decode puts fields, given as "name: value", into a Header.
func decode(t testing.TB, fields ...string) *Header {
	t.Helper()
	var d Decoder
	d.Init(4096)
	h := new(Header)
	if err := d.Decode([]byte(block(fields...)), h, &wide); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestRequestRules(t *testing.T) {
	const m, s, p, a = ":method: GET", ":scheme: https", ":path: /", ":authority: h"
	tests := []struct {
		name   string
		fields []string
		want   *Error
	}{
		{"plain", []string{m, s, p, a}, nil},
		{"in another order", []string{a, p, s, m}, nil},
		{"Host for :authority", []string{m, s, p, "host: h"}, nil},
		{"Host as :authority", []string{m, s, p, ":authority: h.example", "host: H.example"}, nil},
		{"Host unlike :authority (8.3.1)", []string{m, s, p, a, "host: x"}, errHosts},
		{"two Hosts", []string{m, s, p, "host: h", "host: h"}, errHosts},
		{"no host (8.3.1)", []string{m, s, p}, errNoAuthority},
		{"empty :authority (8.3.1)", []string{m, s, p, ":authority: "}, errAuthority},
		{"empty Host (8.3.1)", []string{m, s, p, "host: "}, errAuthority},
		{"user in :authority (8.3.1)", []string{m, s, p, ":authority: u@h"}, errAuthority},
		{"user in Host", []string{m, s, p, "host: u@h"}, errAuthority},
		{"no host for another scheme", []string{m, ":scheme: urn", p}, nil},
		{"no :method (8.3.1)", []string{s, p, a}, errMissing},
		{"no :scheme (8.3.1)", []string{m, p, a}, errMissing},
		{"no :path (8.3.1)", []string{m, s, a}, errMissing},
		{"empty :path (8.3.1)", []string{m, s, ":path: ", a}, errMissing},
		{"empty :method", []string{":method: ", s, p, a}, errMissing},
		{"two :methods (8.3)", []string{m, m, s, p, a}, errPseudo},
		{"two :paths, one empty (8.3)", []string{m, s, ":path: ", p, a}, errPseudo},
		{"unknown pseudo-header (8.3)", []string{m, s, p, a, ":foo: x"}, errPseudo},
		{"empty pseudo-header (8.3)", []string{m, s, p, a, ":: x"}, errPseudo},
		{":status in a request (8.3)", []string{m, s, p, a, ":status: 200"}, errPseudo},
		{"pseudo-header after a field (8.3)", []string{m, s, a, "x: y", p}, errMissing},
		{"second pseudo-header after a field (8.3)", []string{m, s, p, a, "x: y", p}, errPseudoLate},
		{"method not a token", []string{":method: G T", s, p, a}, errMethod},
		{"scheme with a space", []string{m, ":scheme: ht tp", p, a}, errScheme},
		{"path without a slash (8.3.1)", []string{m, s, ":path: a", a}, errPath},
		{"path with a space", []string{m, s, ":path: /a b", a}, errPath},
		{"path with a fragment", []string{m, s, ":path: /a#b", a}, errPath},
		{"path not ASCII", []string{m, s, ":path: /\xc3\xa9", a}, errPath},
		{"path with a line's end", []string{m, s, ":path: /\r\nx: y", a}, errValue},
		{"OPTIONS * (8.3.1)", []string{":method: OPTIONS", s, ":path: *", a}, nil},
		{"GET *", []string{m, s, ":path: *", a}, errPath},
		{"CONNECT (8.5)", []string{":method: CONNECT", ":authority: h:443"}, nil},
		{"CONNECT with :path (8.5)", []string{":method: CONNECT", ":authority: h:443", p}, errConnect},
		{"CONNECT with :scheme (8.5)", []string{":method: CONNECT", ":authority: h:443", s}, errConnect},
		{"CONNECT without :authority (8.5)", []string{":method: CONNECT"}, errConnect},
		{"extended CONNECT (RFC 8441)", []string{":method: CONNECT", ":protocol: websocket", s, p, a}, nil},
		{"extended CONNECT without :path", []string{":method: CONNECT", ":protocol: websocket", s, a}, errMissing},
		{"extended CONNECT without :authority", []string{":method: CONNECT", ":protocol: websocket", s, p}, errProtocol},
		{":protocol with GET", []string{m, ":protocol: websocket", s, p, a}, errProtocol},
		{"capitals in a name (8.2.1)", []string{m, s, p, a, "X-y: z"}, errName},
		{"capitals in a known name (8.2.1)", []string{m, s, p, a, "Te: trailers"}, errName},
		{"empty name (8.2.1)", []string{m, s, p, a, ": z"}, errName},
		{"space in a name (8.2.1)", []string{m, s, p, a, "a b: z"}, errName},
		{"NUL in a value (8.2.1)", []string{m, s, p, a, "a: b\x00"}, errValue},
		{"LF in a value (8.2.1)", []string{m, s, p, a, "a: 0123456789\nabcdefgh"}, errValue},
		{"CR in a value (8.2.1)", []string{m, s, p, a, "a: b\rc"}, errValue},
		{"DEL in a value", []string{m, s, p, a, "a: \x7f"}, errValue},
		{"space before a value (8.2.1)", []string{m, s, p, a, "a:  b"}, errValue},
		{"tab after a value (8.2.1)", []string{m, s, p, a, "a: b\t"}, errValue},
		{"tab in a value", []string{m, s, p, a, "a: 0123\t456", "b: \xff"}, nil},
		{"connection (8.2.2)", []string{m, s, p, a, "connection: close"}, errConnection},
		{"keep-alive (8.2.2)", []string{m, s, p, a, "keep-alive: 5"}, errConnection},
		{"proxy-connection (8.2.2)", []string{m, s, p, a, "proxy-connection: close"}, errConnection},
		{"transfer-encoding (8.2.2)", []string{m, s, p, a, "transfer-encoding: chunked"}, errConnection},
		{"upgrade (8.2.2)", []string{m, s, p, a, "upgrade: h2c"}, errConnection},
		{"TE (8.2.2)", []string{m, s, p, a, "te: Trailers"}, nil},
		{"TE other than trailers (8.2.2)", []string{m, s, p, a, "te: trailers, gzip"}, errTE},
		{"length", []string{m, s, p, a, "content-length: 123456789012345678"}, nil},
		{"length with 19 digits", []string{m, s, p, a, "content-length: 1234567890123456789"}, errLength},
		{"length signed", []string{m, s, p, a, "content-length: +1"}, errLength},
		{"length empty", []string{m, s, p, a, "content-length: "}, errLength},
		{"two lengths", []string{m, s, p, a, "content-length: 1", "content-length: 1"}, errLengths},
	}
	for _, tt := range tests {
		if err := decode(t, tt.fields...).request(true); err != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if err := decode(t, ":method: CONNECT", ":protocol: websocket", s, p, a).request(false); err != errProtocol {
		t.Errorf("extended CONNECT that was not offered: %v", err)
	}
}

func TestRequestParts(t *testing.T) {
	h := decode(t, ":path: /p?q", ":method: PUT", "content-length: 42", "a: b", "host: x")
	if err := h.request(false); err != errMissing {
		t.Fatal(err)
	}
	h = decode(t, ":path: /p?q", ":method: PUT", ":scheme: http", "cookie: a=1", "content-length: 42", "cookie: b=2", "x: y", "cookie: c=3", "host: h:80")
	if err := h.request(false); err != nil {
		t.Fatal(err)
	}
	text := func(s Span) string { return string(s.Of(h.Bytes)) }
	if text(h.Method) != "PUT" || text(h.Path) != "/p?q" || text(h.Scheme) != "http" || text(h.Authority) != "h:80" || h.ContentLength != 42 {
		t.Errorf("%q %q %q %q %d", text(h.Method), text(h.Path), text(h.Scheme), text(h.Authority), h.ContentLength)
	}
	want := []string{"cookie: a=1; b=2; c=3", "content-length: 42", "x: y", "host: h:80"}
	if len(h.Fields) != len(want) { // RFC 9113 8.2.3
		t.Fatalf("%d fields", len(h.Fields))
	}
	for i, f := range h.Fields {
		if got := text(f.Name) + ": " + text(f.Value); got != want[i] {
			t.Errorf("field %d: %q, want %q", i, got, want[i])
		}
	}
	var kept Header
	h.CopyTo(&kept)
	for i := range h.Bytes {
		h.Bytes[i] = '#'
	}
	if v, ok := kept.Find("x"); !ok || string(v) != "y" {
		t.Errorf("x is %q, %v in a copy", v, ok)
	}
	if v, ok := kept.FindKnown(NameCookie); !ok || string(v) != "a=1; b=2; c=3" {
		t.Errorf("cookie is %q, %v in a copy", v, ok)
	}
	if _, ok := kept.Find("y"); ok {
		t.Error("y is there")
	}
}

func TestResponseRules(t *testing.T) {
	tests := []struct {
		name   string
		fields []string
		status int
		want   *Error
	}{
		{"plain", []string{":status: 200", "a: b"}, 200, nil},
		{"not registered", []string{":status: 599"}, 599, nil},
		{"no status (8.3.2)", []string{"a: b"}, 0, errStatus},
		{"nothing", nil, 0, errStatus},
		{"status after a field", []string{"a: b", ":status: 200"}, 0, errStatus},
		{"two digits", []string{":status: 20"}, 0, errStatus},
		{"a letter", []string{":status: 20x"}, 20, errStatus},
		{"leading zero", []string{":status: 020"}, 0, errStatus},
		{"101 (8.6)", []string{":status: 101"}, 101, errSwitching},
		{"two statuses", []string{":status: 200", ":status: 200"}, 200, errPseudo},
		{"late status", []string{":status: 200", "a: b", ":status: 200"}, 200, errPseudoLate},
		{":path in a response", []string{":status: 200", ":path: /"}, 200, errPseudo},
		{"connection (8.2.2)", []string{":status: 200", "connection: close"}, 200, errConnection},
		{"TE", []string{":status: 200", "te: trailers"}, 200, errTE},
		{"two lengths", []string{":status: 200", "content-length: 1", "content-length: 1"}, 200, errLengths},
	}
	for _, tt := range tests {
		h := decode(t, tt.fields...)
		if err := h.response(); err != tt.want || h.Status != tt.status {
			t.Errorf("%s: %d, %v, want %v", tt.name, h.Status, err, tt.want)
		}
	}
}

// TestFlawsAreKept holds that a field which comes from the table is judged as it
// was when it went in.
func TestFlawsAreKept(t *testing.T) {
	for _, tt := range []struct {
		field string // with indexing, name and value of one byte
		want  *Error
	}{{"\x40\x01A\x01b", errName}, {"\x40\x01a\x01\n", errValue}, {"\x40\x01a\x01b", nil}} {
		var d Decoder
		d.Init(4096)
		h := new(Header)
		for _, code := range []string{tt.field, "\xbe"} {
			if err := d.Decode([]byte(code), h, &wide); err != nil {
				t.Fatal(err)
			}
			if err := h.trailers(); err != tt.want {
				t.Errorf("%x: %v, want %v", code, err, tt.want)
			}
		}
		if err := d.Decode([]byte("\x7e\x01c"), h, &wide); err != nil { // its name with another value
			t.Fatal(err)
		}
		want := tt.want
		if want == errValue {
			want = nil
		}
		if err := h.trailers(); err != want {
			t.Errorf("name of %x: %v, want %v", tt.field, err, want)
		}
	}
}
