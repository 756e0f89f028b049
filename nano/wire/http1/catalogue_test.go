package http1

import (
	"errors"
	"testing"
)

// attack is a message from the published catalogues of request smuggling and of
// parser tests, in our own words. It is either refused with a status, or read as
// one request with this content, which leaves this rest.
type attack struct {
	name, wire    string
	status        int
	content, rest string
}

// read reads one request and its body as a server does.
func read(wire string, piece int) (content, rest string, err error) {
	var r Request
	n := 0
	for end := piece; n == 0; end += piece {
		if n, err = r.Parse([]byte(wire[:min(end, len(wire))]), nil); err != nil {
			return "", "", err
		}
		if n == 0 && end >= len(wire) {
			return "", "", errors.New("not complete")
		}
	}
	var d Body
	d.Start(&r)
	content, rest, err = feedBody(&d, wire[n:], piece)
	if err == nil && !d.Done() {
		err = errors.New("body not complete")
	}
	return content, rest, err
}

func checkAttacks(t *testing.T, attacks []attack) {
	t.Helper()
	for _, a := range attacks {
		for _, piece := range []int{1, 2, 3, 11, 1 << 20} {
			content, rest, err := read(a.wire, piece)
			status := 0
			var refusal *Error
			if errors.As(err, &refusal) {
				status = refusal.Status
			} else if err != nil {
				status = -1
			}
			if status != a.status || status == 0 && (content != a.content || rest != a.rest) {
				t.Errorf("%s, in pieces of %d: content %q, rest %q, error %v", a.name, piece, content, rest, err)
				break
			}
		}
	}
}

const (
	post    = "POST / HTTP/1.1\r\nHost: h\r\n"
	chunks  = "0\r\n\r\n"
	smuggle = "GET /admin HTTP/1.1\r\nHost: h\r\n\r\n"
)

