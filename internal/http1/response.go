package http1

import "bytes"

// Refusals of a response's own.
var (
	errStatusLine  = &Error{502, "RFC 9112 4", "status line is not HTTP/1.x SP 3DIGIT"}
	errHeadTooLong = &Error{502, "RFC 9112 3", "response head longer than 64 KiB"}
)

// framing says how the end of a body is found (RFC 9112 6.3).
type framing uint8

const (
	inHead    framing = iota // the head is not complete yet
	byLength                 // so many bytes
	byChunks                 // chunked coding
	byClose                  // until the connection ends
	completed                // all is in
)

// Response follows one response through the bytes of a connection. The zero
// value expects a response to GET; call [Response.Reset] before each one.
//
// Feed it what was read, in order. It holds no bytes: an incomplete head is
// left unconsumed and must be fed again with what follows it.
type Response struct {
	Status    int
	KeepAlive bool  // the connection may carry another request after this response
	BodyBytes int64 // body bytes seen so far, without chunk framing

	left    int64 // bytes still to come, by length
	chunks  chunked
	framing framing
	toHead  bool
}

// Reset readies r for the next response; toHead says it answers a HEAD request.
func (r *Response) Reset(toHead bool) { *r = Response{toHead: toHead} }

// Done reports whether the response is complete.
func (r *Response) Done() bool { return r.framing == completed }

// Started reports whether the response's head has been read.
func (r *Response) Started() bool { return r.framing != inHead }

// Feed consumes as much of b as belongs to the response and returns how much.
// Bytes after a complete response are not consumed. Interim (1xx) responses are
// read and passed over.
func (r *Response) Feed(b []byte) (n int, err error) {
	for r.framing == inHead {
		used, err := r.head(b[n:])
		if err != nil || used == 0 {
			return n, err
		}
		n += used
	}
	switch r.framing {
	case byLength:
		take := min(r.left, int64(len(b)-n))
		r.left -= take
		r.BodyBytes += take
		n += int(take)
		if r.left == 0 {
			r.framing = completed
		}
	case byChunks:
		return r.feedChunks(b, n)
	case byClose:
		r.BodyBytes += int64(len(b) - n)
		n = len(b)
	}
	return n, nil
}

// feedChunks passes over chunks from b[n] on; trailers are dropped.
func (r *Response) feedChunks(b []byte, n int) (int, error) {
	for n < len(b) && !r.chunks.done() {
		framing, data, err := r.chunks.next(b[n:])
		n += framing + data
		r.BodyBytes += int64(data)
		if err != nil {
			return n, err
		}
	}
	if r.chunks.done() {
		r.framing = completed
	}
	return n, nil
}

// EOF tells r that the connection has ended. It reports whether that completes
// the response, as it does for a body that is delimited by the close.
func (r *Response) EOF() bool {
	if r.framing == byClose {
		r.framing = completed
	}
	return r.Done()
}

// head parses the head at the start of b. It returns 0 if it is incomplete.
func (r *Response) head(b []byte) (int, error) {
	n, minor, err := r.statusLine(b)
	if err != nil || n == 0 {
		return 0, tooLong(b, err)
	}
	fields := fieldsOf{length: -1, keepAlive: minor > 0}
	for {
		f, next, err := field(b, n)
		if next == 0 {
			return 0, tooLong(b, err)
		}
		n = next
		if f.Name.Empty() {
			break
		}
		if err := fields.take(f.Name.Of(b), f.Value.Of(b), minor); err != nil {
			return 0, err
		}
	}
	if n > MaxHead {
		return 0, errHeadTooLong
	}
	return n, r.frame(&fields)
}

func tooLong(b []byte, err error) error {
	if err == nil && len(b) > MaxHead {
		return errHeadTooLong
	}
	return err
}

// statusLine parses "HTTP/1.x SSS reason CRLF". The reason is passed over; an
// absent one may lack its space, as many servers send it.
func (r *Response) statusLine(b []byte) (n int, minor uint8, err error) {
	const shortest = len("HTTP/1.1 200")
	if len(b) < shortest {
		if !bytes.HasPrefix([]byte("HTTP/1."), b[:min(len(b), 7)]) {
			return 0, 0, errStatusLine
		}
		return 0, 0, nil
	}
	if string(b[:7]) != "HTTP/1." || b[7] != '0' && b[7] != '1' || b[8] != ' ' {
		return 0, 0, errStatusLine
	}
	status := 0
	for _, c := range b[9:12] {
		if c < '0' || c > '9' {
			return 0, 0, errStatusLine
		}
		status = status*10 + int(c-'0')
	}
	if status < 100 {
		return 0, 0, errStatusLine
	}
	end := bytes.IndexByte(b[12:], '\r')
	if end < 0 || 12+end+1 == len(b) {
		return 0, 0, nil
	}
	end += 12
	if b[end+1] != '\n' || end > 12 && b[12] != ' ' || hasControl(b[12:end]) {
		return 0, 0, errStatusLine
	}
	r.Status = status
	return end + 2, b[7] - '0', nil
}

// frame decides how the body ends, in the order of RFC 9112 6.3.
func (r *Response) frame(f *fieldsOf) error {
	r.KeepAlive = f.persists()
	switch {
	case r.Status < 200 && r.Status != 101:
		return nil // interim: the next head follows
	case r.toHead || r.Status == 204 || r.Status == 304 || r.Status == 101:
		r.framing = completed
	case f.chunked:
		r.framing = byChunks
	case f.length == 0:
		r.framing = completed
	case f.length > 0:
		r.framing, r.left = byLength, f.length
	default:
		r.framing, r.KeepAlive = byClose, false
	}
	return nil
}
