//go:build linux

package proxy

import "testing"

func TestLastWord(t *testing.T) {
	for _, test := range []struct {
		in   string
		want lastWord
	}{
		{"", otherWord},
		{"H", maybeFarewell},
		{"HTTP/1.", maybeFarewell},
		{"HTTP/1.1", maybeFarewell},
		{"HTTP/1.1 40", maybeFarewell},
		{"HTTP/1.1 408", maybeFarewell},
		{"HTTP/1.1 408 ", farewell},
		{"HTTP/1.0 408 Request Timeout\r\nConn", farewell},
		{"HTTP/1.1 404", otherWord},
		{"HTTP/1.1 200 OK\r\n", otherWord},
		{"SSH-2.0", otherWord},
	} {
		k := &backend{in: []byte(test.in)}
		if got := k.lastWord(); got != test.want {
			t.Errorf("%q: %d, not %d", test.in, got, test.want)
		}
	}
	k := &backend{in: []byte("HTTP/1.1 408 Request")}
	if k.interims = 1; k.lastWord() != otherWord {
		t.Error("behind an interim response")
	}
	if k = (&backend{in: k.in, call: &call{}}); k.lastWord() != otherWord {
		t.Error("of a call")
	}
}
