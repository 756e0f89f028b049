package http1

// Body decodes the body of one request, by length or chunked. It can stop and
// go on at any byte and holds none, but for trailer fields.
type Body struct {
	left     int64 // bytes still to come, by length
	chunks   chunked
	trailers []byte // lines of the trailer section, complete once Done
	chunked  bool
}

// Start readies d for the body of r, whose head has been parsed.
func (d *Body) Start(r *Request) {
	*d = Body{left: max(r.ContentLength, 0), chunked: r.Chunked}
}

// Done reports whether the body is complete, as it is at once when the request
// has none.
func (d *Body) Done() bool {
	if d.chunked {
		return d.chunks.done()
	}
	return d.left == 0
}

// Feed takes the next bytes that were read. It decodes in place: the content
// among them is moved to the front, to b[:data]. n is how many bytes belonged to
// the body; b[n:] is left as it was and starts the next request. After an error
// b[:data] is still content, but the connection has to be closed.
func (d *Body) Feed(b []byte) (n, data int, err error) {
	if !d.chunked {
		n = int(min(d.left, int64(len(b))))
		d.left -= int64(n)
		return n, n, nil
	}
	for n < len(b) && !d.chunks.done() {
		trailing := d.chunks.trailing()
		framing, run, err := d.chunks.next(b[n:])
		if trailing && d.chunks.line > 0 { // there are trailer fields
			d.trailers = append(d.trailers, b[n:n+framing]...)
		}
		n += framing
		if data < n && run > 0 {
			copy(b[data:], b[n:n+run])
		}
		n += run
		data += run
		if err != nil {
			return n, data, err
		}
	}
	return n, data, nil
}

// Trailers gives the trailer fields of a body that is Done, as spans of the
// bytes beside them, which are a copy. Fields that must not be sent as trailers
// are left out: those that frame, route, authenticate or change the request
// (RFC 9110 6.5.1). Without trailers it gives nil and has cost nothing.
func (d *Body) Trailers() (text []byte, fields []Field) {
	if !d.Done() {
		return nil, nil
	}
	text = d.trailers
	for at := 0; at < len(text); {
		f, next, err := field(text, at)
		if err != nil || f.Name.Empty() {
			break
		}
		if !ForbiddenTrailer(f.Name.Of(text)) {
			fields = append(fields, f)
		}
		at = next
	}
	return text, fields
}

// ForbiddenTrailer reports whether a field must be known before the content.
func ForbiddenTrailer(name []byte) bool {
	if len(name) > 3 && EqualFold(name[:3], "if-") {
		return true
	}
	for _, lower := range notTrailers {
		if EqualFold(name, lower) {
			return true
		}
	}
	return false
}

var notTrailers = [...]string{
	"authorization", "cache-control", "connection", "content-encoding", "content-length",
	"content-range", "content-type", "cookie", "expect", "forwarded", "host", "keep-alive",
	"max-forwards", "pragma", "proxy-authorization", "proxy-connection", "range", "set-cookie",
	"te", "trailer", "transfer-encoding", "upgrade", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto",
}
