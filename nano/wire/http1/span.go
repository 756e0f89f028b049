package http1

// Span is a part of the buffer that was parsed, as offsets from its start. It
// stays right when the buffer is moved as a whole.
type Span struct{ Start, End uint32 }

func span(start, end int) Span { return Span{uint32(start), uint32(end)} }

// Of gives the bytes of s in b, which must start where the parsed head did.
// They share b's memory; appending to them doesn't overwrite what follows.
func (s Span) Of(b []byte) []byte { return b[s.Start:s.End:s.End] }

// Len is the number of bytes.
func (s Span) Len() int { return int(s.End - s.Start) }

// Empty reports whether s holds no bytes.
func (s Span) Empty() bool { return s.Start == s.End }

// Field is one header field; Value is without the white space around it.
type Field struct{ Name, Value Span }
