package http2

var (
	errIndex      = connError(CompressionError, "RFC 7541 2.3.3", "index beyond the dynamic table's end, or 0")
	errTableSize  = connError(CompressionError, "RFC 7541 6.3", "dynamic table larger than SETTINGS_HEADER_TABLE_SIZE")
	errSizeUpdate = connError(CompressionError, "RFC 7541 4.2", "size of the dynamic table not set at a block's start, or set more than twice, or not lowered when it had to be")
)

// Decoder decodes field blocks (RFC 7541). All blocks of a connection must go
// through it, in their order, whatever becomes of their streams.
type Decoder struct {
	table   table
	allowed uint32 // SETTINGS_HEADER_TABLE_SIZE
}

// Init sets how large the encoder may make the dynamic table, in bytes. Until the
// peer has acknowledged SETTINGS that is 4096.
func (d *Decoder) Init(tableSize uint32) {
	*d = Decoder{table: table{max: tableSize}, allowed: tableSize}
}

// Allow changes how large the encoder may make the dynamic table. If it is larger
// now, the next block must start with lowering it.
func (d *Decoder) Allow(tableSize uint32) { d.allowed = tableSize }

// Decode decodes one whole block into h: all fields with the pseudo-headers, which h's
// rules then check. An error ends the connection: the table is not what the encoder's
// is any more. Beyond the limits fields are left out and h is TooLarge, but the table
// stays right.
func (d *Decoder) Decode(block []byte, h *Header, lim *HeaderLimits) (err *Error) {
	h.start()
	i, err := d.sizeUpdates(block)
	if err != nil {
		return err
	}
	for i < len(block) {
		switch b := block[i]; {
		case b >= 0x80:
			i, err = d.indexed(block, i, h, lim)
		case b >= 0x40:
			i, err = d.literal(block, i, 6, h, lim)
		case b >= 0x20:
			err = errSizeUpdate
		default:
			i, err = d.literal(block, i, 4, h, lim)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sizeUpdates reads what stands before the first field (RFC 7541 4.2).
func (d *Decoder) sizeUpdates(block []byte) (i int, err *Error) {
	for n := 0; i < len(block) && block[i]>>5 == 1; n++ {
		var size uint32
		if size, i, err = readInteger(block, i, 5); err != nil {
			return 0, err
		}
		if n == 2 {
			return 0, errSizeUpdate
		}
		if size > d.allowed {
			return 0, errTableSize
		}
		d.table.setMax(size)
	}
	if d.table.max > d.allowed {
		return 0, errSizeUpdate
	}
	return i, nil
}

// indexed adds a field that is in a table (RFC 7541 6.1).
func (d *Decoder) indexed(block []byte, i int, h *Header, lim *HeaderLimits) (int, *Error) {
	index, next := uint32(block[i]&0x7f), i+1
	if index == 0x7f {
		var err *Error
		if index, next, err = longInteger(block, next, index); err != nil {
			return 0, err
		}
	}
	at := len(h.Bytes)
	if index-1 < staticLen { // 0 is far above
		e := &staticTable[index]
		if h.admit(len(e.both), lim) {
			h.Bytes = append(h.Bytes, e.both...)
			mid := at + int(e.nameLen)
			h.all = append(h.all, Field{Name: span(at, mid), Value: span(mid, len(h.Bytes)), Known: e.known})
		}
		return next, nil
	}
	e := d.find(index)
	if e == nil {
		return 0, errIndex
	}
	if h.admit(int(e.name+e.value), lim) {
		h.Bytes = append(h.Bytes, d.table.both(e)...)
		mid := at + int(e.name)
		h.all = append(h.all, Field{Name: span(at, mid), Value: span(mid, len(h.Bytes)), Known: e.known, flaws: e.flaws})
	}
	return next, nil
}

// find gives the entry of the dynamic table with an index, or nil.
func (d *Decoder) find(index uint32) *entry {
	back := index - staticLen - 1
	if index == 0 || back >= d.table.live {
		return nil
	}
	return d.table.entry(d.table.inserted - back)
}

// literal adds a field whose value stands in the block (RFC 7541 6.2); prefix is
// the number of bits for the index of its name: 6 if the field goes into the table.
func (d *Decoder) literal(block []byte, i int, prefix uint, h *Header, lim *HeaderLimits) (int, *Error) {
	f := Field{Sensitive: prefix == 4 && block[i]&0x10 != 0}
	index, i, err := readInteger(block, i, prefix)
	if err != nil {
		return 0, err
	}
	at := len(h.Bytes)
	if index == 0 {
		if i, err = d.text(block, i, h); err != nil {
			return 0, err
		}
		name := h.Bytes[at:]
		f.Known = NameOf(name)
		if !validName(name) && (f.Known == 0 || string(name) != f.Known.String()) {
			f.Known, f.flaws = 0, flawName
		}
	} else if err := d.name(index, h, &f); err != nil {
		return 0, err
	}
	mid := len(h.Bytes)
	if i, err = d.text(block, i, h); err != nil {
		return 0, err
	}
	f.Name, f.Value = span(at, mid), span(mid, len(h.Bytes))
	value := h.Bytes[mid:]
	if !validValue(value) {
		f.flaws |= flawValue
	}
	if prefix == 6 {
		if e := d.table.add(h.Bytes[at:mid], value); e != nil {
			e.known, e.flaws = f.Known, f.flaws
		}
	}
	if !h.admit(len(h.Bytes)-at, lim) {
		h.Bytes = h.Bytes[:at]
		return i, nil
	}
	h.all = append(h.all, f)
	return i, nil
}

// name appends the name of the entry with an index.
func (d *Decoder) name(index uint32, h *Header, f *Field) *Error {
	if index <= staticLen {
		e := &staticTable[index]
		h.Bytes = append(h.Bytes, e.name()...)
		f.Known = e.known
		return nil
	}
	e := d.find(index)
	if e == nil {
		return errIndex
	}
	h.Bytes = append(h.Bytes, d.table.both(e)[:e.name]...)
	f.Known, f.flaws = e.known, e.flaws&flawName
	return nil
}

// text appends a string (RFC 7541 5.2). It is bounded by the block it stands in.
func (d *Decoder) text(block []byte, i int, h *Header) (int, *Error) {
	if i >= len(block) {
		return 0, errTruncated
	}
	coded := block[i] >= 0x80
	n, i, err := readInteger(block, i, 7)
	if err != nil {
		return 0, err
	}
	if int(n) > len(block)-i {
		return 0, errTruncated
	}
	s := block[i : i+int(n)]
	if !coded {
		h.Bytes = append(h.Bytes, s...)
	} else if h.Bytes, err = appendHuffmanDecoded(h.Bytes, s); err != nil {
		return 0, err
	}
	return i + int(n), nil
}
