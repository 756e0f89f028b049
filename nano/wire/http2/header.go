package http2

// Field is one field of a decoded section.
type Field struct {
	Name, Value Span
	Known       Name // which name it is; 0: none of those known here
	// Sensitive: the peer doesn't want it compressed, and whoever passes it on
	// must not compress it either (RFC 7541 6.2.3).
	Sensitive bool

	flaws flaws
}

// flaws says what is wrong with a field's bytes. A table keeps it with the field,
// so that a field which is sent again is not looked through again.
type flaws uint8

const (
	flawName  flaws = 1 << iota // not a field name in lower case, nor a pseudo-header's
	flawValue                   // a control character, or white space around it
)

// Header is a decoded section of fields: a request's or a response's head, or trailers.
// The zero value is ready to use; what it has allocated is kept for the next one. Its
// bytes belong to it: what is to outlive the next decoding must be copied, all of Bytes
// with Fields, whose spans stay right.
type Header struct {
	Bytes  []byte
	Fields []Field // without pseudo-headers, in the order they were sent; cookies as one

	Method, Scheme, Authority, Path, Protocol Span  // of a request; empty if not there
	Status                                    int   // of a response
	ContentLength                             int64 // bytes; -1 if there is no such field
	TooLarge                                  bool  // not everything is here: the section is above the limit

	all  []Field // with pseudo-headers
	size uint32  // of the list (RFC 9113 6.5.2)
}

// HeaderLimits bound what a section decodes to.
type HeaderLimits struct {
	Size   uint32 // bytes of names, values and 32 for each field, as SETTINGS_MAX_HEADER_LIST_SIZE counts
	Fields int    // pseudo-headers included
}

// start makes h empty.
func (h *Header) start() {
	*h = Header{Bytes: h.Bytes[:0], all: h.all[:0], ContentLength: -1}
}

// All gives what a [Decoder] made of a block, pseudo-headers and each piece of a
// cookie too. Of a section that a Conn gave only Fields are to be looked at.
func (h *Header) All() []Field { return h.all }

// Find gives the value of the first field of that name, which must be in lower
// case. A pseudo-header is not a field.
func (h *Header) Find(name string) (value []byte, ok bool) {
	for i := range h.Fields {
		f := &h.Fields[i]
		if f.Name.Len() == len(name) && string(f.Name.Of(h.Bytes)) == name {
			return f.Value.Of(h.Bytes), true
		}
	}
	return nil, false
}

// FindKnown gives the value of the first field of that name.
func (h *Header) FindKnown(name Name) (value []byte, ok bool) {
	for i := range h.Fields {
		if f := &h.Fields[i]; f.Known == name {
			return f.Value.Of(h.Bytes), true
		}
	}
	return nil, false
}

// CopyTo makes to a copy that is good for as long as its owner wants. What to has
// allocated is used again.
func (h *Header) CopyTo(to *Header) {
	bytes, fields := append(to.Bytes[:0], h.Bytes...), append(to.all[:0], h.Fields...)
	*to = *h
	to.Bytes, to.all, to.Fields = bytes, fields, fields
}

// admit counts a field of n bytes, and reports whether it is within the limits.
func (h *Header) admit(n int, lim *HeaderLimits) bool {
	h.size += uint32(n) + overhead
	if h.size > lim.Size || len(h.all) == lim.Fields {
		h.TooLarge = true
	}
	return !h.TooLarge
}
