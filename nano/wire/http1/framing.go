package http1

// Refusals of the fields that say where a message ends.
var (
	errLength        = &Error{400, "RFC 9112 6.3", "Content-Length is not one plain decimal number"}
	errLengths       = &Error{400, "RFC 9112 6.3", "several Content-Length fields"}
	errLengthAndTE   = &Error{400, "RFC 9112 6.3", "both Content-Length and Transfer-Encoding"}
	errCoding        = &Error{400, "RFC 9112 6.3", "Transfer-Encoding does not end in chunked, names it twice or has an empty member"}
	errCodings       = &Error{400, "RFC 9112 6.3", "several Transfer-Encoding fields"}
	errCodingUnknown = &Error{501, "RFC 9112 6.1", "Transfer-Encoding other than chunked"}
	errCodingOn10    = &Error{400, "RFC 9112 6.1", "Transfer-Encoding in an HTTP/1.0 message"}
)

// fieldsOf gathers the fields that decide framing and persistence, which are
// the same in both directions.
type fieldsOf struct {
	length    int64 // -1: none
	chunked   bool
	keepAlive bool // default of the version, or requested by HTTP/1.0
	close     bool
	upgrade   bool // the Connection field names it
}

// persists says whether the connection outlives the message (RFC 9112 9.3).
func (f *fieldsOf) persists() bool { return f.keepAlive && !f.close }

// section takes the fields of a response from b[at] to the empty line, and adds
// them to list, up to most, if there is one. next is what follows the empty line,
// or 0 when it is not in yet.
func (f *fieldsOf) section(b []byte, at int, minor uint8, list *[]Field, most int) (next int, err error) {
	for {
		line, next, err := field(b, at)
		if next == 0 || line.Name.Empty() {
			return next, err
		}
		if list != nil {
			if len(*list) == most {
				return 0, errManyFields
			}
			*list = append(*list, line)
		}
		if err := f.take(line.Name.Of(b), line.Value.Of(b), minor); err != nil {
			return 0, err
		}
		at = next
	}
}

// take reads one field. The names that matter have different lengths: most fields are
// passed over after one comparison of integers.
func (f *fieldsOf) take(name, value []byte, minor uint8) error {
	switch len(name) {
	case len("connection"):
		if EqualFold(name, "connection") {
			f.takeConnection(value)
		}
	case len("content-length"):
		if EqualFold(name, "content-length") {
			return f.takeLength(value)
		}
	case len("transfer-encoding"):
		if EqualFold(name, "transfer-encoding") {
			return f.takeCoding(value, minor)
		}
	}
	return nil
}

// takeConnection reads connection options (RFC 9110 7.6.1). Fields that others
// of them name are hop-by-hop, which is a proxy's business.
func (f *fieldsOf) takeConnection(list []byte) {
	if EqualFold(list, "keep-alive") { // what most clients send, and nothing else
		f.keepAlive = true
		return
	}
	for len(list) > 0 {
		var option []byte
		option, list = cut(list)
		switch {
		case EqualFold(option, "keep-alive"):
			f.keepAlive = true
		case EqualFold(option, "close"):
			f.close = true
		case EqualFold(option, "upgrade"):
			f.upgrade = true
		}
	}
}

func (f *fieldsOf) takeLength(value []byte) error {
	if f.length >= 0 {
		return errLengths
	}
	if f.chunked {
		return errLengthAndTE
	}
	length, ok := ParseLength(value)
	if !ok {
		return errLength
	}
	f.length = length
	return nil
}

// ParseLength reads the value of a Content-Length field, in bytes: one plain decimal
// number (RFC 9110 8.6) of at most 18 digits, which can't overflow. ok is false for
// anything else, lists of equal numbers among it.
func ParseLength(value []byte) (length int64, ok bool) {
	if len(value) == 0 || len(value) > 18 {
		return 0, false
	}
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, false
		}
		length = length*10 + int64(c-'0')
	}
	return length, true
}

func (f *fieldsOf) takeCoding(value []byte, minor uint8) error {
	switch {
	case minor == 0:
		return errCodingOn10
	case f.length >= 0:
		return errLengthAndTE
	case f.chunked:
		return errCodings
	case !EqualFold(value, "chunked"):
		return refuseCoding(value)
	}
	f.chunked = true
	return nil
}

// refuseCoding distinguishes codings that are not implemented (501) from framing that
// can't be relied on (400).
func refuseCoding(list []byte) error {
	for list != nil {
		var coding []byte
		coding, list = cut(list)
		last := list == nil
		if len(coding) == 0 || EqualFold(coding, "chunked") != last {
			return errCoding
		}
	}
	return errCodingUnknown
}

// framing says how the end of a body is found (RFC 9112 6.3).
type framing uint8

const (
	inHead    framing = iota // the head is not complete yet
	byLength                 // so many bytes
	byChunks                 // chunked coding
	byClose                  // until the connection ends
	completed                // all is in
)

// framing decides how a response's body ends, in the order of RFC 9112 6.3.
func (f *fieldsOf) framing(status int, toHead bool) framing {
	switch {
	case toHead || status < 200 || status == 204 || status == 304:
		return completed
	case f.chunked:
		return byChunks
	case f.length == 0:
		return completed
	case f.length > 0:
		return byLength
	}
	return byClose
}
