package http1

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// parseSplit parses wire as it comes in pieces: up to each of the cuts, then
// all. It gives the result of the first call that is not "more".
func parseSplit(r *Request, wire string, lim *Limits, cuts ...int) (int, error) {
	for _, k := range append(cuts, len(wire)) {
		// A copy of its own length: reading past what has come would show.
		b := slices.Clip([]byte(wire[:k]))
		if n, err := r.Parse(b, lim); n != 0 || err != nil {
			return n, err
		}
	}
	return 0, nil
}

// parsed is what a test looks at, as text.
type parsed struct {
	method, target, path, query, host string
	fields                            string
	length                            int64
	minor                             uint8
	form                              Form
	flags                             string
}

func show(r *Request, wire string) parsed {
	b := []byte(wire)
	text := func(s Span) string { return string(s.Of(b)) }
	p := parsed{text(r.Method), text(r.Target), text(r.Path), text(r.Query), text(r.Host), "", r.ContentLength, r.Minor, r.Form, ""}
	for _, f := range r.Fields {
		p.fields += text(f.Name) + "=" + text(f.Value) + "|"
	}
	for _, flag := range []struct {
		on   bool
		name string
	}{{r.Chunked, "chunked"}, {r.KeepAlive, "keep"}, {r.Expect100, "expect"}, {r.Upgrade, "upgrade"}, {r.Escaped, "escaped"}} {
		if flag.on {
			p.flags += flag.name + " "
		}
	}
	p.flags = strings.TrimSpace(p.flags)
	return p
}

