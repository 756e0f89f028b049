package http1

// Span is a piece of the buffer that was given to a parser.
type Span struct{ Start, End uint32 }

// Of returns the piece of b.
func (s Span) Of(b []byte) []byte { return b[s.Start:s.End:s.End] }

// Empty reports whether the piece has no bytes.
func (s Span) Empty() bool { return s.Start == s.End }

// Field is one header field; the value has no white space around it.
type Field struct{ Name, Value Span }

// Request is a request head as pieces of the buffer it was read into.
type Request struct {
	Method, Target, Path, Query, Host      Span
	Minor                                  uint8
	Fields                                 []Field
	ContentLength                          int64 // -1: none given
	Chunked, KeepAlive, Expect100, Upgrade bool
}

// Reset readies r for the next request. The capacity of Fields is kept.
func (r *Request) Reset() { *r = Request{Fields: r.Fields[:0], ContentLength: -1} }

// ValidToken reports whether s is a token (RFC 9110 5.6.2).
func ValidToken(s string) bool {
	for i := range len(s) {
		if !token[s[i]] {
			return false
		}
	}
	return s != ""
}

// ValidFieldValue reports whether s can be sent as a field's value (RFC 9110 5.5).
func ValidFieldValue(s string) bool { return !controlIn([]byte(s)) }
