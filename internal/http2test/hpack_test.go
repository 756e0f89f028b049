package http2test

import (
	"bytes"
	"testing"

	"golang.org/x/net/http2/hpack"

	"dyno.example/nano/wire/http2"
)

var limits = http2.HeaderLimits{Size: 1 << 24, Fields: 1 << 16}

// sameFields holds what our decoder made of a block against what theirs did.
func sameFields(t *testing.T, h *http2.Header, theirs []hpack.HeaderField) {
	t.Helper()
	ours := h.All()
	if len(ours) != len(theirs) {
		t.Fatalf("%d fields, theirs: %v", len(ours), theirs)
	}
	for i, f := range ours {
		name, value := string(f.Name.Of(h.Bytes)), string(f.Value.Of(h.Bytes))
		if w := theirs[i]; name != w.Name || value != w.Value || f.Sensitive != w.Sensitive {
			t.Fatalf("field %d: %q: %q, sensitive %v; theirs: %v", i, name, value, f.Sensitive, w)
		}
		if f.Known != 0 && f.Known.String() != name || f.Known == 0 && http2.NameOf([]byte(name)).String() == name && name != "" {
			t.Fatalf("field %d: %q is known as %q", i, name, f.Known)
		}
	}
}

// FuzzDecoder decodes the same blocks one after the other with both: they must
// come to the same fields, or both to an error. Integers that have more bytes than
// they need, or are longer than 2^28, are refused here only.
func FuzzDecoder(f *testing.F) {
	f.Add([]byte("\x82\x86\x84\x41\x8c\xf1\xe3\xc2\xe5\xf2\x3a\x6b\xa0\xab\x90\xf4\xff"), []byte("\x82\x86\x84\xbe\x58\x86\xa8\xeb\x10\x64\x9c\xbf"), []byte("\x82\x87\x85\xbf\x40\x0acustom-key\x0ccustom-value"))
	f.Add([]byte("\x3f\x45\x10\x08password\x06secret\x40\x01a\x01b"), []byte("\x20\x3f\xe1\x1f\xbe"), []byte("\x62\x00\x7e\x01x\x0f\x2f\x00"))
	f.Add([]byte("\x41\x84\xff\xff\xff\xff"), []byte("\x80"), []byte("\x1f\x80\x80\x00\x00"))
	f.Fuzz(func(t *testing.T, first, second, third []byte) {
		var d http2.Decoder
		var h http2.Header
		d.Init(4096)
		var theirs []hpack.HeaderField
		their := hpack.NewDecoder(4096, func(f hpack.HeaderField) { theirs = append(theirs, f) })
		for _, block := range [][]byte{first, second, third} {
			err := d.Decode(block, &h, &limits)
			theirs = theirs[:0]
			_, theirErr := their.Write(block)
			if theirErr == nil {
				theirErr = their.Close()
			}
			if err != nil {
				if theirErr == nil && err.Section != "RFC 7541 5.1" && err.Section != "RFC 7541 4.2" {
					t.Fatalf("%x: %v; theirs take it: %v", block, err, theirs)
				}
				return
			}
			if theirErr != nil && twoSizes(block) {
				return
			}
			if theirErr != nil {
				t.Fatalf("%x: %d fields, theirs: %v", block, len(h.All()), theirErr)
			}
			sameFields(t, &h, theirs)
		}
	})
}

// twoSizes reports whether a block starts with two sizes of the table, which RFC
// 7541 4.2 has for one that was lowered and raised; theirs takes one only unless
// its table is empty.
func twoSizes(block []byte) bool {
	i := 1
	if len(block) > 0 && block[0] == 0x3f {
		for i < len(block) && block[i] >= 0x80 {
			i++
		}
		i++
	}
	return i < len(block) && block[0]>>5 == 1 && block[i]>>5 == 1
}

// FuzzEncoder encodes fields with ours and decodes them with theirs, and the other
// way round, while the size of the table changes.
func FuzzEncoder(f *testing.F) {
	f.Add([]byte("\x05:path\x01/\x04date\x03now\x05:path\x01/\x06cookie\x01a"), uint32(4096), uint32(100))
	f.Add([]byte("\x01x\x01y\x01x\x01y\x01x\x01z\x01x\x01y\x01x\x01y"), uint32(80), uint32(0))
	f.Fuzz(func(t *testing.T, data []byte, size, then uint32) {
		size, then = size%(1<<16), then%(1<<16)
		fields := split(data)
		var e http2.Encoder
		e.Init(1 << 16)
		var theirs []hpack.HeaderField
		their := hpack.NewDecoder(4096, func(f hpack.HeaderField) { theirs = append(theirs, f) })
		their.SetAllowedMaxDynamicTableSize(1 << 16)
		var wire bytes.Buffer
		theirEncoder := hpack.NewEncoder(&wire)
		theirEncoder.SetMaxDynamicTableSizeLimit(1 << 16)
		var d http2.Decoder
		var h http2.Header
		d.Init(4096)
		d.Allow(1 << 16)
		for round := range 4 {
			switch round {
			case 1:
				e.Allow(size)
				theirEncoder.SetMaxDynamicTableSize(size)
			case 2:
				e.Allow(then)
				theirEncoder.SetMaxDynamicTableSize(then)
			}
			block := e.Begin(nil)
			for _, f := range fields {
				block = e.Append(block, []byte(f.Name), []byte(f.Value), f.Sensitive)
			}
			theirs = theirs[:0]
			if _, err := their.Write(block); err != nil {
				t.Fatalf("%x: %v", block, err)
			}
			if err := their.Close(); err != nil { // the end of a block
				t.Fatalf("%x: %v", block, err)
			}
			if len(theirs) != len(fields) {
				t.Fatalf("%x: %v, want %v", block, theirs, fields)
			}
			for i, f := range fields {
				if w := theirs[i]; w.Name != f.Name || w.Value != f.Value || f.Sensitive && !w.Sensitive {
					t.Fatalf("%x: %v, want %v", block, w, f)
				}
			}
			wire.Reset()
			for _, f := range fields {
				theirEncoder.WriteField(f)
			}
			if err := d.Decode(wire.Bytes(), &h, &limits); err != nil {
				t.Fatalf("%x: %v", wire.Bytes(), err)
			}
			sameFields(t, &h, fields)
		}
	})
}

// split reads fields, each a length, a name without capitals, a length and a value.
func split(data []byte) (fields []hpack.HeaderField) {
	take := func() string {
		if len(data) == 0 {
			return ""
		}
		n := min(int(data[0]), len(data)-1)
		s := data[1 : 1+n]
		data = data[1+n:]
		return string(s)
	}
	for len(data) > 0 {
		sensitive := data[0] >= 0x80
		name := bytes.Map(func(r rune) rune {
			if r >= 'A' && r <= 'Z' {
				return r + 'a' - 'A'
			}
			return r
		}, []byte(take()))
		fields = append(fields, hpack.HeaderField{Name: string(name), Value: take(), Sensitive: sensitive})
	}
	return fields
}
