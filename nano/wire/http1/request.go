package http1

// Refusals of a request's header fields.
var (
	errNoHost      = &Error{400, "RFC 9112 3.2", "HTTP/1.1 request without a Host field"}
	errHosts       = &Error{400, "RFC 9112 3.2", "several Host fields"}
	errExpectation = &Error{417, "RFC 9110 10.1.1", "expectation other than 100-continue"}
)

// Form is the shape of a request target (RFC 9112 3.2).
type Form uint8

const (
	OriginForm    Form = iota // /path?query
	AbsoluteForm              // http://host/path?query
	AuthorityForm             // host:port, for CONNECT only
	AsteriskForm              // *, for OPTIONS only
)

// Request is the head of one request, as offsets into the buffer that was given
// to [Request.Parse]. The zero value is ready to parse. One Request serves a
// connection for all its life: what it has allocated for Fields is kept.
type Request struct {
	Method, Target Span
	// Path and Query are of the target in origin-form and absolute-form, without
	// the "?"; an absolute-form path may be empty and then stands for "/". For
	// the other forms Path is the target. Both are as sent, escapes included.
	Path, Query Span
	Host        Span // of the target, if it names one, else of the Host field
	Fields      []Field

	ContentLength int64 // bytes of the body; -1 if there is no such field
	Minor         uint8 // HTTP/1.Minor: 0, or 1 for that and all later ones
	Form          Form
	Chunked       bool // the body is in chunked coding
	KeepAlive     bool // the client allows for another request after this one
	Expect100     bool // the client waits for "100 Continue" before it sends the body
	Upgrade       bool // the client asks for the protocol in its Upgrade field
	Escaped       bool // Path holds an escape; all of them are "%" and two digits

	framing    fieldsOf
	hostField  bool
	expects    bool
	hasUpgrade bool
	line       int // where the line that was not complete starts
	seen       int // up to where it was searched for its end; 0: nothing to resume
}

// Reset forgets a head that was only partly parsed. There is no need to call it
// after a complete one.
func (r *Request) Reset() { *r = Request{Fields: r.Fields[:0], ContentLength: -1} }

// Parse reads one request head from the start of b. n is its length with the empty line
// at its end. When n is 0 and err nil, b holds only a part of it: call Parse again with
// the same bytes and more after them. An *[Error] has the status to respond with before
// the connection is closed.
//
// Parse keeps no reference to b; the spans are good for any copy of these bytes.
// A line is judged when its end is in, and a call goes on after the last complete
// line, at the byte where the last search for a line's end stopped: a head that
// comes in byte by byte costs one pass and a second one per line.
//
// One empty line before the request line is passed over (RFC 9112 2.2), and
// counts as part of the head. lim may be nil.
func (r *Request) Parse(b []byte, lim *Limits) (n int, err error) {
	limits := lim.orDefaults()
	over := len(b) > limits.Head
	if over {
		b = b[:limits.Head] // a limit needs no test of its own until these bytes are not enough
	}
	if r.seen > 0 {
		if end := controlAt(b, r.seen); incomplete(b, end) {
			return r.more(r.line, end, over)
		}
	}
	n, err = r.head(b, &limits)
	if n == 0 && err == nil {
		from := max(r.line, emptyLine(b))
		return r.more(r.line, controlAt(b, from), over)
	}
	r.line, r.seen = 0, 0
	return n, err
}

// more returns that more bytes are needed, or an error if they would exceed the limit.
func (r *Request) more(line, seen int, over bool) (int, error) {
	r.line, r.seen = line, seen
	if !over {
		return 0, nil
	}
	r.line, r.seen = 0, 0
	if line == 0 {
		return 0, errURILong
	}
	return 0, errHeadLong
}

// head reads lines up to the empty one. When it gives neither length nor error,
// r.line is the line that is not complete.
func (r *Request) head(b []byte, limits *Limits) (n int, err error) {
	at := r.line
	if at == 0 {
		if at, err = r.startLine(b, limits.URI); err != nil {
			return 0, wrongLine(b, emptyLine(b), err)
		}
	}
	for {
		f, next, err := field(b, at)
		if next == 0 {
			r.line = at
			return 0, err
		}
		if f.Name.Empty() {
			if err := r.conclude(); err != nil {
				return 0, err
			}
			return next, nil
		}
		if len(r.Fields) == limits.Fields {
			return 0, errManyFields
		}
		r.Fields = append(r.Fields, f)
		if err := r.take(f, b); err != nil {
			return 0, err
		}
		at = next
	}
}

// take reads one field for what frames the message.
func (r *Request) take(f Field, b []byte) error {
	name, value := f.Name.Of(b), f.Value.Of(b)
	switch len(name) {
	case len("host"):
		if EqualFold(name, "host") {
			return r.takeHost(f.Value, value)
		}
	case len("expect"):
		if EqualFold(name, "expect") && r.Minor > 0 {
			r.expects = true
			if !EqualFold(value, "100-continue") {
				return errExpectation
			}
		}
	case len("upgrade"):
		r.hasUpgrade = r.hasUpgrade || EqualFold(name, "upgrade")
	case len("connection"), len("content-length"), len("transfer-encoding"):
		return r.framing.take(name, value, r.Minor)
	}
	return nil
}

// takeHost checks the Host field. Its value gives way to a host in the target
// (RFC 9112 3.2.2) but must be valid all the same.
func (r *Request) takeHost(at Span, value []byte) error {
	if r.hostField {
		return errHosts
	}
	r.hostField = true
	if r.Form == OriginForm || r.Form == AsteriskForm {
		r.Host = at
	}
	if len(value) == 0 { // the target has no authority (RFC 9112 3.2)
		return nil
	}
	return checkHost(value)
}

// conclude sets what follows from all the fields together.
func (r *Request) conclude() error {
	if !r.hostField && r.Minor > 0 {
		return errNoHost
	}
	f := &r.framing
	r.ContentLength, r.Chunked, r.KeepAlive = f.length, f.chunked, f.persists()
	// A client that has no body to send waits for nothing (RFC 9110 10.1.1), and
	// HTTP/1.0 knows no upgrades (RFC 9110 7.8).
	r.Expect100 = r.expects && (f.chunked || f.length > 0)
	r.Upgrade = r.hasUpgrade && f.upgrade && r.Minor > 0
	return nil
}

// Find gives the value of the first field of that name, which must be in lower
// case; b is what was parsed.
func (r *Request) Find(b []byte, lower string) (value Span, ok bool) {
	for _, f := range r.Fields {
		if f.Name.Len() == len(lower) && EqualFold(f.Name.Of(b), lower) {
			return f.Value, true
		}
	}
	return Span{}, false
}
