package jsonpb

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// field writes what a field has whose slot is given. set is false if it has nothing: zero
// without presence, or an empty list. Then nothing is written.
func (w *writer) field(f *field, s slot, message []byte) (set, ok bool) {
	b := s.of(message)
	switch f.shape {
	case single:
		if !f.presence && f.kind != protoreflect.MessageKind {
			if zero, ok := f.isZero(b); zero || !ok {
				return false, ok
			}
		}
		return true, w.value(f, b)
	case list, packed:
		return w.list(f, b)
	case keyed:
		return true, w.keyed(f, b)
	}
	return false, false
}

// isZero reports whether a field has the value that it has when it isn't set.
func (f *field) isZero(b []byte) (zero, ok bool) {
	if f.wire == protowire.BytesType {
		return len(b) == 0, true
	}
	n, ok := f.number64(b)
	return n == 0, ok
}

// value writes one value. Of nothing it writes what is meant by that.
func (w *writer) value(f *field, b []byte) (ok bool) {
	switch f.kind {
	case protoreflect.MessageKind:
		return w.message(f.message, b)
	case protoreflect.StringKind:
		w.out, ok = appendString(w.out, b)
		return ok
	case protoreflect.BytesKind:
		w.out = append(base64.StdEncoding.AppendEncode(append(w.out, '"'), b), '"')
		return true
	}
	n, ok := f.number64(b)
	if !ok {
		return false
	}
	w.number(f, n)
	return true
}

// number writes a value that is a number.
func (w *writer) number(f *field, n uint64) {
	if f.kind == protoreflect.EnumKind {
		if name := f.enum.names[int32(n)]; name != nil {
			w.out = append(w.out, name...)
			return
		}
	}
	w.out = appendNumber(w.out, f.kind, n)
}

// list writes the values of a list, of which each has a tag, or many have one.
func (w *writer) list(f *field, b []byte) (set, ok bool) {
	before := len(w.out)
	for at := 0; at < len(b); {
		_, wire, n := protowire.ConsumeTag(b[at:])
		from, to := content(b, at+n, wire)
		at = to
		if wire == f.wire {
			w.out = append(w.out, ',')
			if !w.value(f, b[from:to]) {
				return false, false
			}
			continue
		}
		for from < to {
			_, end := content(b[:to], from, f.wire)
			if end < 0 {
				return false, false
			}
			w.out = append(w.out, ',')
			if !w.value(f, b[from:end]) {
				return false, false
			}
			from = end
		}
	}
	if len(w.out) == before {
		return false, true
	}
	w.out[before] = '['
	w.out = append(w.out, ']')
	return true, true
}

// keyedBy is an entry of a map.
type keyedBy struct {
	name  []byte // a key that is text
	key   uint64 // one that isn't
	value []byte
}

// keyed writes the entries of a map in the order of their keys. None may come twice.
func (w *writer) keyed(f *field, b []byte) bool {
	if w.depth++; w.depth > w.most {
		return false
	}
	first := len(w.entries)
	for at := 0; at < len(b); {
		_, _, n := protowire.ConsumeTag(b[at:])
		from, to := content(b, at+n, protowire.BytesType)
		e, ok := f.entry.read(b[from:to])
		if !ok {
			return false
		}
		w.entries = append(w.entries, e)
		at = to
	}
	end := len(w.entries)
	order := f.entry.order()
	slices.SortFunc(w.entries[first:], order)
	w.out = append(w.out, '{')
	for i := first; i < end; i++ {
		e := w.entries[i]
		if i > first {
			if order(w.entries[i-1], e) == 0 {
				return false
			}
			w.out = append(w.out, ',')
		}
		if !w.key(&f.entry.key, e) {
			return false
		}
		w.out = append(w.out, ':')
		if !w.value(&f.entry.value, e.value) {
			return false
		}
	}
	w.out = append(w.out, '}')
	w.entries = w.entries[:first]
	w.depth--
	return true
}

// key writes an entry's key.
func (w *writer) key(f *field, e keyedBy) (ok bool) {
	if f.kind == protoreflect.StringKind {
		w.out, ok = appendString(w.out, e.name)
		return ok
	}
	w.out = append(w.out, '"')
	switch f.kind {
	case protoreflect.BoolKind:
		w.out = strconv.AppendBool(w.out, e.key != 0)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		w.out = strconv.AppendUint(w.out, e.key, 10)
	default:
		w.out = strconv.AppendInt(w.out, int64(e.key), 10)
	}
	w.out = append(w.out, '"')
	return true
}

// read reads an entry. What it lacks is zero.
func (e *entry) read(b []byte) (read keyedBy, ok bool) {
	var seen [2]bool
	for at := 0; at < len(b); {
		number, wire, n := protowire.ConsumeTag(b[at:])
		if n < 0 || number > 2 || seen[number-1] {
			return read, false
		}
		seen[number-1] = true
		from, to := content(b, at+n, wire)
		if to < 0 || number == 1 && wire != e.key.wire || number == 2 && wire != e.value.wire {
			return read, false
		}
		switch {
		case number == 2:
			read.value = b[from:to]
		case wire == protowire.BytesType:
			read.name = b[from:to]
		default:
			if read.key, ok = e.key.number64(b[from:to]); !ok {
				return read, false
			}
		}
		at = to
	}
	return read, true
}

// order is how keys are compared.
func (e *entry) order() func(a, b keyedBy) int {
	switch e.key.kind {
	case protoreflect.StringKind:
		return func(a, b keyedBy) int { return bytes.Compare(a.name, b.name) }
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind, protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return func(a, b keyedBy) int { return cmp.Compare(int64(a.key), int64(b.key)) }
	}
	return func(a, b keyedBy) int { return cmp.Compare(a.key, b.key) }
}

// number64 is a value that is a number, in 64 bits: with its sign if it has one, and floats
// as their bits. Nothing is zero.
func (f *field) number64(b []byte) (n uint64, ok bool) {
	if len(b) == 0 {
		return 0, true
	}
	switch f.wire {
	case protowire.Fixed32Type:
		v, _ := protowire.ConsumeFixed32(b)
		if f.kind == protoreflect.Sfixed32Kind {
			return uint64(int64(int32(v))), true
		}
		return uint64(v), true
	case protowire.Fixed64Type:
		n, _ = protowire.ConsumeFixed64(b)
		return n, true
	}
	n, size := protowire.ConsumeVarint(b)
	switch f.kind {
	case protoreflect.BoolKind:
		n = protowire.EncodeBool(n != 0)
	case protoreflect.Int32Kind, protoreflect.EnumKind:
		n = uint64(int64(int32(n)))
	case protoreflect.Uint32Kind:
		n = uint64(uint32(n))
	case protoreflect.Sint32Kind:
		n = uint64(int64(int32(protowire.DecodeZigZag(n & math.MaxUint32))))
	case protoreflect.Sint64Kind:
		n = uint64(protowire.DecodeZigZag(n))
	}
	return n, size > 0
}
