package engine

import (
	"fmt"
	"strings"
	"testing"
)

func (msg *message) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", msg.method, msg.authority, msg.path)
	for _, f := range msg.fields {
		name := string(f.name)
		if f.known != 0 {
			name = f.known.String()
		}
		fmt.Fprintf(&b, "; %s=%s", name, f.value)
	}
	return b.String() + "; " + string(msg.body)
}

func TestMessage(t *testing.T) {
	tests := []struct{ text, want string }{
		{"GET / HTTP/2\r\nHost: a:80\r\n\r\n", "GET a:80 /; "},
		{"OPTIONS * HTTP/2\r\nHOST: a\r\n\r\n", "OPTIONS a *; "},
		{"POST /a?b=c d HTTP/2\r\nHost: a\r\nContent-Type:  x \r\nX-Own: 1:2\r\nEmpty:\r\nContent-Length: 6\r\n\r\na\r\n\r\nb", "POST a /a?b=c d; content-type=x; X-Own=1:2; Empty=; content-length=6; a\r\n\r\nb"},
	}
	var msg message
	for _, tt := range tests {
		if msg.parse([]byte(tt.text)); msg.text() != tt.want {
			t.Errorf("%q:\ngot  %q\nwant %q", tt.text, msg.text(), tt.want)
		}
	}
	text := []byte(tests[2].text)
	if n := testing.AllocsPerRun(100, func() { msg.parse(text) }); n > 0 {
		t.Errorf("%.1f allocations", n)
	}
}
