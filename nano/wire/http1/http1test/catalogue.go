// Package http1test has messages from the published catalogues of request smuggling and
// of parser tests, in our own words, for tests of whatever reads HTTP/1.1.
package http1test

// Attack is one of them. It is either refused with a status, or read as one request
// with this content, which leaves this rest.
type Attack struct {
	Name, Wire    string
	Status        int // of the refusal; 0: it is read; -1: it is no whole request
	Content, Rest string
}

// Smuggled is the request that the attacks hide where they can.
const Smuggled = smuggle

const (
	post    = "POST / HTTP/1.1\r\nHost: h\r\n"
	chunks  = "0\r\n\r\n"
	smuggle = "GET /admin HTTP/1.1\r\nHost: h\r\n\r\n"
)

// Framing: two recipients that find a body's end by different
// fields (CL.TE, TE.CL, TE.TE, CL.CL, CL.0 and their kin).
func Framing() []Attack {
	te := func(line string) string { return post + line + "\r\nContent-Length: 5\r\n\r\n" + chunks + smuggle }
	only := func(line string) string { return post + line + "\r\n\r\n" + chunks + smuggle }
	return []Attack{
		{Name: "CL.TE", Wire: te("Transfer-Encoding: chunked"), Status: 400},
		{Name: "TE.CL", Wire: post + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, Status: 400},
		{Name: "TE.TE: xchunked", Wire: te("Transfer-Encoding: xchunked"), Status: 400},
		{Name: "TE.TE: space before the colon", Wire: te("Transfer-Encoding : chunked"), Status: 400},
		{Name: "TE.TE: tab before the colon", Wire: te("Transfer-Encoding\t: chunked"), Status: 400},
		{Name: "TE.TE: tab after the colon is white space", Wire: only("Transfer-Encoding:\tchunked"), Rest: smuggle},
		{Name: "TE.TE: folded", Wire: te("Transfer-Encoding:\r\n chunked"), Status: 400},
		{Name: "TE.TE: folded with a bare LF", Wire: te("Transfer-Encoding:\n chunked"), Status: 400},
		{Name: "TE.TE: leading space", Wire: te(" Transfer-Encoding: chunked"), Status: 400},
		{Name: "TE.TE: hidden behind a bare LF", Wire: te("X: x\nTransfer-Encoding: chunked"), Status: 400},
		{Name: "TE.TE: hidden behind a bare CR", Wire: te("X: x\rTransfer-Encoding: chunked"), Status: 400},
		{Name: "TE.TE: vertical tab", Wire: te("Transfer-Encoding: \vchunked"), Status: 400},
		{Name: "TE.TE: form feed", Wire: te("Transfer-Encoding: chunked\f"), Status: 400},
		{Name: "TE.TE: NUL", Wire: te("Transfer-Encoding: chunked\x00"), Status: 400},
		{Name: "TE.TE: no-break space", Wire: only("Transfer-Encoding: \xa0chunked"), Status: 400},
		{Name: "TE.TE: quoted", Wire: only("Transfer-Encoding: \"chunked\""), Status: 400},
		{Name: "TE.TE: empty member first", Wire: only("Transfer-Encoding: ,chunked"), Status: 400},
		{Name: "TE.TE: empty member last", Wire: only("Transfer-Encoding: chunked,"), Status: 400},
		{Name: "TE.TE: identity beside chunked", Wire: only("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked"), Status: 400},
		{Name: "TE.TE: chunked beside identity", Wire: only("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"), Status: 400},
		{Name: "TE.TE: cow before chunked", Wire: only("Transfer-Encoding: cow, chunked"), Status: 501},
		{Name: "TE.TE: chunked before cow", Wire: only("Transfer-Encoding: chunked, cow"), Status: 400},
		{Name: "TE.TE: underscore makes another field", Wire: post + "Transfer_Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + chunks + smuggle, Content: chunks, Rest: smuggle},
		{Name: "TE.0: case does not matter", Wire: only("tRANSFER-eNCODING: CHUNKED"), Rest: smuggle},
		{Name: "TE on 1.0", Wire: "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, Status: 400},
		{Name: "CL.CL: different", Wire: post + "Content-Length: 5\r\nContent-Length: 0\r\n\r\nhello", Status: 400},
		{Name: "CL.CL: the same", Wire: post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", Status: 400},
		{Name: "CL.CL: list", Wire: post + "Content-Length: 5, 5\r\n\r\nhello", Status: 400},
		{Name: "CL: plus", Wire: post + "Content-Length: +5\r\n\r\nhello", Status: 400},
		{Name: "CL: minus zero", Wire: post + "Content-Length: -0\r\n\r\n", Status: 400},
		{Name: "CL: hexadecimal", Wire: post + "Content-Length: 0x5\r\n\r\nhello", Status: 400},
		{Name: "CL: underscore", Wire: post + "Content-Length: 1_0\r\n\r\nhellohello", Status: 400},
		{Name: "CL: exponent", Wire: post + "Content-Length: 5e0\r\n\r\nhello", Status: 400},
		{Name: "CL: fraction", Wire: post + "Content-Length: 5.0\r\n\r\nhello", Status: 400},
		{Name: "CL: space inside", Wire: post + "Content-Length: 1 0\r\n\r\nhellohello", Status: 400},
		{Name: "CL: digits of another script", Wire: post + "Content-Length: \xd9\xa5\r\n\r\nhello", Status: 400},
		{Name: "CL: beyond 64 bits", Wire: post + "Content-Length: 18446744073709551621\r\n\r\nhello", Status: 400},
		{Name: "CL: beyond 32 bits is a number", Wire: post + "Content-Length: 4294967301\r\n\r\nhello", Status: -1},
		{Name: "CL: leading zeros are decimal", Wire: post + "Content-Length: 010\r\n\r\nhellohello" + smuggle, Content: "hellohello", Rest: smuggle},
		{Name: "CL.0: a GET has the body it says", Wire: "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello" + smuggle, Content: "hello", Rest: smuggle},
		{Name: "0.CL: no length is no body", Wire: "GET / HTTP/1.1\r\nHost: h\r\n\r\n" + smuggle, Rest: smuggle},
		{Name: "1.0 has no body that the close ends", Wire: "POST / HTTP/1.0\r\n\r\n" + smuggle, Rest: smuggle},
		{Name: "Connection can't take the framing away", Wire: post + "Connection: Content-Length\r\nContent-Length: 5\r\n\r\nhello" + smuggle, Content: "hello", Rest: smuggle},
		{Name: "Expect does not change the framing", Wire: post + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello" + smuggle, Content: "hello", Rest: smuggle},
		{Name: "Expect mangled", Wire: post + "Expect: y 100-continue\r\nContent-Length: 5\r\n\r\nhello", Status: 417},
		{Name: "Upgrade does not make a tunnel", Wire: post + "Connection: Upgrade\r\nUpgrade: foo\r\nContent-Length: 0\r\n\r\n" + smuggle, Rest: smuggle},
	}
}

// Chunks: two recipients that read the chunked coding differently.
func Chunks() []Attack {
	in := func(body string) string { return post + "Transfer-Encoding: chunked\r\n\r\n" + body }
	return []Attack{
		{Name: "TERM.EXT: bare LF ends the extension (CVE-2025-22871, CVE-2025-55315)", Wire: in("2;\nxx\r\n45\r\n0\r\n\r\n" + smuggle), Status: 400},
		{Name: "EXT.TERM: bare LF inside the extension", Wire: in("5;a=\nb\r\nhello\r\n" + chunks), Status: 400},
		{Name: "bare CR ends the extension", Wire: in("5;\rhello\r\n" + chunks), Status: 400},
		{Name: "CR CR LF", Wire: in("5;a\r\r\nhello\r\n" + chunks), Status: 400},
		{Name: "TERM.SPILL: two bytes of any kind after the data", Wire: in("5\r\nhelloXX" + chunks), Status: 400},
		{Name: "SPILL: data one byte longer than said", Wire: in("5\r\nhello!\r\n" + chunks), Status: 400},
		{Name: "ONE.TWO: bare LF after the data", Wire: in("5\r\nhello\n0\r\n\r\n"), Status: 400},
		{Name: "ZERO: nothing after the data", Wire: in("5\r\nhello0\r\n\r\n"), Status: 400},
		{Name: "LF after the last chunk's line", Wire: in("0\r\n\n"), Status: 400},
		{Name: "last chunk without CR", Wire: in("0\n\r\n"), Status: 400},
		{Name: "size wraps at 64 bits", Wire: in("10000000000000005\r\nhello\r\n" + chunks), Status: 400},
		{Name: "size wraps at 32 bits, but is a number", Wire: in("100000005\r\nhello\r\n" + chunks), Status: -1},
		{Name: "size with 0x", Wire: in("0x5\r\nhello\r\n" + chunks), Status: 400},
		{Name: "size with underscore", Wire: in("0_5\r\nhello\r\n" + chunks), Status: 400},
		{Name: "size with plus", Wire: in("+5\r\nhello\r\n" + chunks), Status: 400},
		{Name: "size with minus", Wire: in("-1\r\nhello\r\n" + chunks), Status: 400},
		{Name: "size after a space", Wire: in(" 5\r\nhello\r\n" + chunks), Status: 400},
		{Name: "size before a space", Wire: in("5 \r\nhello\r\n" + chunks), Status: 400},
		{Name: "size before a vertical tab", Wire: in("5\v\r\nhello\r\n" + chunks), Status: 400},
		{Name: "size in words", Wire: in("five\r\nhello\r\n" + chunks), Status: 400},
		{Name: "size then text", Wire: in("5 gzip;a\r\nhello\r\n" + chunks), Status: 400},
		{Name: "empty size", Wire: in("\r\nhello\r\n" + chunks), Status: 400},
		{Name: "NUL after the size", Wire: in("5\x00\r\nhello\r\n" + chunks), Status: 400},
		{Name: "leading zeros", Wire: in("00005\r\nhello\r\n000\r\n\r\n" + smuggle), Content: "hello", Rest: smuggle},
		{Name: "extension with quotes and semicolons", Wire: in("5;a=\"b;c\";d\r\nhello\r\n" + chunks + smuggle), Content: "hello", Rest: smuggle},
		{Name: "what looks like the end inside the data", Wire: in("c\r\nhello\r\n0\r\n\r\n\r\n" + chunks + smuggle), Content: "hello\r\n0\r\n\r\n", Rest: smuggle},
		{Name: "trailer that would change the framing is dropped", Wire: in("0\r\nContent-Length: 34\r\n\r\n" + smuggle), Rest: smuggle},
		{Name: "request in the trailers", Wire: in("0\r\n" + smuggle), Status: 400},
		{Name: "bare LF between trailers", Wire: in("0\r\nA: b\nC: d\r\n\r\n"), Status: 400},
		{Name: "trailer without a colon", Wire: in("0\r\nA\r\n\r\n"), Status: 400},
	}
}

// Lines: two recipients that see the lines of a head differently,
// or take another target or host from them.
func Lines() []Attack {
	const end = "\r\n\r\n"
	return []Attack{
		{Name: "bare LF lines", Wire: "GET / HTTP/1.1\nHost: h\n\n", Status: 400},
		{Name: "LF CR", Wire: "GET / HTTP/1.1\n\rHost: h\n\r\n\r", Status: 400},
		{Name: "CR lines", Wire: "GET / HTTP/1.1\rHost: h\r\r", Status: 400},
		{Name: "CR CR LF", Wire: "GET / HTTP/1.1\r\r\nHost: h" + end, Status: 400},
		{Name: "empty line in bare LF first", Wire: "\nGET / HTTP/1.1\r\nHost: h" + end, Status: 400},
		{Name: "space first", Wire: " GET / HTTP/1.1\r\nHost: h" + end, Status: 400},
		{Name: "byte order mark", Wire: "\xef\xbb\xbfGET / HTTP/1.1\r\nHost: h" + end, Status: 400},
		{Name: "tabs between the parts", Wire: "GET\t/\tHTTP/1.1\r\nHost: h" + end, Status: 400},
		{Name: "vertical tab between the parts", Wire: "GET\v/ HTTP/1.1\r\nHost: h" + end, Status: 400},
		{Name: "space in the target", Wire: "GET /a b HTTP/1.1\r\nHost: h" + end, Status: 400},
		{Name: "second request line in the target", Wire: "GET / HTTP/1.1 /x HTTP/1.1\r\nHost: h" + end, Status: 400},
		{Name: "no version", Wire: "GET /\r\nHost: h" + end, Status: 400},
		{Name: "no target", Wire: "GET HTTP/1.1\r\nHost: h" + end, Status: 400},
		{Name: "empty target", Wire: "GET  HTTP/1.1\r\nHost: h" + end, Status: 400},
		{Name: "version without a minor", Wire: "GET / HTTP/1\r\nHost: h" + end, Status: 400},
		{Name: "version with a comma", Wire: "GET / HTTP/1,1\r\nHost: h" + end, Status: 400},
		{Name: "version with a leading zero", Wire: "GET / HTTP/01.1\r\nHost: h" + end, Status: 400},
		{Name: "version with a sign", Wire: "GET / HTTP/+1.1\r\nHost: h" + end, Status: 400},
		{Name: "other protocol", Wire: "GET / ICE/1.0\r\nHost: h" + end, Status: 400},
		{Name: "RTSP", Wire: "OPTIONS * RTSP/1.0" + end, Status: 400},
		{Name: "misspelt protocol", Wire: "GET / HTPP/1.1\r\nHost: h" + end, Status: 400},
		{Name: "HTTP/3.0", Wire: "GET / HTTP/3.0\r\nHost: h" + end, Status: 505},
		{Name: "quote in the method", Wire: "GE\"T / HTTP/1.1\r\nHost: h" + end, Status: 400},
		{Name: "two Hosts", Wire: "GET / HTTP/1.1\r\nHost: a\r\nHost: b" + end, Status: 400},
		{Name: "Host after a space", Wire: "GET / HTTP/1.1\r\n Host: a\r\nHost: b" + end, Status: 400},
		{Name: "Host with a space before the colon", Wire: "GET / HTTP/1.1\r\nHost : a\r\nHost: b" + end, Status: 400},
		{Name: "Host of two words", Wire: "GET / HTTP/1.1\r\nHost: a b" + end, Status: 400},
		{Name: "Host with a scheme", Wire: "GET / HTTP/1.1\r\nHost: http://a" + end, Status: 400},
		{Name: "Host with a NUL", Wire: "GET / HTTP/1.1\r\nHost: a\x00.b" + end, Status: 400},
		{Name: "no Host", Wire: "GET / HTTP/1.1" + end, Status: 400},
		{Name: "absolute target with a user", Wire: "GET http://good@evil/ HTTP/1.1\r\nHost: good" + end, Status: 400},
		{Name: "absolute target with a backslash", Wire: "GET http://good\\@evil/ HTTP/1.1\r\nHost: good" + end, Status: 400},
		{Name: "scheme without an authority", Wire: "GET http:/a HTTP/1.1\r\nHost: h" + end, Status: 400},
		{Name: "CRLF by escapes stays in the path", Wire: "GET /%0d%0aX:%20y HTTP/1.1\r\nHost: h" + end + smuggle, Rest: smuggle},
		{Name: "empty name", Wire: "GET / HTTP/1.1\r\nHost: h\r\n: x" + end, Status: 400},
		{Name: "name with a slash", Wire: "GET / HTTP/1.1\r\nHost: h\r\na/b: x" + end, Status: 400},
		{Name: "name with a NUL", Wire: "GET / HTTP/1.1\r\nHost: h\r\na\x00b: x" + end, Status: 400},
		{Name: "name with a byte above 0x7f", Wire: "GET / HTTP/1.1\r\nHost: h\r\na\xffb: x" + end, Status: 400},
		{Name: "names of all marks", Wire: "GET / HTTP/1.1\r\nHost: h\r\n!#$%&'*+-.^_`|~0aZ: x" + end, Rest: ""},
		{Name: "continuation with a tab", Wire: "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\tc" + end, Status: 400},
		{Name: "continuation that is empty", Wire: "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n \r\n\r\n", Status: 400},
		{Name: "escape character in a value", Wire: "GET / HTTP/1.1\r\nHost: h\r\nA: \x1b[31m" + end, Status: 400},
		{Name: "CR at the end of a value", Wire: "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\r\n\r\n", Status: 400},
		{Name: "shellshock is only a value", Wire: "GET / HTTP/1.1\r\nHost: h\r\nA: () { :;}; x" + end, Rest: ""},
		{Name: "pipelined", Wire: smuggle + smuggle, Rest: smuggle},
		{Name: "empty line between pipelined requests stays before the next", Wire: post + "Content-Length: 1\r\n\r\nx\r\n" + smuggle, Content: "x", Rest: "\r\n" + smuggle},
		{Name: "HTTP/2 preface", Wire: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Status: 505},
		{Name: "PROXY protocol", Wire: "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\nGET / HTTP/1.1\r\nHost: h" + end, Status: 400},
	}
}
