package jsonpb

import (
	"slices"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// AppendMessage appends the message that JSON comes to. If ok is false it isn't taken, and
// dst is what it was.
func (m *Message) AppendMessage(dst, json []byte) (out []byte, ok bool) {
	r := readers.Get().(*reader)
	defer r.release()
	r.begin(m.types, dst, json)
	if !r.message(m) || !r.ended() {
		return dst, false
	}
	return r.out, true
}

// AppendField appends a field of a message whose value JSON is. If it is a message, more is
// put at its end, fields of it in the wire format.
func (m *Message) AppendField(dst, json []byte, fd protoreflect.FieldDescriptor, more []byte) (out []byte, ok bool) {
	if m.form != object {
		return dst, false
	}
	f := &m.fields[fd.Index()]
	r := readers.Get().(*reader)
	defer r.release()
	r.begin(m.types, dst, json)
	if f.shape != single || f.message == nil { // it is read as protojson reads it, within a message of its own
		r.depth = 1
	}
	if len(more) == 0 {
		ok = r.field(f)
	} else if f.shape == single && f.message != nil && f.message.form == object {
		r.out = append(r.out, f.tag...)
		at := r.open()
		ok = r.message(f.message)
		r.out = append(r.out, more...)
		r.close(at)
	}
	if !ok || !r.ended() {
		return dst, false
	}
	return r.out, true
}

// reader makes a message of JSON. What reads something returns whether it is taken.
type reader struct {
	in    []byte
	at    int
	out   []byte
	depth int      // messages that it is within
	most  int      // of them
	text  []byte   // a string that had escapes, without them
	keys  [][]byte // of maps that it is within
}

var readers = sync.Pool{New: func() any { return &reader{} }}

// mostKept bounds the memory that is kept for the next one.
const mostKept = 64 << 10

func (r *reader) begin(t *Types, dst, json []byte) {
	r.in, r.at, r.out, r.depth, r.most = json, 0, dst, 0, t.options.MostNesting
}

func (r *reader) release() {
	clear(r.keys[:cap(r.keys)])
	r.in, r.out, r.keys = nil, nil, r.keys[:0]
	if cap(r.text) > mostKept {
		r.text = nil
	}
	readers.Put(r)
}

// ended reports whether nothing comes any more.
func (r *reader) ended() bool { return r.next() == 0 && r.at == len(r.in) }

// message reads a message as JSON has it.
func (r *reader) message(m *Message) bool {
	if r.depth++; r.depth > r.most {
		return false
	}
	ok := false
	switch m.form {
	case object:
		ok = r.object(m)
	case timestamp:
		ok = r.timestamp()
	case duration:
		ok = r.duration()
	case wrapper:
		ok = r.field(&m.fields[0])
	}
	r.depth--
	return ok
}

// object reads the fields of a message. None may come twice, null or not, and of a oneof
// only one that isn't null.
func (r *reader) object(m *Message) bool {
	if !r.take('{') {
		return false
	}
	if r.take('}') {
		return true
	}
	var seen [mostFields / 64]uint64
	var oneofs uint64
	for {
		name, ok := r.string()
		if !ok || !r.take(':') {
			return false
		}
		f := m.byName[string(name)]
		if f == nil || f.shape == unknown {
			return false
		}
		word, bit := &seen[f.index/64], uint64(1)<<(f.index%64)
		if *word&bit != 0 {
			return false
		}
		*word |= bit
		if r.next() == 'n' {
			if f.message != nil && f.message.form == left || !r.word("null") {
				return false
			}
		} else {
			if f.oneof >= 0 {
				if oneofs>>f.oneof&1 != 0 {
					return false
				}
				oneofs |= 1 << f.oneof
			}
			if !r.field(f) {
				return false
			}
		}
		if r.take('}') {
			return true
		}
		if !r.take(',') {
			return false
		}
	}
}

// field reads what a field has.
func (r *reader) field(f *field) bool {
	switch f.shape {
	case single:
		before := len(r.out)
		r.out = append(r.out, f.tag...)
		if !r.value(f) {
			return false
		}
		if !f.presence && isZero(r.out[before+len(f.tag):]) {
			r.out = r.out[:before]
		}
		return true
	case list:
		return r.list(f)
	case packed:
		before := len(r.out)
		r.out = append(r.out, f.tag...)
		at := r.open()
		if !r.list(f) {
			return false
		}
		if r.close(at); r.out[at] == 0 { // nothing is in it
			r.out = r.out[:before]
		}
		return true
	case keyed:
		return r.keyed(f)
	}
	return false
}

// isZero reports whether the value of a field without presence is the one that isn't
// written: number zero, or nothing behind a length. Minus zero is another number.
func isZero(value []byte) bool {
	for _, b := range value {
		if b != 0 {
			return false
		}
	}
	return true
}

// list reads the values of a list, each behind its tag if it isn't packed.
func (r *reader) list(f *field) bool {
	if !r.take('[') {
		return false
	}
	if r.take(']') {
		return true
	}
	for {
		if f.shape == list {
			r.out = append(r.out, f.tag...)
		}
		if !r.value(f) {
			return false
		}
		if r.take(']') {
			return true
		}
		if !r.take(',') {
			return false
		}
	}
}

// mostKeys bounds the keys of a map that is taken, as each is compared with those before.
const mostKeys = 32

// keyed reads a map, whose entries are messages of a key and a value.
func (r *reader) keyed(f *field) bool {
	if !r.take('{') {
		return false
	}
	if r.take('}') {
		return true
	}
	first := len(r.keys)
	for {
		if len(r.keys)-first == mostKeys || r.next() != '"' {
			return false
		}
		from := r.at
		key, ok := r.string()
		if !ok || r.at-from != len(key)+2 || !r.take(':') { // without escapes keys are the same if their texts are
			return false
		}
		if slices.ContainsFunc(r.keys[first:], func(other []byte) bool { return string(other) == string(key) }) {
			return false
		}
		r.keys = append(r.keys, key)
		r.out = append(r.out, f.tag...)
		at := r.open()
		r.out = append(r.out, f.entry.key.tag...)
		if !r.key(&f.entry.key, key) {
			return false
		}
		r.out = append(r.out, f.entry.value.tag...)
		if !r.value(&f.entry.value) {
			return false
		}
		r.close(at)
		if r.take('}') {
			r.keys = r.keys[:first]
			return true
		}
		if !r.take(',') {
			return false
		}
	}
}

// open begins what has its length before it, and returns where that is.
func (r *reader) open() (at int) {
	r.out = append(r.out, 0)
	return len(r.out) - 1
}

// close puts the length there.
func (r *reader) close(at int) { r.out = putLength(r.out, at) }

// putLength puts the length of what stands behind an index there, which has one byte for
// it: what stands there moves if it needs more.
func putLength(b []byte, at int) []byte {
	n := len(b) - at - 1
	if n < 0x80 {
		b[at] = byte(n)
		return b
	}
	more := protowire.SizeVarint(uint64(n)) - 1
	b = append(b, make([]byte, more)...)
	copy(b[at+1+more:], b[at+1:])
	protowire.AppendVarint(b[:at], uint64(n))
	return b
}
