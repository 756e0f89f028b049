package request

import (
	"testing"

	"dyno.example/nano/wire/http1"
)

// OPTIONS and TRACE are sent on one time fewer, until the gateway responds; other methods don't
// count.
func TestCountDown(t *testing.T) {
	for _, c := range []struct {
		method, value string
		status        int // 0: it is sent on
		sent          string
	}{
		{"OPTIONS", "2", 0, "max-forwards: 1\r\n"},
		{"OPTIONS", "0", 204, ""},
		{"TRACE", "0", 405, ""},
		{"TRACE", "-1", 400, ""},
		{"OPTIONS", "70000", 400, ""},
		{"GET", "0", 0, ""},
	} {
		text := []byte(c.method + " / HTTP/1.1\r\nHost: h\r\nMax-Forwards: " + c.value + "\r\n\r\n")
		var head http1.Request
		if n, err := head.Parse(text, &http1.Limits{Head: 1 << 10, URI: 1 << 10, Fields: 10}); n == 0 || err != nil {
			t.Fatal(n, err)
		}
		var r Request
		r.Begin(&head, text)
		status := 0
		if reply := CountDown(&r); reply != nil {
			status = reply.Status
		}
		if status != c.status || string(r.Forwards()) != c.sent {
			t.Errorf("%s %s: %d, %q", c.method, c.value, status, r.Forwards())
		}
	}
}
