package jsonpb

import (
	"slices"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// AppendJSON appends a message as JSON, on one line and without spaces. If ok is false it
// isn't taken, and dst is what it was.
func (m *Message) AppendJSON(dst, message []byte) (out []byte, ok bool) {
	w := writers.Get().(*writer)
	defer w.release()
	w.begin(m.types, dst)
	if !w.message(m, message) {
		return dst, false
	}
	return w.out, true
}

// AppendFieldJSON appends what a field of a message has, or would have if it were set.
// unset reports that nothing was written as there is no such thing.
func (m *Message) AppendFieldJSON(dst, message []byte, fd protoreflect.FieldDescriptor) (out []byte, unset, ok bool) {
	if m.form != object {
		return dst, false, false
	}
	w := writers.Get().(*writer)
	defer w.release()
	w.begin(m.types, dst)
	f := &m.fields[fd.Index()]
	slots, ok := w.scan(m, message)
	if !ok {
		return dst, false, false
	}
	s := w.slots[slots+f.index]
	if !s.set && (f.shape != single || f.kind != protoreflect.MessageKind) {
		return dst, true, true
	}
	set, ok := w.field(f, s, message)
	if !ok {
		return dst, false, false
	}
	return w.out, !set, true
}

// writer makes JSON of a message. What writes something returns whether it is taken.
type writer struct {
	out     []byte
	depth   int       // messages and maps that it is within
	most    int       // of them
	slots   []slot    // of messages that it is within, each with as many as it has fields
	entries []keyedBy // of maps that it is within
}

// slot is where a field's value stands in its message: without its tag and its length if it
// is single, else the whole of it.
type slot struct {
	from, to int
	set      bool
}

// of is what stands there in a message; nothing, if nothing does.
func (s slot) of(message []byte) []byte { return message[s.from:s.to] }

var writers = sync.Pool{New: func() any { return &writer{} }}

func (w *writer) begin(t *Types, dst []byte) {
	w.out, w.depth, w.most, w.slots, w.entries = dst, 0, t.options.MostNesting, w.slots[:0], w.entries[:0]
}

func (w *writer) release() {
	clear(w.entries[:cap(w.entries)])
	if w.out = nil; cap(w.slots) > mostKept/32 {
		w.slots = nil
	}
	if cap(w.entries) > mostKept/64 {
		w.entries = nil
	}
	writers.Put(w)
}

// message writes a message as JSON has it.
func (w *writer) message(m *Message, b []byte) bool {
	if w.depth++; w.depth > w.most {
		return false
	}
	ok := false
	switch m.form {
	case object:
		ok = w.object(m, b)
	case timestamp:
		ok = w.timestamp(m, b)
	case duration:
		ok = w.duration(m, b)
	case wrapper:
		ok = w.wrapper(m, b)
	}
	w.depth--
	return ok
}

// object writes the fields of a message as they are declared.
func (w *writer) object(m *Message, b []byte) bool {
	slots, ok := w.scan(m, b)
	if !ok {
		return false
	}
	w.out = append(w.out, '{')
	first := len(w.out)
	for i := range m.fields {
		f, s := &m.fields[i], w.slots[slots+i]
		if !s.set && f.absent == nil {
			continue
		}
		before := len(w.out)
		if before > first {
			w.out = append(w.out, ',')
		}
		w.out = append(w.out, f.key...)
		set := false
		if s.set {
			if set, ok = w.field(f, s, b); !ok {
				return false
			}
		}
		switch {
		case set:
		case f.absent != nil:
			w.out = append(w.out, f.absent...)
		default:
			w.out = w.out[:before]
		}
	}
	w.out = append(w.out, '}')
	w.slots = w.slots[:slots]
	return true
}

// wrapper writes the value of a message that has nothing else.
func (w *writer) wrapper(m *Message, b []byte) bool {
	slots, ok := w.scan(m, b)
	if !ok {
		return false
	}
	s := w.slots[slots]
	w.slots = w.slots[:slots]
	return w.value(&m.fields[0], s.of(b))
}

// scan finds out where the fields of a message stand: from which slot on that is noted.
// What has to be merged with what was there before isn't taken, nor what would be an
// extension.
func (w *writer) scan(m *Message, b []byte) (slots int, ok bool) {
	slots = len(w.slots)
	w.slots = slices.Grow(w.slots, len(m.fields))[:slots+len(m.fields)] // append allocates what it appends under -race
	clear(w.slots[slots:])
	var oneofs uint64
	var last *field
	for at := 0; at < len(b); {
		number, wire, n := protowire.ConsumeTag(b[at:])
		if n < 0 || number > protowire.MaxValidNumber {
			return slots, false
		}
		from, to := content(b, at+n, wire)
		if to < 0 {
			return slots, false
		}
		f := m.numbered(number)
		if f == nil {
			if m.extended.Has(number) {
				return slots, false
			}
			at, last = to, nil
			continue
		}
		s := &w.slots[slots+f.index]
		switch {
		case f.shape == unknown || wire != f.wire && (f.shape == single || f.shape == keyed || wire != protowire.BytesType):
			return slots, false
		case f.shape == single:
			if s.set || f.oneof >= 0 && oneofs>>f.oneof&1 != 0 {
				return slots, false
			}
			if f.oneof >= 0 {
				oneofs |= 1 << f.oneof
			}
			*s = slot{from, to, true}
		case !s.set:
			*s = slot{at, to, true}
		case last != f: // its values stand apart
			return slots, false
		default:
			s.to = to
		}
		at, last = to, f
	}
	return slots, true
}

// content is where a value is that begins at an index: behind its length, if it has one. to
// is less than 0 if it isn't whole, or a group.
func content(b []byte, at int, wire protowire.Type) (from, to int) {
	n := 0
	switch wire {
	case protowire.VarintType:
		_, n = protowire.ConsumeVarint(b[at:])
	case protowire.Fixed32Type:
		n = 4
	case protowire.Fixed64Type:
		n = 8
	case protowire.BytesType:
		length, size := protowire.ConsumeVarint(b[at:])
		if size < 0 || length > uint64(len(b)-at-size) {
			return 0, -1
		}
		return at + size, at + size + int(length)
	default:
		return 0, -1
	}
	if n < 0 || n > len(b)-at {
		return 0, -1
	}
	return at, at + n
}
