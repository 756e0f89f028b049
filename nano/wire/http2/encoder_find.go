package http2

import (
	"encoding/binary"
	"math/bits"
)

// finder finds fields in an encoder's table. Entries of the same name, or of names
// with the same slot, are a chain from the newest back.
type finder struct {
	newest [names + otherSlots]uint32 // numbers of entries; 0: none
	seen   [16]uint32                 // hashes of fields that were sent and are not in the table
}

const (
	otherSlots = 16 // for names that are not known here
	chainSteps = 8  // entries that are looked at before a field counts as not found
)

// indexing is when a field of some name enters the dynamic table.
type indexing uint8

const (
	indexAgain  indexing = iota // goes into the table when it is sent the second time
	index1                      // goes in when it is sent the first time
	noIndex                     // its values don't come again
	neverIndex                  // a secret, which could be guessed by what it compresses to (RFC 7541 7.1)
	cookieIndex                 // a secret if it is short, else as indexAgain
)

// shortCookie is a length below which a cookie could be guessed, in bytes.
const shortCookie = 20

// indexings are those of the known names. Values that are often new don't push
// others out of the table, but if they do come again they cost a byte as well.
var indexings = func() (m [names]indexing) {
	for _, n := range []Name{NameAuthority, NameMethod, NameScheme, NameStatus, NameAcceptCharset, NameAcceptEncoding,
		NameAcceptLanguage, NameAcceptRanges, NameAccept, NameAllowOrigin, NameAllow, NameCacheControl, NameContentEncoding,
		NameContentLanguage, NameContentType, NameDate, NameHost, NameServer, NameStrictTransport, NameTE, NameTrailer,
		NameUserAgent, NameVary, NameVia, NameProtocol, NameGRPCStatus, NameGRPCEncoding} {
		m[n] = index1
	}
	m[NameSetCookie] = noIndex
	m[NameAuthorization], m[NameProxyAuthorization] = neverIndex, neverIndex
	m[NameCookie] = cookieIndex
	return
}()

// inStatic is the index of a name in the static table, or 0.
func (n Name) inStatic() Name {
	if n > staticLen {
		return 0
	}
	return n
}

// slotOf gives the chain that a name is in.
func slotOf(known Name, name []byte) uint32 {
	if known > 0 {
		return uint32(known)
	}
	return names + hash(uint32(len(name)), name)%otherSlots
}

// lookup gives the index of the field, or else, whole being false, of an entry
// with its name, 0 if there is none.
func (e *Encoder) lookup(slot uint32, known Name, name, value []byte) (index uint32, whole bool) {
	t := &e.table
	index = uint32(known.inStatic())
	number := e.found.newest[slot]
	for steps := 0; steps < chainSteps && number != 0 && t.has(number); steps++ {
		entry := t.entry(number)
		both := t.both(entry)
		if known > 0 || string(both[:entry.name]) == string(name) {
			if string(both[entry.name:]) == string(value) {
				return t.inserted - number + staticLen + 1, true
			}
			if index == 0 {
				index = t.inserted - number + staticLen + 1
			}
		}
		number = entry.before
	}
	return index, false
}

// nameIndex is the index of an entry with this name, or 0.
func (e *Encoder) nameIndex(known Name, name []byte) uint32 {
	if i := known.inStatic(); i > 0 || e.found == nil {
		return uint32(i)
	}
	slot := slotOf(known, name)
	number := e.found.newest[slot]
	if number == 0 || !e.table.has(number) {
		return 0
	}
	entry := e.table.entry(number)
	if string(e.table.both(entry)[:entry.name]) != string(name) {
		return 0
	}
	return e.table.inserted - number + staticLen + 1
}

// add puts a field into the table, as the peer's decoder will.
func (e *Encoder) add(slot uint32, known Name, name, value []byte) {
	entry := e.table.add(name, value)
	entry.known, entry.before = known, e.found.newest[slot]
	if e.found.newest[slot] = e.table.inserted; e.table.inserted == 0 {
		e.found.newest[slot] = 0 // after 2^32 entries: this one is not found
	}
}

// again reports whether the field was sent before, as far as a short memory goes,
// and remembers it.
func (f *finder) again(slot uint32, value []byte) bool {
	h := hash(slot, value)
	place := &f.seen[h%uint32(len(f.seen))]
	was := *place == h
	*place = h
	return was
}

// hash mixes a few bytes. Whoever finds two values of the same hash gains a place
// in a table earlier than meant.
func hash(seed uint32, b []byte) uint32 {
	const odd = 0x9e3779b97f4a7c15
	h := uint64(seed+1) * odd
	for len(b) >= 8 {
		h = bits.RotateLeft64((h^binary.LittleEndian.Uint64(b))*odd, 29)
		b = b[8:]
	}
	w := uint64(len(b))
	for _, c := range b {
		w = w<<8 | uint64(c)
	}
	h = (h ^ w) * odd
	return uint32(h >> 32)
}
