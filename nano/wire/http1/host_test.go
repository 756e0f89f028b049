package http1

import (
	"net/netip"
	"strings"
	"testing"
)

func TestHost(t *testing.T) {
	for _, host := range []string{
		"h", "localhost:8080", "127.0.0.1", "h:", "a-b_c.example.", "xn--bcher-kva.example:443", "caf%C3%A9.example",
		"[::1]", "[::1]:80", "[::ffff:1.2.3.4]:", "a!$&'()*+,;=~",
	} {
		if err := checkHost([]byte(host)); err != nil {
			t.Errorf("%q: %v", host, err)
		}
	}
	for _, host := range []string{
		"", ":80", "h:80:80", "h:8a", "h:-1", "u@h", "h/", "h?", "h#", "h\\", "a b", "h\"", "<h>", "h%", "h%4", "h%zz", "%41",
		"h\x80", "[", "[]", "[::1", "::1", "[::1]x", "[::1]80", "[v1.x]", "[fe80::1%25eth0]", "[1]", "a[::1]",
	} {
		if err := checkHost([]byte(host)); err == nil {
			t.Errorf("%q was taken", host)
		}
	}
}

// FuzzIPv6 holds the address check against net/netip's.
func FuzzIPv6(f *testing.F) {
	for _, s := range []string{
		"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3:4::5:6:7:8", "1::2::3", ":::", ":", "1:",
		":1", "12345::", "g::", "::1.2.3.4", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5::1.2.3.4", "1:2:3:4:5:6::1.2.3.4",
		"1.2.3.4", "1.2.3.4::", "::1.2.3", "::1.2.3.256", "::01.2.3.4", "::1.2.3.4.5", "::a1.2.3.4", "1.2.3.4:", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		addr, err := netip.ParseAddr(s)
		want := err == nil && addr.Is6() && !strings.Contains(s, "%")
		if got := isIPv6([]byte(s)); got != want {
			t.Errorf("%q: %v, net/netip says %v", s, got, want)
		}
	})
}
