package http2

// Output is what one end of a connection sends, and the head or trailers in it that are
// being written.
type Output struct {
	// Out is what is to be sent. Its owner takes the bytes, and puts an empty slice
	// or what it could not send back.
	Out []byte

	enc     Encoder
	heading outHead
	dead    *Error // why nothing is written any more; nil: it is
}

// outHead is a field block that is being written.
type outHead struct {
	stream  *Stream // nil: none
	at      int     // where its frame starts in Out
	changes uint32  // of the encoder, before it
}

// Request begins a request's head. Fields and EndHeaders follow, and nothing else
// in between; the same goes for the other heads.
func (o *Output) Request(s *Stream, method, scheme, authority, path []byte) {
	o.begin(s)
	s.bodiless = string(method) == "HEAD"
	o.Known(NameMethod, method)
	o.Known(NameScheme, scheme)
	if len(authority) > 0 {
		o.Known(NameAuthority, authority)
	}
	o.Known(NamePath, path)
}

// Connect begins the head of CONNECT: extended (RFC 8441), which the peer must
// allow, or of a tunnel to authority if protocol is empty.
func (o *Output) Connect(s *Stream, protocol, scheme, authority, path []byte) {
	o.begin(s)
	o.Known(NameMethod, unsafeBytes("CONNECT"))
	o.Known(NameAuthority, authority)
	if len(protocol) > 0 {
		o.Known(NameProtocol, protocol)
		o.Known(NameScheme, scheme)
		o.Known(NamePath, path)
	}
}

// Response begins a response's head, or that of an interim one.
func (o *Output) Response(s *Stream, status int) {
	o.begin(s)
	if o.heading.stream != nil {
		o.Out = o.enc.AppendStatus(o.Out, status)
	}
}

// Trailers begins the fields after a body.
func (o *Output) Trailers(s *Stream) { o.begin(s) }

// begin leaves room for a frame's header. Of a stream that is closed nothing is
// written: the table must not know fields that the peer won't see.
func (o *Output) begin(s *Stream) {
	if s.closed || s.sendEnded || o.dead != nil {
		o.heading = outHead{}
		return
	}
	o.heading = outHead{s, len(o.Out), o.enc.changes}
	o.Out = AppendFrameHeader(o.Out, FrameHeader{})
	o.Out = o.enc.Begin(o.Out)
}

// Field adds a field; capitals in its name become small letters. Neither name nor
// value is checked.
func (o *Output) Field(name, value []byte) {
	if o.heading.stream != nil {
		o.Out = o.enc.Append(o.Out, name, value, false)
	}
}

// Sensitive adds a field that is not to be compressed (RFC 7541 7.1.3).
func (o *Output) Sensitive(name, value []byte) {
	if o.heading.stream != nil {
		o.Out = o.enc.Append(o.Out, name, value, true)
	}
}

// Known adds a field whose name is known here, for less than Field.
func (o *Output) Known(name Name, value []byte) {
	if o.heading.stream != nil {
		o.Out = o.enc.AppendKnown(o.Out, name, value)
	}
}
