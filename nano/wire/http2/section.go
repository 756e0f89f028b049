package http2

// Section is a field section as it was encoded, for [Output.Again]. The zero value holds
// none; its memory is kept for the next one.
type Section struct {
	block   []byte
	changes uint32 // of the encoder
}

// Keep keeps in k what was written since the head or the trailers began. It reports
// whether it can be sent again as it is: not the first times that a field is sent, which
// is when it goes into the peer's table. Call it before EndHeaders.
func (o *Output) Keep(k *Section) bool {
	k.block = k.block[:0]
	if o.heading.stream == nil || o.heading.changes != o.enc.changes {
		return false
	}
	k.block = append(k.block, o.Out[o.heading.at+FrameHeaderLen:]...)
	k.changes = o.enc.changes
	return true
}

// Again begins a head or trailers with all that k holds, which this connection has
// encoded. It reports whether it could: not if k holds none, or if the encoder would
// encode those fields otherwise by now; then it does nothing. EndHeaders follows, as
// do fields, if there are any more.
func (o *Output) Again(s *Stream, k *Section) bool {
	if len(k.block) == 0 || k.changes != o.enc.changes || o.enc.resize {
		return false
	}
	o.begin(s)
	if o.heading.stream != nil {
		o.Out = append(o.Out, k.block...)
	}
	return true
}
