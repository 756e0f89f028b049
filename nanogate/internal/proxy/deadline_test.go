//go:build linux

package proxy

import (
	"strings"
	"testing"
	"time"
)

// The time that is left stands at the end of the head, and is written again for each try.
func TestRetime(t *testing.T) {
	l, c := bench(t, "routes: [{deadline: x-time, timeout: 1s, to: \"http://127.0.0.1:9\"}]\n")
	x := &c.x
	x.deadline = l.now + int64(900*time.Millisecond) + 1
	x.head = sentHeadUntil(l, c, "GET / HTTP/1.1\r\nHost: a\r\nX-Other: 1\r\n\r\n", x.deadline)
	if !strings.HasSuffix(string(x.head), "\r\nx-time: 900\r\n\r\n") {
		t.Fatalf("%q", x.head)
	}
	before := strings.TrimSuffix(string(x.head), "x-time: 900\r\n\r\n")
	for _, left := range []int64{1200, 90, 0} {
		x.deadline = l.now + left*int64(time.Millisecond)
		l.deadlines.retime(c)
		want := before + "x-time: " + map[int64]string{1200: "1200", 90: "90", 0: "1"}[left] + "\r\n\r\n"
		if string(x.head) != want {
			t.Errorf("got %q, want %q", x.head, want)
		}
	}
}

// sentHeadUntil is a head that is sent with a deadline.
func sentHeadUntil(l *loop, c *client, text string, deadline int64) []byte {
	if sentHead(l, c, []byte(text)) == nil { // which fills in what it is written of
		return nil
	}
	c.x.deadline = deadline
	return l.heads.requestHead(nil, c, &l.req)
}
