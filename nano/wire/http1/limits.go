package http1

// Limits bound a request's head. 0 means the default.
type Limits struct {
	Head   int // bytes from the request line to the empty line, both included: 16 KiB
	URI    int // bytes of the request target: 8 KiB
	Fields int // header fields: 100
}

// Defaults of [Limits].
const (
	DefaultHead   = 16 << 10
	DefaultURI    = 8 << 10
	DefaultFields = 100
)

// Refusals for a limit's sake.
var (
	errHeadLong   = &Error{431, "RFC 6585 5", "request head longer than the limit"}
	errManyFields = &Error{431, "RFC 6585 5", "more header fields than the limit"}
	errURILong    = &Error{414, "RFC 9112 3", "request target longer than the limit"}
)

// orDefaults gives the limits with the defaults filled in.
func (l *Limits) orDefaults() Limits {
	limits := Limits{DefaultHead, DefaultURI, DefaultFields}
	if l == nil {
		return limits
	}
	if l.Head > 0 {
		limits.Head = l.Head
	}
	if l.URI > 0 {
		limits.URI = l.URI
	}
	if l.Fields > 0 {
		limits.Fields = l.Fields
	}
	return limits
}
