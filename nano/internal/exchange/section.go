package exchange

import (
	"bytes"

	"dyno.example/nano/wire/http1"
)

// Section appends the fields of an HTTP/2 response: x.Fields in "Name: value\r\n"
// lines, without those that are about a connection (RFC 9113 8.2.2) or the wire's own.
// length is the body's, -1 if it isn't known. It returns the Content-Length to send, -1
// for none, and whether the fields have a Date. Keep becomes false if the handler wants
// the connection to end.
func (r *Reply) Section(out []byte, x *Exchange, length int64) (_ []byte, tell int64, dated bool) {
	return r.fields(out, x, length, true)
}

// fields appends those lines of x.Fields that the wire doesn't set itself, and returns
// what is left to the wire: the Content-Length, -1 for none, and a Date unless dated.
// It also finds out whether there will be a body, and whether the connection is to be
// kept.
func (r *Reply) fields(out []byte, x *Exchange, length int64, http2 bool) (_ []byte, tell int64, dated bool) {
	r.Bodiless = IsHead(x) || x.Status == 204 || x.Status == 304
	tell = length
	if x.Status == 204 || x.Status == 304 {
		tell = -1
	}
	given := false
	for fields := x.Fields; len(fields) > 0; {
		line, end := CutLine(fields)
		switch KindOf(line) {
		case FieldPlain:
			if !http2 || !aboutConnection(line) {
				out = append(out, fields[:end]...)
			}
		case fieldDate:
			out, dated = append(out, fields[:end]...), true
		case fieldConnection:
			if http1.ListHas(line[len("connection:"):], "close") {
				r.Keep = false
			}
		case fieldLength:
			if !given && (x.Status == 304 || IsHead(x) && length == 0) {
				out, tell, given = append(out, fields[:end]...), -1, true // the length that GET would give
			} else {
				x.Owner.Ignored(fields[:end])
			}
		case fieldCoding:
			x.Owner.Ignored(fields[:end])
		}
		fields = fields[end:]
	}
	return out, tell, dated
}

// aboutConnection reports whether a line is one that HTTP/2 has no place for.
func aboutConnection(line []byte) bool {
	switch i := bytes.IndexByte(line, ':'); i {
	case len("upgrade"):
		return SameName(line[:i], "upgrade")
	case len("keep-alive"):
		return SameName(line[:i], "keep-alive")
	case len("proxy-connection"):
		return SameName(line[:i], "proxy-connection")
	}
	return false
}
