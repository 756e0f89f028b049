package http2

import (
	"fmt"
	"strings"
	"testing"
)

// pair is an encoder with the decoder of its peer.
type pair struct {
	e Encoder
	d Decoder
	h Header
}

func newPair(limit uint32) *pair {
	p := new(pair)
	p.e.Init(limit)
	p.d.Init(defaultTable)
	return p
}

// send encodes fields given as "name: value" and decodes them. It gives the block.
func (p *pair) send(t testing.TB, fields ...string) []byte {
	t.Helper()
	block := p.e.Begin(nil)
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		block = p.e.Append(block, []byte(name), []byte(value), false)
	}
	if err := p.d.Decode(block, &p.h, &wide); err != nil {
		t.Fatalf("%x: %v", block, err)
	}
	got := strings.ReplaceAll(list(&p.h), " (sensitive)", "")
	if want := strings.ToLower(strings.Join(fields, "\n") + "\n"); strings.ToLower(got) != want {
		t.Fatalf("%x: got\n%swant\n%s", block, got, want)
	}
	if a, b := tableOf(&p.e.table), tableOf(&p.d.table); a != b {
		t.Fatalf("tables differ:\n%s\n%s", a, b)
	}
	return block
}

func TestRepeatedFieldsAreAByteEach(t *testing.T) {
	p := newPair(4096)
	fields := []string{
		":status: 200", "Content-Type: text/plain; charset=utf-8", "content-length: 13",
		"Server: nano", "Date: Sun, 06 Nov 1994 08:49:37 GMT", "X-Request-Class: small", ":path: /a/long/path?with=query",
	}
	for range 2 {
		p.send(t, fields...)
	}
	if block := p.send(t, fields...); len(block) != len(fields) {
		t.Errorf("%d bytes for %d fields: %x", len(block), len(fields), block)
	}
}

func TestValuesThatTakeTurns(t *testing.T) {
	p := newPair(4096)
	for range 2 {
		for i := range chainSteps {
			p.send(t, fmt.Sprintf("content-type: text/%d", i))
		}
	}
	for i := range chainSteps {
		if block := p.send(t, fmt.Sprintf("content-type: text/%d", i)); len(block) != 1 {
			t.Errorf("value %d: %x", i, block)
		}
	}
}

func TestNewValuesDontFillTheTable(t *testing.T) {
	p := newPair(4096)
	p.send(t, "server: nano")
	for i := range 1000 {
		p.send(t, fmt.Sprintf(":path: /orders/%d", i), fmt.Sprintf("x-id: %d", i), fmt.Sprintf("etag: \"%d\"", i))
	}
	if p.e.table.live != 1 {
		t.Errorf("in the table:\n%s", tableOf(&p.e.table))
	}
}

func TestSecretsAreNotIndexed(t *testing.T) { // RFC 7541 7.1.3
	tests := []struct {
		name, value string
		sensitive   bool
		want        bool
	}{
		{"authorization", "Bearer abcdefghijklmnopqrstuvwxyz", false, true},
		{"Proxy-Authorization", "Basic abc", false, true},
		{"cookie", "a=short", false, true},
		{"cookie", "a=long enough not to be guessed", false, false},
		{"x-key", "abc", true, true},
		{"x-key", "abc", false, false},
		{":status", "200", true, true},
	}
	for _, tt := range tests {
		p := newPair(4096)
		for range 3 {
			block := p.e.Append(p.e.Begin(nil), []byte(tt.name), []byte(tt.value), tt.sensitive)
			if err := p.d.Decode(block, &p.h, &wide); err != nil || p.h.all[0].Sensitive != tt.want {
				t.Errorf("%s: %x: sensitive %v, %v", tt.name, block, p.h.all[0].Sensitive, err)
			}
		}
		if indexed := p.e.table.live > 0; indexed == tt.want {
			t.Errorf("%s: indexed %v", tt.name, indexed)
		}
	}
}

