package accesslog

import (
	"encoding/binary"
	"net/netip"

	"dyno.example/nanogate/internal/request"
)

// Of each text that a client sent so much is kept at most, in bytes.
const (
	mostText   = 1024
	mostMethod = 32
)

// A note is what is kept of a request: a byte of flags, the client's address, the
// trace's id, and texts with their lengths.
const (
	hasClient = 1 << iota
	isIPv4
	isSecure
	isHTTP10
	isHTTP2
	hasTrace
)

// appendNote keeps what the log will say of a request.
func appendNote(note []byte, r *request.Request) []byte {
	flags := byte(0)
	var client [16]byte
	if r.Client.IsValid() {
		flags |= hasClient
		if client = r.Client.As16(); r.Client.Unmap().Is4() {
			flags |= isIPv4
		}
	}
	if r.Secure {
		flags |= isSecure
	}
	switch {
	case r.HTTP2:
		flags |= isHTTP2
	case r.Head.Minor == 0:
		flags |= isHTTP10
	}
	if r.Trace != (request.Trace{}) {
		flags |= hasTrace
	}
	note = append(append(append(note, flags), client[:]...), r.Trace.ID[:]...)
	note = appendText(note, r.Method(), mostMethod)
	note = appendText(note, r.RawPath(), mostText)
	note = appendText(note, r.Query(), mostText)
	note = appendText(note, r.Authority(), 256)
	referer, _ := r.Header("referer")
	note = appendText(note, referer, mostText)
	agent, _ := r.Header("user-agent")
	return appendText(note, agent, mostText/2)
}

func appendText(note, text []byte, most int) []byte {
	text = text[:min(len(text), most)]
	return append(binary.LittleEndian.AppendUint16(note, uint16(len(text))), text...)
}

// record is a line of the log before it is written. Its texts are views of what it was
// read from.
type record struct {
	began, took, responded int64 // ns of the monotonic clock; took and responded (the response's begin) from began
	received, sent         int64
	status, tries          int
	failed                 request.Failure
	refused                request.Refusal

	route, endpoint []byte
	client          netip.Addr
	trace           [16]byte
	traced, secure  bool
	version         string // of HTTP; as in a request's first line

	method, path, query, host, referer, agent []byte
}

const fixedSize = 8*5 + 2 + 2 + 1 + 1 + 2 + 2

// appendFixed writes the part of a record that has the same size in all.
func appendFixed(b []byte, o *request.Outcome, route string) []byte {
	le := binary.LittleEndian
	responded := int64(0)
	if o.Responded > 0 {
		responded = o.Responded - o.Began
	}
	for _, x := range [...]int64{o.Began, o.Ended - o.Began, responded, o.Received, o.Sent} {
		b = le.AppendUint64(b, uint64(x))
	}
	b = le.AppendUint16(b, uint16(o.Status))
	b = le.AppendUint16(b, uint16(o.Tries))
	b = append(b, byte(o.Failed), byte(o.Refused))
	b = le.AppendUint16(b, uint16(len(route)))
	return le.AppendUint16(b, uint16(len(o.Endpoint)))
}

// read reads what [ring.put] was given.
func (r *record) read(b []byte) {
	le := binary.LittleEndian
	next := func(n int) (part []byte) { part, b = b[:n], b[n:]; return part }
	number := func() int64 { return int64(le.Uint64(next(8))) }
	r.began, r.took, r.responded, r.received, r.sent = number(), number(), number(), number(), number()
	r.status, r.tries = int(le.Uint16(next(2))), int(le.Uint16(next(2)))
	r.failed, r.refused = request.Failure(next(1)[0]), request.Refusal(next(1)[0])
	route, endpoint := int(le.Uint16(next(2))), int(le.Uint16(next(2)))
	r.route, r.endpoint = next(route), next(endpoint)
	flags := next(1)[0]
	address := netip.AddrFrom16([16]byte(next(16)))
	if flags&isIPv4 != 0 {
		address = address.Unmap()
	}
	if r.client = address; flags&hasClient == 0 {
		r.client = netip.Addr{}
	}
	r.trace = [16]byte(next(16))
	r.traced, r.secure = flags&hasTrace != 0, flags&isSecure != 0
	switch {
	case flags&isHTTP10 != 0:
		r.version = "1.0"
	case flags&isHTTP2 != 0:
		r.version = "2.0"
	default:
		r.version = "1.1"
	}
	text := func() []byte { return next(int(le.Uint16(next(2)))) }
	r.method, r.path, r.query, r.host, r.referer, r.agent = text(), text(), text(), text(), text(), text()
}