// TestSmugglingFraming: two recipients that find a body's end by different
// fields (CL.TE, TE.CL, TE.TE, CL.CL, CL.0 and their kin).
func TestSmugglingFraming(t *testing.T) {
	te := func(line string) string { return post + line + "\r\nContent-Length: 5\r\n\r\n" + chunks + smuggle }
	only := func(line string) string { return post + line + "\r\n\r\n" + chunks + smuggle }
	checkAttacks(t, []attack{
		{name: "CL.TE", wire: te("Transfer-Encoding: chunked"), status: 400},
		{name: "TE.CL", wire: post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, status: 400},
		{name: "TE.TE: xchunked", wire: te("Transfer-Encoding: xchunked"), status: 400},
		{name: "TE.TE: space before the colon", wire: te("Transfer-Encoding : chunked"), status: 400},
		{name: "TE.TE: tab before the colon", wire: te("Transfer-Encoding\t: chunked"), status: 400},
		{name: "TE.TE: tab after the colon is white space", wire: only("Transfer-Encoding:\tchunked"), rest: smuggle},
		{name: "TE.TE: folded", wire: te("Transfer-Encoding:\r\n chunked"), status: 400},
		{name: "TE.TE: folded with a bare LF", wire: te("Transfer-Encoding:\n chunked"), status: 400},
		{name: "TE.TE: leading space", wire: te(" Transfer-Encoding: chunked"), status: 400},
		{name: "TE.TE: hidden behind a bare LF", wire: te("X: x\nTransfer-Encoding: chunked"), status: 400},
		{name: "TE.TE: hidden behind a bare CR", wire: te("X: x\rTransfer-Encoding: chunked"), status: 400},
		{name: "TE.TE: vertical tab", wire: te("Transfer-Encoding: \vchunked"), status: 400},
		{name: "TE.TE: form feed", wire: te("Transfer-Encoding: chunked\f"), status: 400},
		{name: "TE.TE: NUL", wire: te("Transfer-Encoding: chunked\x00"), status: 400},
		{name: "TE.TE: no-break space", wire: only("Transfer-Encoding: \xa0chunked"), status: 400},
		{name: "TE.TE: quoted", wire: only("Transfer-Encoding: \"chunked\""), status: 400},
		{name: "TE.TE: empty member first", wire: only("Transfer-Encoding: ,chunked"), status: 400},
		{name: "TE.TE: empty member last", wire: only("Transfer-Encoding: chunked,"), status: 400},
		{name: "TE.TE: identity beside chunked", wire: only("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked"), status: 400},
		{name: "TE.TE: chunked beside identity", wire: only("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"), status: 400},
		{name: "TE.TE: cow before chunked", wire: only("Transfer-Encoding: cow, chunked"), status: 501},
		{name: "TE.TE: chunked before cow", wire: only("Transfer-Encoding: chunked, cow"), status: 400},
		{name: "TE.TE: underscore makes another field", wire: post + "Transfer_Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + chunks + smuggle, content: chunks, rest: smuggle},
		{name: "TE.0: case does not matter", wire: only("tRANSFER-eNCODING: CHUNKED"), rest: smuggle},
		{name: "TE on 1.0", wire: "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, status: 400},
		{name: "CL.CL: different", wire: post + "Content-Length: 5\r\nContent-Length: 0\r\n\r\nhello", status: 400},
		{name: "CL.CL: the same", wire: post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", status: 400},
		{name: "CL.CL: list", wire: post + "Content-Length: 5, 5\r\n\r\nhello", status: 400},
		{name: "CL: plus", wire: post + "Content-Length: +5\r\n\r\nhello", status: 400},
		{name: "CL: minus zero", wire: post + "Content-Length: -0\r\n\r\n", status: 400},
		{name: "CL: hexadecimal", wire: post + "Content-Length: 0x5\r\n\r\nhello", status: 400},
		{name: "CL: underscore", wire: post + "Content-Length: 1_0\r\n\r\nhellohello", status: 400},
		{name: "CL: exponent", wire: post + "Content-Length: 5e0\r\n\r\nhello", status: 400},
		{name: "CL: fraction", wire: post + "Content-Length: 5.0\r\n\r\nhello", status: 400},
		{name: "CL: space inside", wire: post + "Content-Length: 1 0\r\n\r\nhellohello", status: 400},
		{name: "CL: digits of another script", wire: post + "Content-Length: \xd9\xa5\r\n\r\nhello", status: 400},
		{name: "CL: beyond 64 bits", wire: post + "Content-Length: 18446744073709551621\r\n\r\nhello", status: 400},
		{name: "CL: beyond 32 bits is a number", wire: post + "Content-Length: 4294967301\r\n\r\nhello", status: -1},
		{name: "CL: leading zeros are decimal", wire: post + "Content-Length: 010\r\n\r\nhellohello" + smuggle, content: "hellohello", rest: smuggle},
		{name: "CL.0: a GET has the body it says", wire: "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello" + smuggle, content: "hello", rest: smuggle},
		{name: "0.CL: no length is no body", wire: "GET / HTTP/1.1\r\nHost: h\r\n\r\n" + smuggle, rest: smuggle},
		{name: "1.0 has no body that the close ends", wire: "POST / HTTP/1.0\r\n\r\n" + smuggle, rest: smuggle},
		{name: "Connection can't take the framing away", wire: post + "Connection: Content-Length\r\nContent-Length: 5\r\n\r\nhello" + smuggle, content: "hello", rest: smuggle},
		{name: "Expect does not change the framing", wire: post + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello" + smuggle, content: "hello", rest: smuggle},
		{name: "Expect mangled", wire: post + "Expect: y 100-continue\r\nContent-Length: 5\r\n\r\nhello", status: 417},
		{name: "Upgrade does not make a tunnel", wire: post + "Connection: Upgrade\r\nUpgrade: foo\r\nContent-Length: 0\r\n\r\n" + smuggle, rest: smuggle},
	})
}

// TestSmugglingChunks: two recipients that read the chunked coding differently.
func TestSmugglingChunks(t *testing.T) {
	in := func(body string) string { return post + "Transfer-Encoding: chunked\r\n\r\n" + body }
	checkAttacks(t, []attack{
		{name: "TERM.EXT: bare LF ends the extension (CVE-2025-22871, CVE-2025-55315)", wire: in("2;\nxx\r\n45\r\n0\r\n\r\n" + smuggle), status: 400},
		{name: "EXT.TERM: bare LF inside the extension", wire: in("5;a=\nb\r\nhello\r\n" + chunks), status: 400},
		{name: "bare CR ends the extension", wire: in("5;\rhello\r\n" + chunks), status: 400},
		{name: "CR CR LF", wire: in("5;a\r\r\nhello\r\n" + chunks), status: 400},
		{name: "TERM.SPILL: two bytes of any kind after the data", wire: in("5\r\nhelloXX" + chunks), status: 400},
		{name: "SPILL: data one byte longer than said", wire: in("5\r\nhello!\r\n" + chunks), status: 400},
		{name: "ONE.TWO: bare LF after the data", wire: in("5\r\nhello\n0\r\n\r\n"), status: 400},
		{name: "ZERO: nothing after the data", wire: in("5\r\nhello0\r\n\r\n"), status: 400},
		{name: "LF after the last chunk's line", wire: in("0\r\n\n"), status: 400},
		{name: "last chunk without CR", wire: in("0\n\r\n"), status: 400},
		{name: "size wraps at 64 bits", wire: in("10000000000000005\r\nhello\r\n" + chunks), status: 400},
		{name: "size wraps at 32 bits, but is a number", wire: in("100000005\r\nhello\r\n" + chunks), status: -1},
		{name: "size with 0x", wire: in("0x5\r\nhello\r\n" + chunks), status: 400},
		{name: "size with underscore", wire: in("0_5\r\nhello\r\n" + chunks), status: 400},
		{name: "size with plus", wire: in("+5\r\nhello\r\n" + chunks), status: 400},
		{name: "size with minus", wire: in("-1\r\nhello\r\n" + chunks), status: 400},
		{name: "size after a space", wire: in(" 5\r\nhello\r\n" + chunks), status: 400},
		{name: "size before a space", wire: in("5 \r\nhello\r\n" + chunks), status: 400},
		{name: "size before a vertical tab", wire: in("5\v\r\nhello\r\n" + chunks), status: 400},
		{name: "size in words", wire: in("five\r\nhello\r\n" + chunks), status: 400},
		{name: "size then text", wire: in("5 gzip;a\r\nhello\r\n" + chunks), status: 400},
		{name: "empty size", wire: in("\r\nhello\r\n" + chunks), status: 400},
		{name: "NUL after the size", wire: in("5\x00\r\nhello\r\n" + chunks), status: 400},
		{name: "leading zeros", wire: in("00005\r\nhello\r\n000\r\n\r\n" + smuggle), content: "hello", rest: smuggle},
		{name: "extension with quotes and semicolons", wire: in("5;a=\"b;c\";d\r\nhello\r\n" + chunks + smuggle), content: "hello", rest: smuggle},
		{name: "what looks like the end inside the data", wire: in("c\r\nhello\r\n0\r\n\r\n\r\n" + chunks + smuggle), content: "hello\r\n0\r\n\r\n", rest: smuggle},
		{name: "trailer that would change the framing is dropped", wire: in("0\r\nContent-Length: 34\r\n\r\n" + smuggle), rest: smuggle},
		{name: "request in the trailers", wire: in("0\r\n" + smuggle), status: 400},
		{name: "bare LF between trailers", wire: in("0\r\nA: b\nC: d\r\n\r\n"), status: 400},
		{name: "trailer without a colon", wire: in("0\r\nA\r\n\r\n"), status: 400},
	})
}

// TestSmugglingLines: two recipients that see the lines of a head differently,
// or take another target or host from them.
func TestSmugglingLines(t *testing.T) {
	const end = "\r\n\r\n"
	checkAttacks(t, []attack{
		{name: "bare LF lines", wire: "GET / HTTP/1.1\nHost: h\n\n", status: 400},
		{name: "LF CR", wire: "GET / HTTP/1.1\n\rHost: h\n\r\n\r", status: 400},
		{name: "CR lines", wire: "GET / HTTP/1.1\rHost: h\r\r", status: 400},
		{name: "CR CR LF", wire: "GET / HTTP/1.1\r\r\nHost: h" + end, status: 400},
		{name: "empty line in bare LF first", wire: "\nGET / HTTP/1.1\r\nHost: h" + end, status: 400},
		{name: "space first", wire: " GET / HTTP/1.1\r\nHost: h" + end, status: 400},
		{name: "byte order mark", wire: "\xef\xbb\xbfGET / HTTP/1.1\r\nHost: h" + end, status: 400},
		{name: "tabs between the parts", wire: "GET\t/\tHTTP/1.1\r\nHost: h" + end, status: 400},
		{name: "vertical tab between the parts", wire: "GET\v/ HTTP/1.1\r\nHost: h" + end, status: 400},
		{name: "space in the target", wire: "GET /a b HTTP/1.1\r\nHost: h" + end, status: 400},
		{name: "second request line in the target", wire: "GET / HTTP/1.1 /x HTTP/1.1\r\nHost: h" + end, status: 400},
		{name: "no version", wire: "GET /\r\nHost: h" + end, status: 400},
		{name: "no target", wire: "GET HTTP/1.1\r\nHost: h" + end, status: 400},
		{name: "empty target", wire: "GET  HTTP/1.1\r\nHost: h" + end, status: 400},
		{name: "version without a minor", wire: "GET / HTTP/1\r\nHost: h" + end, status: 400},
		{name: "version with a comma", wire: "GET / HTTP/1,1\r\nHost: h" + end, status: 400},
		{name: "version with a leading zero", wire: "GET / HTTP/01.1\r\nHost: h" + end, status: 400},
		{name: "version with a sign", wire: "GET / HTTP/+1.1\r\nHost: h" + end, status: 400},
		{name: "other protocol", wire: "GET / ICE/1.0\r\nHost: h" + end, status: 400},
		{name: "RTSP", wire: "OPTIONS * RTSP/1.0" + end, status: 400},
		{name: "misspelt protocol", wire: "GET / HTPP/1.1\r\nHost: h" + end, status: 400},
		{name: "HTTP/3.0", wire: "GET / HTTP/3.0\r\nHost: h" + end, status: 505},
		{name: "quote in the method", wire: "GE\"T / HTTP/1.1\r\nHost: h" + end, status: 400},
		{name: "two Hosts", wire: "GET / HTTP/1.1\r\nHost: a\r\nHost: b" + end, status: 400},
		{name: "Host after a space", wire: "GET / HTTP/1.1\r\n Host: a\r\nHost: b" + end, status: 400},
		{name: "Host with a space before the colon", wire: "GET / HTTP/1.1\r\nHost : a\r\nHost: b" + end, status: 400},
		{name: "Host of two words", wire: "GET / HTTP/1.1\r\nHost: a b" + end, status: 400},
		{name: "Host with a scheme", wire: "GET / HTTP/1.1\r\nHost: http://a" + end, status: 400},
		{name: "Host with a NUL", wire: "GET / HTTP/1.1\r\nHost: a\x00.b" + end, status: 400},
		{name: "no Host", wire: "GET / HTTP/1.1" + end, status: 400},
		{name: "absolute target with a user", wire: "GET http://good@evil/ HTTP/1.1\r\nHost: good" + end, status: 400},
		{name: "absolute target with a backslash", wire: "GET http://good\\@evil/ HTTP/1.1\r\nHost: good" + end, status: 400},
		{name: "scheme without an authority", wire: "GET http:/a HTTP/1.1\r\nHost: h" + end, status: 400},
		{name: "CRLF by escapes stays in the path", wire: "GET /%0d%0aX:%20y HTTP/1.1\r\nHost: h" + end + smuggle, rest: smuggle},
		{name: "empty name", wire: "GET / HTTP/1.1\r\nHost: h\r\n: x" + end, status: 400},
		{name: "name with a slash", wire: "GET / HTTP/1.1\r\nHost: h\r\na/b: x" + end, status: 400},
		{name: "name with a NUL", wire: "GET / HTTP/1.1\r\nHost: h\r\na\x00b: x" + end, status: 400},
		{name: "name with a byte above 0x7f", wire: "GET / HTTP/1.1\r\nHost: h\r\na\xffb: x" + end, status: 400},
		{name: "names of all marks", wire: "GET / HTTP/1.1\r\nHost: h\r\n!#$%&'*+-.^_`|~0aZ: x" + end, rest: ""},
		{name: "continuation with a tab", wire: "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\tc" + end, status: 400},
		{name: "continuation that is empty", wire: "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n \r\n\r\n", status: 400},
		{name: "escape character in a value", wire: "GET / HTTP/1.1\r\nHost: h\r\nA: \x1b[31m" + end, status: 400},
		{name: "CR at the end of a value", wire: "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\r\n\r\n", status: 400},
		{name: "shellshock is only a value", wire: "GET / HTTP/1.1\r\nHost: h\r\nA: () { :;}; x" + end, rest: ""},
		{name: "pipelined", wire: smuggle + smuggle, rest: smuggle},
		{name: "empty line between pipelined requests stays before the next", wire: post + "Content-Length: 1\r\n\r\nx\r\n" + smuggle, content: "x", rest: "\r\n" + smuggle},
		{name: "HTTP/2 preface", wire: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", status: 505},
		{name: "PROXY protocol", wire: "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET / HTTP/1.1\r\nHost: h" + end, status: 400},
	})
}