func TestRequest(t *testing.T) {
	get := parsed{method: "GET", target: "/", path: "/", host: "h", fields: "Host=h|", length: -1, minor: 1, flags: "keep"}
	with := func(change func(*parsed)) parsed { p := get; change(&p); return p }
	const host = "Host: h\r\n"
	tests := []struct {
		name, wire string
		want       parsed
	}{
		{"plain", "GET / HTTP/1.1\r\n" + host + "\r\n", get},
		{"one empty line before it (RFC 9112 2.2)", "\r\nGET / HTTP/1.1\r\n" + host + "\r\n", get},
		{"a later minor version (RFC 9110 2.5)", "GET / HTTP/1.7\r\n" + host + "\r\n", get},
		{"HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n", with(func(p *parsed) { p.host, p.fields, p.minor, p.flags = "", "", 0, "" })},
		{"HTTP/1.0 kept alive", "GET / HTTP/1.0\r\nConnection: foo, Keep-Alive\r\n\r\n", with(func(p *parsed) { p.host, p.fields, p.minor = "", "Connection=foo, Keep-Alive|", 0 })},
		{"close", "GET / HTTP/1.1\r\n" + host + "Connection: keep-alive,close\r\n\r\n", with(func(p *parsed) { p.fields += "Connection=keep-alive,close|"; p.flags = "" })},
		{"query", "GET /a/b?c=d?e&f= HTTP/1.1\r\n" + host + "\r\n", with(func(p *parsed) { p.target, p.path, p.query = "/a/b?c=d?e&f=", "/a/b", "c=d?e&f=" })},
		{"escapes", "GET /a%2fb%20?%zz HTTP/1.1\r\n" + host + "\r\n", with(func(p *parsed) {
			p.target, p.path, p.query, p.flags = "/a%2fb%20?%zz", "/a%2fb%20", "%zz", "keep escaped"
		})},
		{"two slashes", "GET //a HTTP/1.1\r\n" + host + "\r\n", with(func(p *parsed) { p.target, p.path = "//a", "//a" })},
		{"absolute-form wins over Host (RFC 9112 3.2.2)", "GET HTTP://x:80/y?z HTTP/1.1\r\n" + host + "\r\n", with(func(p *parsed) {
			p.target, p.path, p.query, p.host, p.form = "HTTP://x:80/y?z", "/y", "z", "x:80", AbsoluteForm
		})},
		{"absolute-form without path", "GET https://[::1] HTTP/1.1\r\n" + host + "\r\n", with(func(p *parsed) {
			p.target, p.path, p.host, p.form = "https://[::1]", "", "[::1]", AbsoluteForm
		})},
		{"absolute-form with query only", "GET http://x?y HTTP/1.1\r\n" + host + "\r\n", with(func(p *parsed) {
			p.target, p.path, p.query, p.host, p.form = "http://x?y", "", "y", "x", AbsoluteForm
		})},
		{"authority-form (RFC 9112 3.2.3)", "CONNECT x:443 HTTP/1.1\r\n" + host + "\r\n", with(func(p *parsed) {
			p.method, p.target, p.path, p.host, p.form = "CONNECT", "x:443", "x:443", "x:443", AuthorityForm
		})},
		{"asterisk-form (RFC 9112 3.2.4)", "OPTIONS * HTTP/1.1\r\n" + host + "\r\n", with(func(p *parsed) {
			p.method, p.target, p.path, p.form = "OPTIONS", "*", "*", AsteriskForm
		})},
		{"method of any token, case kept (RFC 9110 9.1)", "m-Search!# / HTTP/1.1\r\n" + host + "\r\n", with(func(p *parsed) { p.method = "m-Search!#" })},
		{"empty Host (RFC 9112 3.2)", "GET / HTTP/1.1\r\nhost:\r\n\r\n", with(func(p *parsed) { p.host, p.fields = "", "host=|" })},
		{"white space around values (RFC 9112 5.1)", "GET / HTTP/1.1\r\nHOST:\t h \t\r\nA:  \t \r\nB_1: c \t d\r\n\r\n", with(func(p *parsed) { p.fields = "HOST=h|A=|B_1=c \t d|" })},
		{"octets above 0x7f in values (RFC 9110 5.5)", "GET / HTTP/1.1\r\n" + host + "A: \x80\xff\r\n\r\n", with(func(p *parsed) { p.fields += "A=\x80\xff|" })},
		{"length", "POST / HTTP/1.1\r\n" + host + "Content-Length: 0042\r\n\r\n", with(func(p *parsed) { p.method, p.length = "POST", 42; p.fields += "Content-Length=0042|" })},
		{"a body on GET is read by its framing", "GET / HTTP/1.1\r\n" + host + "Content-Length: 1\r\n\r\n", with(func(p *parsed) { p.length = 1; p.fields += "Content-Length=1|" })},
		{"chunked", "POST / HTTP/1.1\r\n" + host + "transfer-encoding: Chunked\r\n\r\n", with(func(p *parsed) {
			p.method, p.flags = "POST", "chunked keep"
			p.fields += "transfer-encoding=Chunked|"
		})},
		{"expect (RFC 9110 10.1.1)", "PUT / HTTP/1.1\r\n" + host + "Expect: 100-Continue\r\nContent-Length: 5\r\n\r\n", with(func(p *parsed) {
			p.method, p.length, p.flags = "PUT", 5, "keep expect"
			p.fields += "Expect=100-Continue|Content-Length=5|"
		})},
		{"expect without a body", "PUT / HTTP/1.1\r\n" + host + "Expect: 100-continue\r\n\r\n", with(func(p *parsed) { p.method = "PUT"; p.fields += "Expect=100-continue|" })},
		{"expect from HTTP/1.0 is ignored", "PUT / HTTP/1.0\r\n" + host + "Expect: x\r\nContent-Length: 5\r\n\r\n", with(func(p *parsed) {
			p.method, p.minor, p.length, p.flags = "PUT", 0, 5, ""
			p.fields += "Expect=x|Content-Length=5|"
		})},
		{"upgrade (RFC 9110 7.8)", "GET / HTTP/1.1\r\n" + host + "Connection: Upgrade, keep-alive\r\nUpgrade: websocket\r\n\r\n", with(func(p *parsed) {
			p.flags = "keep upgrade"
			p.fields += "Connection=Upgrade, keep-alive|Upgrade=websocket|"
		})},
		{"upgrade that Connection does not name", "GET / HTTP/1.1\r\n" + host + "Upgrade: h2c\r\n\r\n", with(func(p *parsed) { p.fields += "Upgrade=h2c|" })},
		{"upgrade from HTTP/1.0 is ignored", "GET / HTTP/1.0\r\n" + host + "Connection: upgrade\r\nUpgrade: x\r\n\r\n", with(func(p *parsed) { p.minor, p.flags = 0, ""; p.fields += "Connection=upgrade|Upgrade=x|" })},
	}
	for _, tt := range tests {
		const rest = "GET /next" // pipelined
		var r Request
		for cut := range len(tt.wire) + 1 {
			n, err := parseSplit(&r, tt.wire+rest, nil, cut)
			if cut == len(tt.wire) {
				n, err = parseSplit(&r, tt.wire, nil)
			}
			if err != nil || n != len(tt.wire) {
				t.Errorf("%s, cut at %d: n %d of %d, error %v", tt.name, cut, n, len(tt.wire), err)
				break
			}
			if got := show(&r, tt.wire); got != tt.want {
				t.Errorf("%s, cut at %d:\ngot  %+v\nwant %+v", tt.name, cut, got, tt.want)
				break
			}
		}
	}
}

