package http1

import "math"

// ResponseHead is the head of one response, as offsets into the buffer that was
// given to [ResponseHead.Parse]: for a program that hands the response on, where
// [Response] is for one that only follows it. What it has allocated for Fields is
// kept from one response to the next.
type ResponseHead struct {
	Reason Span
	Fields []Field

	Status        int
	ContentLength int64 // as the field says, also where no body follows; -1 if there is none
	Minor         uint8 // HTTP/1.Minor: 0 or 1
	Chunked       bool  // the body is in chunked coding
	UntilClose    bool  // the body ends with the connection
	KeepAlive     bool  // the server allows for another request after this response

	framing framing
}

// Parse reads one response head, final or interim, from the start of b; toHead says
// that it is to a HEAD request. n is its length with the empty line; n is 0 and err nil
// when b holds only a part of it. Each call starts over; the limits, of which URI has
// no meaning here, bound what that can cost. An error is the server's fault, for which
// a gateway responds with 502.
func (h *ResponseHead) Parse(b []byte, toHead bool, lim *Limits) (n int, err error) {
	limits := lim.orDefaults()
	over := len(b) > limits.Head
	n, err = h.parse(b[:min(len(b), limits.Head)], toHead, limits.Fields)
	if n == 0 && err == nil && over {
		err = errHeadLong
	}
	return n, err
}

func (h *ResponseHead) parse(b []byte, toHead bool, most int) (n int, err error) {
	line, at, err := readStatusLine(b)
	if at == 0 {
		return 0, err
	}
	h.Status, h.Minor, h.Reason, h.Fields = line.status, line.minor, line.reason, h.Fields[:0]
	fields := fieldsOf{length: -1, keepAlive: line.minor > 0}
	if n, err = fields.section(b, at, line.minor, &h.Fields, most); n == 0 {
		return 0, err
	}
	h.framing = fields.framing(line.status, toHead)
	h.ContentLength, h.Chunked, h.UntilClose = fields.length, h.framing == byChunks, h.framing == byClose
	h.KeepAlive = fields.persists() && !h.UntilClose
	return n, nil
}

// StartResponse readies d for the body of the response whose head is h. A body
// that the close of the connection ends is never Done.
func (d *Body) StartResponse(h *ResponseHead) {
	*d = Body{chunked: h.framing == byChunks}
	switch h.framing {
	case byLength:
		d.left = h.ContentLength
	case byClose:
		d.left = math.MaxInt64
	}
}