func TestTableSizeChanges(t *testing.T) { // RFC 7541 4.2
	p := newPair(8192)
	fields := []string{"content-type: text/plain", "server: nano"}
	p.send(t, fields...)
	p.e.Allow(0)
	p.e.Allow(50)
	if block := p.send(t, fields...); block[0] != 0x20 || block[1] != 0x3f || p.e.table.size > 50 {
		t.Errorf("lowered to 0 and set to 50: %x, size %d", block, p.e.table.size)
	}
	p.d.Allow(1 << 20)
	p.e.Allow(1 << 20)
	p.send(t, fields...)
	if p.e.table.max != 8192 || p.d.table.max != 8192 {
		t.Errorf("raised to the limit: %d, the peer %d", p.e.table.max, p.d.table.max)
	}
	if block := p.send(t, fields...); len(block) != 2 {
		t.Errorf("size is sent again: %x", block)
	}
	p.e.Allow(0)
	for range 3 {
		p.send(t, fields...)
	}
	if p.e.table.live != 0 {
		t.Errorf("size 0: %s", tableOf(&p.e.table))
	}
}

func TestEncoderWithoutTable(t *testing.T) {
	p := newPair(0)
	for i := range 3 {
		if block := p.send(t, ":status: 200", "server: nano", "x: y"); (block[0] == 0x20) != (i == 0) {
			t.Errorf("block %d: %x", i, block)
		}
	}
}

func TestTableUnderChurn(t *testing.T) {
	for _, limit := range []uint32{40, 100, 1000, 4096} {
		p := newPair(limit)
		for i := range 3000 {
			p.send(t, "date: "+strings.Repeat("x", i%97)+fmt.Sprint(i), fmt.Sprintf("via: %d", i%7), "x-other: "+strings.Repeat("y", i%5))
		}
		if n := cap(p.e.table.bytes); n > 2*4096 {
			t.Errorf("table of %d bytes takes %d", limit, n)
		}
	}
}

func TestHPACKDoesNotAllocate(t *testing.T) {
	p := newPair(4096)
	var block []byte
	names := [][]byte{[]byte("Content-Type"), []byte("server"), []byte("date"), []byte("x-id"), []byte("content-length")}
	value := []byte("0123456789012345678901234567890")
	i := 0
	send := func() {
		i++
		block = p.e.AppendStatus(p.e.Begin(block[:0]), 200+i%300)
		for k, name := range names {
			value[k] = byte('a' + i%26)
			block = p.e.Append(block, name, value, false)
		}
		if err := p.d.Decode(block, &p.h, &wide); err != nil {
			t.Fatal(err)
		}
	}
	for range 1000 {
		send()
	}
	if n := testing.AllocsPerRun(1000, send); n != 0 {
		t.Errorf("%v allocations per block, want 0", n)
	}
}

func TestNames(t *testing.T) {
	for n := Name(1); n < names; n++ {
		if n <= staticLen && staticTable[n].known != n {
			continue // a further value of the name before
		}
		for _, name := range []string{n.String(), strings.ToUpper(n.String())} {
			if got := NameOf([]byte(name)); got != n || name == "" {
				t.Errorf("%d: %q is %d", n, name, got)
			}
		}
	}
	for _, name := range []string{"", "a", "x-custom", "hosu", ":foo", "hosts", "hos", "\x1apath", "content\rtype", "te\x00"} {
		if n := NameOf([]byte(name)); n != 0 {
			t.Errorf("%q is %d", name, n)
		}
	}
	for n, want := range map[Name]string{NameAuthority: ":authority", NameStatus: ":status", NameAccept: "accept", NameAllowOrigin: "access-control-allow-origin",
		NameContentLength: "content-length", NameETag: "etag", NameHost: "host", NameTransferEncoding: "transfer-encoding", NameWWWAuthenticate: "www-authenticate", NameGRPCEncoding: "grpc-encoding"} {
		if n.String() != want {
			t.Errorf("%d is %q, want %q", n, n, want)
		}
	}
}
