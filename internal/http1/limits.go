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

// or gives the limit, or its default.
func or(limit, byDefault int) int {
	if limit <= 0 {
		return byDefault
	}
	return limit
}