func TestRequestRefusals(t *testing.T) {
	const (
		get  = "GET / HTTP/1.1\r\n"
		host = get + "Host: h\r\n"
		end  = "\r\n\r\n"
	)
	tests := []struct {
		name, wire string
		want       *Error
	}{
		{"two empty lines", "\r\n\r\n" + host + "\r\n", errMethod},
		{"no method", " / HTTP/1.1" + end, errMethod},
		{"method not a token", "G(T / HTTP/1.1" + end, errMethod},
		{"two spaces before the target", "GET  / HTTP/1.1" + end, errTarget},
		{"two spaces after the target", "GET /  HTTP/1.1" + end, errVersion},
		{"tab for space", "GET\t/ HTTP/1.1" + end, errMethod},
		{"space after the version", "GET / HTTP/1.1 " + end, errVersion},
		{"HTTP/0.9", "GET /" + end, errTarget},
		{"lower-case version", "GET / http/1.1" + end, errVersion},
		{"two-digit version", "GET / HTTP/1.10" + end, errVersion},
		{"HTTP/2.0", "GET / HTTP/2.0" + end, errVersionElse},
		{"HTTP/0.9 by name", "GET / HTTP/0.9" + end, errVersionElse},
		{"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", errVersionElse},
		{"bare LF after the request line", "GET / HTTP/1.1\nHost: h" + end, errBareLF},
		{"bare CR in the request line", "GET /\r HTTP/1.1" + end, errBareCR},
		{"NUL in the target", "GET /\x00 HTTP/1.1" + end, errControl},
		{"fragment", "GET /a#b HTTP/1.1" + end, errTarget},
		{"raw UTF-8", "GET /\xc3\xa9 HTTP/1.1" + end, errTargetRaw},
		{"raw byte in the query", "GET /?0123456789\x80 HTTP/1.1" + end, errTargetRaw},
		{"backslash", "GET /a\\..\\b HTTP/1.1" + end, errTarget},
		{"wrong escape", "GET /%4 HTTP/1.1" + end, errEscape},
		{"relative target", "GET a HTTP/1.1" + end, errTargetForm},
		{"other scheme", "GET ftp://h/ HTTP/1.1" + end, errTargetForm},
		{"absolute-form without host", "GET http:///a HTTP/1.1" + end, errHost},
		{"absolute-form with user", "GET http://u@h/ HTTP/1.1" + end, errHost},
		{"asterisk for GET", "GET * HTTP/1.1" + end, errTargetForm},
		{"CONNECT to a path", "CONNECT /a HTTP/1.1" + end, errTargetForm},
		{"CONNECT without port", "CONNECT h HTTP/1.1" + end, errTargetForm},
		{"CONNECT with empty port", "CONNECT h: HTTP/1.1" + end, errTargetForm},
		{"no Host", get + "A: b" + end, errNoHost},
		{"two Hosts", host + "Host: h" + end, errHosts},
		{"two Hosts on 1.0", "GET / HTTP/1.0\r\nHost: a\r\nhost: a" + end, errHosts},
		{"Host with a path", get + "Host: h/a" + end, errHost},
		{"Host with a list", get + "Host: a, b" + end, errHost},
		{"Host with a user", get + "Host: u@h" + end, errHost},
		{"Host with a word for port", get + "Host: h:http" + end, errHost},
		{"Host that is only a port", get + "Host: :80" + end, errHost},
		{"Host with a broken address", get + "Host: [::1" + end, errHost},
		{"Host with a wrong escape", get + "Host: a%2" + end, errHost},
		{"space before the colon", host + "A : b" + end, errFieldName},
		{"empty name", host + ": b" + end, errFieldName},
		{"no colon", host + "abc" + end, errFieldName},
		{"name not a token", host + "a(b): c" + end, errFieldName},
		{"fold", host + "A: b\r\n c" + end, errFold},
		{"white space before the first field", get + " Host: h" + end, errFold},
		{"bare LF after a value", host + "A: b\nC: d" + end, errBareLF},
		{"bare LF for the empty line", host + "A: b\r\n\n", errBareLF},
		{"bare CR in a value", host + "A: b\rC: d" + end, errBareCR},
		{"NUL in a value", host + "A: b\x00" + end, errControl},
		{"DEL in a value", host + "A: 01234567\x7f" + end, errControl},
		{"control in a name", host + "A\x01: b" + end, errControl},
		{"length signed", host + "Content-Length: +1" + end, errLength},
		{"length negative", host + "Content-Length: -1" + end, errLength},
		{"length hexadecimal", host + "Content-Length: 0x1" + end, errLength},
		{"length with a space", host + "Content-Length: 1 2" + end, errLength},
		{"length list", host + "Content-Length: 1, 1" + end, errLength},
		{"length empty", host + "Content-Length:" + end, errLength},
		{"length overflows", host + "Content-Length: 18446744073709551617" + end, errLength},
		{"two lengths", host + "Content-Length: 1\r\nContent-Length: 1" + end, errLengths},
		{"length, then coding", host + "Content-Length: 1\r\nTransfer-Encoding: chunked" + end, errLengthAndTE},
		{"coding, then length", host + "Transfer-Encoding: chunked\r\nContent-Length: 1" + end, errLengthAndTE},
		{"coding on 1.0", "GET / HTTP/1.0\r\nTransfer-Encoding: chunked" + end, errCodingOn10},
		{"coding not ending in chunked", host + "Transfer-Encoding: chunked, gzip" + end, errCoding},
		{"coding identity", host + "Transfer-Encoding: identity" + end, errCoding},
		{"coding empty", host + "Transfer-Encoding:" + end, errCoding},
		{"coding with parameter", host + "Transfer-Encoding: chunked;q=1" + end, errCoding},
		{"coding xchunked", host + "Transfer-Encoding: xchunked" + end, errCoding},
		{"chunked twice in a list", host + "Transfer-Encoding: chunked, chunked" + end, errCoding},
		{"chunked twice in fields", host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked" + end, errCodings},
		{"coding not known", host + "Transfer-Encoding: gzip, chunked" + end, errCodingUnknown},
		{"other expectation", host + "Expect: 200-ok" + end, errExpectation},
		{"TLS to a plain port", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", errControl},
	}
	for _, tt := range tests {
		for cut := range len(tt.wire) + 1 {
			var r Request
			if n, err := parseSplit(&r, tt.wire, nil, cut); n != 0 || !errors.Is(err, tt.want) {
				t.Errorf("%s, cut at %d: n %d, error %v, want %v", tt.name, cut, n, err, tt.want)
				break
			}
		}
	}
}

func TestParseDoesNotAllocate(t *testing.T) {
	var r Request
	head := []byte(browserHead)
	if n := testing.AllocsPerRun(100, func() {
		if n, err := r.Parse(head, nil); err != nil || n != len(head) {
			t.Fatal(n, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations per head, want 0", n)
	}
}
