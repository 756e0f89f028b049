package engine

import (
	"io"
	"net"
	"testing"

	eventloop "dyno.example/nano/wire/loop"
)

// A client that has sent a request which its loop hasn't heard of is not idle: it is kept
// when the others are let go.
func TestDrainKeepsWhoHasJustAsked(t *testing.T) {
	s, at, served := serving(t)
	asks, silent := connect(t, at), connect(t, at)
	for quiet := 0; quiet < 2; { // until the loop has both, and has looked for what they say
		looked := make(chan int)
		s.loops[0].Call(func(l *loop) {
			n := 0
			l.conns.Each(func(c *conn) {
				if c.phase == phaseIdle && !c.unseen && !c.readable {
					n++
				}
			})
			looked <- n
		})
		quiet = <-looked
	}
	left := make(chan []string)
	s.loops[0].Call(func(l *loop) {
		l.beginDrain()
		if _, err := io.WriteString(asks, "GET"); err != nil { // it is there, and no event has told so
			t.Error(err)
		}
		l.now += int64(eventloop.Grace)
		l.drainStep()
		var who []string
		l.conns.Each(func(c *conn) { who = append(who, c.remote.String()) })
		left <- who
	})
	if who := <-left; len(who) != 1 || who[0] != asks.LocalAddr().String() {
		t.Errorf("%v are left, want %v (and not %v)", who, asks.LocalAddr(), silent.LocalAddr())
	}
	s.Cut()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func connect(t *testing.T, at *net.TCPAddr) *net.TCPConn {
	t.Helper()
	c, err := net.DialTCP("tcp", nil, at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}
