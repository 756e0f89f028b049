package http1

var errHeadTooLong = &Error{502, "RFC 9112 3", "response head longer than 64 KiB"}

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

// Reset readies r for the next response; toHead says that it is to a HEAD request.
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

// EOF marks that the connection has ended. It reports whether that completes the
// response, as it does for a body that is delimited by the close.
func (r *Response) EOF() bool {
	if r.framing == byClose {
		r.framing = completed
	}
	return r.Done()
}

// head parses the head at the start of b. It returns 0 if it is incomplete.
func (r *Response) head(b []byte) (int, error) {
	line, n, err := readStatusLine(b)
	if err != nil || n == 0 {
		return 0, tooLong(b, err)
	}
	r.Status = line.status
	fields := fieldsOf{length: -1, keepAlive: line.minor > 0}
	if n, err = fields.section(b, n, line.minor, nil, 0); err != nil || n == 0 {
		return 0, tooLong(b, err)
	}
	if n > MaxHead {
		return 0, errHeadTooLong
	}
	r.frame(&fields)
	return n, nil
}

func tooLong(b []byte, err error) error {
	if err == nil && len(b) > MaxHead {
		return errHeadTooLong
	}
	return err
}

// frame decides how the body ends.
func (r *Response) frame(f *fieldsOf) {
	r.KeepAlive = f.persists()
	if r.Status < 200 && r.Status != 101 {
		return // interim: the next head follows
	}
	switch r.framing = f.framing(r.Status, r.toHead); r.framing {
	case byLength:
		r.left = f.length
	case byClose:
		r.KeepAlive = false
	}
}
