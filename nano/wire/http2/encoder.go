package http2

import "unsafe"

// Encoder encodes field blocks (RFC 7541). All blocks of a connection must come
// from it, in their order. Fields that are repeated come to one byte each.
type Encoder struct {
	table table
	found *finder // nil before the first entry
	limit uint32  // what the table may come to at most, whatever the peer allows

	changes uint32 // goes up with whatever makes the same fields come out otherwise than before

	resize bool   // the next block must start with the size
	lowest uint32 // the least size since the last block, if there was another
	lower  []byte // a name in lower case
}

// Init sets how large the dynamic table may become, in bytes; before the peer's
// SETTINGS are in that is 4096 at most.
func (e *Encoder) Init(limit uint32) {
	*e = Encoder{limit: limit}
	e.table.max = defaultTable
	e.Allow(defaultTable)
}

// Allow takes SETTINGS_HEADER_TABLE_SIZE of the peer.
func (e *Encoder) Allow(tableSize uint32) {
	size := min(tableSize, e.limit)
	if size == e.table.max {
		return
	}
	e.table.setMax(size)
	e.changes++
	if !e.resize || size < e.lowest {
		e.lowest = size
	}
	e.resize = true
}

// Begin appends what a block must start with: size updates, if there are any
// (RFC 7541 4.2).
func (e *Encoder) Begin(dst []byte) []byte {
	if !e.resize {
		return dst
	}
	if e.lowest < e.table.max {
		dst = appendInteger(dst, 0x20, 5, e.lowest)
	}
	dst = appendInteger(dst, 0x20, 5, e.table.max)
	e.resize = false
	e.changes++
	return dst
}

// Append appends a field. Capitals in the name are sent as small letters (RFC 9113
// 8.2). sensitive keeps it out of every table (RFC 7541 7.1.3); credentials are always
// kept out.
func (e *Encoder) Append(dst, name, value []byte, sensitive bool) []byte {
	known := NameOf(name)
	if known == 0 {
		name = e.lowerCase(name)
	} else {
		name = unsafeBytes(known.String())
	}
	return e.append(dst, known, name, value, sensitive)
}

// AppendKnown appends a field whose name is known.
func (e *Encoder) AppendKnown(dst []byte, name Name, value []byte) []byte {
	return e.append(dst, name, unsafeBytes(name.String()), value, false)
}

// AppendStatus appends :status, a number of three digits.
func (e *Encoder) AppendStatus(dst []byte, code int) []byte {
	text := [3]byte{byte('0' + code/100%10), byte('0' + code/10%10), byte('0' + code%10)}
	return e.append(dst, NameStatus, unsafeBytes(":status"), text[:], false)
}

func (e *Encoder) append(dst []byte, known Name, name, value []byte, sensitive bool) []byte {
	how := indexings[known]
	if sensitive || how == neverIndex || how == cookieIndex && len(value) < shortCookie {
		return e.literal(dst, 0x10, 4, e.nameIndex(known, name), name, value)
	}
	if known <= NameAcceptEncoding && known > 0 || len(value) == 0 {
		if i := staticMatch(known, unsafeString(value)); i > 0 {
			return append(dst, 0x80|byte(i))
		}
	}
	if e.found == nil {
		if e.table.max < overhead {
			return e.literal(dst, 0, 4, uint32(known.inStatic()), name, value)
		}
		e.found = new(finder)
	}
	slot := slotOf(known, name)
	index, whole := e.lookup(slot, known, name, value)
	if whole {
		return appendInteger(dst, 0x80, 7, index)
	}
	if how == noIndex || uint32(len(name)+len(value)+overhead) > e.table.max/4*3 {
		return e.literal(dst, 0, 4, index, name, value)
	}
	e.changes++ // it is remembered, in the table or as having been sent
	if how != index1 && !e.found.again(slot, value) {
		return e.literal(dst, 0, 4, index, name, value)
	}
	dst = e.literal(dst, 0x40, 6, index, name, value)
	e.add(slot, known, name, value)
	return dst
}

// literal appends a field with its value; index is its name's, 0 to write it out.
func (e *Encoder) literal(dst []byte, pattern byte, prefix uint, index uint32, name, value []byte) []byte {
	dst = appendInteger(dst, pattern, prefix, index)
	if index == 0 {
		dst = appendText(dst, unsafeString(name))
	}
	return appendText(dst, unsafeString(value))
}

// appendText appends a string, in Huffman's code where that is shorter.
func appendText(dst []byte, s string) []byte {
	if n := huffmanLen(s); n < len(s) {
		return appendHuffman(appendInteger(dst, 0x80, 7, uint32(n)), s)
	}
	dst = appendInteger(dst, 0, 7, uint32(len(s)))
	return append(dst, s...)
}

// lowerCase gives the name without capitals, in memory of e's if it has any.
func (e *Encoder) lowerCase(name []byte) []byte {
	for i, c := range name {
		if c-'A' < 26 {
			e.lower = append(e.lower[:0], name...)
			for ; i < len(name); i++ {
				if c := name[i]; c-'A' < 26 {
					e.lower[i] = c | 0x20
				}
			}
			return e.lower
		}
	}
	return name
}

// unsafeString is b as a string, for as long as b isn't changed.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// unsafeBytes is s as bytes, which must not be changed.
func unsafeBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
