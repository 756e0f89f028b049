package http2

// Span is a part of a [Header]'s bytes, as offsets from their start. It stays
// right when the bytes are copied as a whole.
type Span struct{ Start, End uint32 }

func span(start, end int) Span { return Span{uint32(start), uint32(end)} }

// Of gives the bytes of s in b. They share b's memory; appending to them doesn't
// overwrite what follows.
func (s Span) Of(b []byte) []byte { return b[s.Start:s.End:s.End] }

// Len is the number of bytes.
func (s Span) Len() int { return int(s.End - s.Start) }

// Empty reports whether s holds no bytes.
func (s Span) Empty() bool { return s.Start == s.End }
