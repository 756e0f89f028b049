package main

import (
	"bytes"
	"strconv"
	"sync"
)

// rows is how many lines are written: some 4 KB.
const rows = 96

func buffersNew() func() int {
	return func() int {
		var b bytes.Buffer
		render(&b)
		return b.Len()
	}
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func buffersPooled() func() int {
	return func() int {
		b := buffers.Get().(*bytes.Buffer)
		b.Reset()
		render(b)
		n := b.Len()
		buffers.Put(b)
		return n
	}
}

// render writes a list piece by piece, which makes a new buffer grow as it goes.
//
//go:noinline
func render(b *bytes.Buffer) {
	for i := range rows {
		b.WriteString("id=")
		b.Write(strconv.AppendInt(b.AvailableBuffer(), int64(i), 10))
		b.WriteString(" name=Ada Lovelace city=London ok=")
		b.Write(strconv.AppendBool(b.AvailableBuffer(), i%2 == 0))
		b.WriteByte('\n')
	}
}
