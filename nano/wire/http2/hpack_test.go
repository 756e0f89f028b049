package http2

import (
	"fmt"
	"strings"
	"testing"
)

var wide = HeaderLimits{1 << 20, 1000}

// list shows all fields of a section, one a line.
func list(h *Header) string {
	var b strings.Builder
	for i := range h.all {
		f := &h.all[i]
		fmt.Fprintf(&b, "%s: %s", f.Name.Of(h.Bytes), f.Value.Of(h.Bytes))
		if f.Sensitive {
			b.WriteString(" (sensitive)")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// tableOf shows a dynamic table as RFC 7541 Appendix C does.
func tableOf(t *table) string {
	var b strings.Builder
	for back := range t.live {
		e := t.entry(t.inserted - back)
		both := t.both(e)
		fmt.Fprintf(&b, "[%d] (s = %d) %s: %s\n", back+1, len(both)+overhead, both[:e.name], both[e.name:])
	}
	fmt.Fprintf(&b, "Table size: %d", t.size)
	return b.String()
}

type example struct{ code, list, table string }

// checkExamples decodes blocks one after the other.
func checkExamples(t *testing.T, name string, d *Decoder, examples []example) {
	t.Helper()
	for i, ex := range examples {
		var h Header
		if err := d.Decode(unhex(t, ex.code), &h, &wide); err != nil {
			t.Fatalf("%s.%d: %v", name, i+1, err)
		}
		if got := list(&h); got != ex.list {
			t.Errorf("%s.%d: list\n%swant\n%s", name, i+1, got, ex.list)
		}
		if got := tableOf(&d.table); got != ex.table {
			t.Errorf("%s.%d: table\n%s\nwant\n%s", name, i+1, got, ex.table)
		}
	}
}

func TestDecodeExamplesOfFields(t *testing.T) { // RFC 7541 C.2
	for i, ex := range []example{
		{"400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572", "custom-key: custom-header\n",
			"[1] (s = 55) custom-key: custom-header\nTable size: 55"},
		{"040c 2f73 616d 706c 652f 7061 7468", ":path: /sample/path\n", "Table size: 0"},
		{"1008 7061 7373 776f 7264 0673 6563 7265 74", "password: secret (sensitive)\n", "Table size: 0"},
		{"82", ":method: GET\n", "Table size: 0"},
	} {
		var d Decoder
		d.Init(4096)
		checkExamples(t, fmt.Sprintf("C.2.%d", i+1), &d, []example{ex})
	}
}

var (
	requestLists = []string{
		":method: GET\n:scheme: http\n:path: /\n:authority: www.example.com\n",
		":method: GET\n:scheme: http\n:path: /\n:authority: www.example.com\ncache-control: no-cache\n",
		":method: GET\n:scheme: https\n:path: /index.html\n:authority: www.example.com\ncustom-key: custom-value\n",
	}
	requestTables = []string{
		"[1] (s = 57) :authority: www.example.com\nTable size: 57",
		"[1] (s = 53) cache-control: no-cache\n[2] (s = 57) :authority: www.example.com\nTable size: 110",
		"[1] (s = 54) custom-key: custom-value\n[2] (s = 53) cache-control: no-cache\n[3] (s = 57) :authority: www.example.com\nTable size: 164",
	}
	responseLists = []string{
		":status: 302\ncache-control: private\ndate: Mon, 21 Oct 2013 20:13:21 GMT\nlocation: https://www.example.com\n",
		":status: 307\ncache-control: private\ndate: Mon, 21 Oct 2013 20:13:21 GMT\nlocation: https://www.example.com\n",
		":status: 200\ncache-control: private\ndate: Mon, 21 Oct 2013 20:13:22 GMT\nlocation: https://www.example.com\ncontent-encoding: gzip\n" +
			"set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1\n",
	}
	responseTables = []string{
		"[1] (s = 63) location: https://www.example.com\n[2] (s = 65) date: Mon, 21 Oct 2013 20:13:21 GMT\n" +
			"[3] (s = 52) cache-control: private\n[4] (s = 42) :status: 302\nTable size: 222",
		"[1] (s = 42) :status: 307\n[2] (s = 63) location: https://www.example.com\n" +
			"[3] (s = 65) date: Mon, 21 Oct 2013 20:13:21 GMT\n[4] (s = 52) cache-control: private\nTable size: 222",
		"[1] (s = 98) set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1\n" +
			"[2] (s = 52) content-encoding: gzip\n[3] (s = 65) date: Mon, 21 Oct 2013 20:13:22 GMT\nTable size: 215",
	}
)

func TestDecodeExamplesOfMessages(t *testing.T) {
	tests := []struct {
		name          string
		size          uint32
		codes         [3]string
		lists, tables []string
	}{
		{"C.3", 4096, [3]string{
			"8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
			"8286 84be 5808 6e6f 2d63 6163 6865",
			"8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
		}, requestLists, requestTables},
		{"C.4", 4096, [3]string{
			"8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
			"8286 84be 5886 a8eb 1064 9cbf",
			"8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
		}, requestLists, requestTables},
		{"C.5", 256, [3]string{
			"4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
			"4803 3330 37c1 c0bf",
			"88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31",
		}, responseLists, responseTables},
		{"C.6", 256, [3]string{
			"4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
			"4883 640e ffc1 c0bf",
			"88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
		}, responseLists, responseTables},
	}
	for _, tt := range tests {
		var d Decoder
		d.Init(tt.size)
		var examples []example
		for i, code := range tt.codes {
			examples = append(examples, example{code, tt.lists[i], tt.tables[i]})
		}
		checkExamples(t, tt.name, &d, examples)
	}
}

func TestIntegers(t *testing.T) {
	for _, tt := range []struct { // RFC 7541 C.1
		prefix uint
		v      uint32
		code   string
	}{
		{5, 10, "0a"}, {5, 1337, "1f9a0a"}, {8, 42, "2a"},
		{5, 30, "1e"}, {5, 31, "1f00"}, {7, 127, "7f00"}, {7, 254, "7f7f"}, {7, 255, "7f8001"}, {4, maxInteger, "0ff1ffff7f"},
	} {
		code := unhex(t, tt.code)
		if got := appendInteger(nil, 0, tt.prefix, tt.v); string(got) != string(code) {
			t.Errorf("%d by %d: %x, want %x", tt.v, tt.prefix, got, code)
		}
		for cut := range code {
			if _, _, err := readInteger(code[:cut], 0, tt.prefix); err != errTruncated {
				t.Errorf("%x of %x: %v", code[:cut], code, err)
			}
		}
		code[0] |= byte(0xff << tt.prefix)
		if v, next, err := readInteger(code, 0, tt.prefix); v != tt.v || next != len(code) || err != nil {
			t.Errorf("%x by %d: %d, %d, %v", code, tt.prefix, v, next, err)
		}
	}
	for _, code := range []string{"1fffffffff7f", "1fffffff7f01", "1f8080808001", "1f808080808000", "1fffffffffffffffffff7f"} {
		if v, _, err := readInteger(unhex(t, code), 0, 5); err != errInteger && v <= maxInteger {
			t.Errorf("%s: %d, %v", code, v, err)
		}
	}
	if v, _, err := readInteger(unhex(t, "1f80808000"), 0, 5); v != 31 || err != nil {
		t.Errorf("zeros that do no harm: %d, %v", v, err)
	}
}

func TestDecoderRefusals(t *testing.T) {
	tests := []struct {
		name, code string
		want       *Error
	}{
		{"index 0 (RFC 7541 6.1)", "80", errIndex},
		{"index beyond the table", "be", errIndex},
		{"index far beyond the table", "ffffff7f", errIndex},
		{"name beyond the table", "7e00 00", errIndex},
		{"nothing after the index", "41", errTruncated},
		{"value cut off", "4103 6161", errTruncated},
		{"name cut off", "4003 6161", errTruncated},
		{"no value", "4001 61", errTruncated},
		{"length above 2^28", "417f ffff ffff 7f", errInteger},
		{"table larger than allowed (RFC 7541 6.3)", "3fe2 1f", errTableSize},
		{"size after a field (RFC 7541 4.2)", "8220", errSizeUpdate},
		{"three sizes", "2021 2282", errSizeUpdate},
		{"wrong Huffman padding", "4181 00", errHuffmanPadding},
		{"EOS", "4184 ffff ffff", errHuffmanEOS},
		{"wrong Huffman name", "4081 0001 61", errHuffmanPadding},
	}
	for _, tt := range tests {
		var d Decoder
		var h Header
		d.Init(4096)
		if err := d.Decode(unhex(t, tt.code), &h, &wide); err != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestTableMustBeLowered(t *testing.T) { // RFC 7541 4.2
	var d Decoder
	var h Header
	d.Init(4096)
	d.Allow(100)
	if err := d.Decode(unhex(t, "82"), &h, &wide); err != errSizeUpdate {
		t.Errorf("without an update: %v", err)
	}
	if err := d.Decode(unhex(t, "203f 4582"), &h, &wide); err != nil || d.table.max != 100 {
		t.Errorf("lowered to 0 and set to 100: %v, size %d", err, d.table.max)
	}
}

func TestHeaderLimits(t *testing.T) {
	var e Encoder
	e.Init(4096)
	field := func(dst []byte, value string) []byte {
		return e.Append(dst, []byte("x"), []byte(value), false)
	}
	var d Decoder
	d.Init(4096)
	tests := []struct {
		name  string
		lim   HeaderLimits
		n     int // fields of 1 + 7 + 32 bytes
		large bool
	}{
		{"as many fields as allowed", HeaderLimits{1000, 5}, 5, false},
		{"one field more", HeaderLimits{1000, 5}, 6, true},
		{"as large as allowed", HeaderLimits{200, 100}, 5, false},
		{"one byte larger", HeaderLimits{199, 100}, 5, true},
	}
	for _, tt := range tests {
		block := e.Begin(nil)
		for range tt.n {
			block = field(block, "content")
		}
		var h Header
		if err := d.Decode(block, &h, &tt.lim); err != nil || h.TooLarge != tt.large {
			t.Errorf("%s: too large %v, %v", tt.name, h.TooLarge, err)
		}
		if !tt.large && len(h.all) != tt.n || tt.large && len(h.all) >= tt.n {
			t.Errorf("%s: %d fields", tt.name, len(h.all))
		}
	}
	// What is left out is in the table all the same.
	var h Header
	if err := d.Decode(e.Append(nil, []byte("y"), []byte("content"), false), &h, &HeaderLimits{0, 0}); err != nil || !h.TooLarge || len(h.Bytes) != 0 {
		t.Errorf("nothing is allowed: %q, %v", h.Bytes, err)
	}
	if tableOf(&d.table) != tableOf(&e.table) {
		t.Errorf("tables differ:\n%s\n%s", tableOf(&d.table), tableOf(&e.table))
	}
}

func TestBombIsNotUnpacked(t *testing.T) {
	var d Decoder
	var h Header
	d.Init(4096)
	block := append(unhex(t, "4001 617f 801e"), make([]byte, 127+30<<7)...) // a: 3967 zero bytes
	for range 16 << 10 {
		block = append(block, 0xbe)
	}
	if err := d.Decode(block, &h, &HeaderLimits{16 << 10, 100}); err != nil || !h.TooLarge || len(h.Bytes) > 16<<10 {
		t.Errorf("%d bytes unpacked, %v", len(h.Bytes), err)
	}
}
