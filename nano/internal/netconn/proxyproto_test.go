package netconn

import (
	"strings"
	"testing"
)

const (
	v2IPv4 = proxyV2Sign + "\x21\x11\x00\x0c\x01\x02\x03\x04\x0a\x00\x00\x01\x12\x34\x00\x50"
	v2IPv6 = proxyV2Sign + "\x21\x21\x00\x24" + "\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01" + "\x00\x07\x00\x50"
)

func TestProxyHeader(t *testing.T) {
	long := "PROXY UNKNOWN " + strings.Repeat("x", 200) + "\r\n"
	for _, tt := range []struct{ name, wire, client, err string }{
		{"v1", "PROXY TCP4 1.2.3.4 10.0.0.1 4660 80\r\n", "1.2.3.4:4660", ""},
		{"v1 IPv6", "PROXY TCP6 2001:db8::1 ::1 7 80\r\n", "[2001:db8::1]:7", ""},
		{"v1 unknown", "PROXY UNKNOWN\r\n", "", ""},
		{"v1 unknown with more", "PROXY UNKNOWN ffff::1 ::1 1 2\r\n", "", ""},
		{"v1 wrong family", "PROXY TCP4 ::1 ::1 1 2\r\n", "", "malformed"},
		{"v1 without port", "PROXY TCP4 1.2.3.4 10.0.0.1 1\r\n", "", "malformed"},
		{"v1 port too large", "PROXY TCP4 1.2.3.4 10.0.0.1 65536 1\r\n", "", "malformed"},
		{"v1 signed port", "PROXY TCP4 1.2.3.4 10.0.0.1 +1 1\r\n", "", "malformed"},
		{"v1 two spaces", "PROXY  TCP4 1.2.3.4 10.0.0.1 1 1\r\n", "", "malformed"},
		{"v1 bare line feed", "PROXY TCP4 1.2.3.4 10.0.0.1 1 1\n", "", "malformed"},
		{"v1 too long", long, "", "malformed"},
		{"v2", v2IPv4, "1.2.3.4:4660", ""},
		{"v2 IPv6", v2IPv6, "[2001:db8::1]:7", ""},
		{"v2 with TLVs", strings.Replace(v2IPv4, "\x00\x0c\x01", "\x00\x0f\x01", 1) + "\x04\x00\x00", "1.2.3.4:4660", ""},
		{"v2 local", proxyV2Sign + "\x20\x00\x00\x00", "", ""},
		{"v2 local with addresses", strings.Replace(v2IPv4, "\x21\x11", "\x20\x11", 1), "", ""},
		{"v2 unspecified", proxyV2Sign + "\x21\x00\x00\x00", "", ""},
		{"v2 addresses cut", proxyV2Sign + "\x21\x11\x00\x04\x01\x02\x03\x04", "", "malformed"},
		{"v2 other version", proxyV2Sign + "\x31\x11\x00\x00", "", "malformed"},
		{"v2 other command", proxyV2Sign + "\x22\x11\x00\x00", "", "malformed"},
		{"v2 other family", proxyV2Sign + "\x21\x41\x00\x00", "", "malformed"},
		{"v2 too long", proxyV2Sign + "\x21\x11\xff\xff", "", "malformed"},
		{"none", "GET / HTTP/1.1\r\n", "", "missing"},
	} {
		for n := range len(tt.wire) {
			if _, got, err := ParseProxyHeader([]byte(tt.wire[:n])); err == nil && got != 0 {
				t.Errorf("%s: %d bytes are taken for the whole", tt.name, n)
			}
		}
		h, n, err := ParseProxyHeader([]byte(tt.wire + "GET /"))
		switch {
		case tt.err != "":
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: got %v, want %s", tt.name, err, tt.err)
			}
		case err != nil || n != len(tt.wire):
			t.Errorf("%s: %d of %d bytes, %v", tt.name, n, len(tt.wire), err)
		case tt.client == "" && h.Client.IsValid() || tt.client != "" && h.Client.String() != tt.client:
			t.Errorf("%s: got %v, want %s", tt.name, h.Client, tt.client)
		}
	}
}

func FuzzProxyHeader(f *testing.F) {
	f.Add([]byte(v2IPv4))
	f.Add([]byte(v2IPv6))
	f.Add([]byte("PROXY TCP4 1.2.3.4 10.0.0.1 4660 80\r\nGET /"))
	f.Add([]byte("PROXY UNKNOWN\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, n, err := ParseProxyHeader(b)
		if n < 0 || n > len(b) || err != nil && (n != 0 || h.Client.IsValid()) {
			t.Fatalf("%d of %d, %v, %v", n, len(b), h, err)
		}
		if n == 0 {
			return
		}
		if again, m, err := ParseProxyHeader(b[:n]); m != n || err != nil || again != h {
			t.Errorf("what follows the header has changed it: %v %v %v", again, m, err)
		}
		if _, m, err := ParseProxyHeader(b[:n-1]); m != 0 || err != nil {
			t.Errorf("a part of the header is taken or refused: %d %v", m, err)
		}
	})
}
