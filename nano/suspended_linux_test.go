package nano_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/wire/http2"
)

// conversation is a stream of a client that sends lines and reads them back.
type conversation struct {
	*h2peer
	s   *http2.Stream
	got []byte
	end bool
}

func (p *h2peer) converse(path string) *conversation {
	s, err := p.codec.Open()
	if err != nil {
		p.Fatal(err)
	}
	c := &conversation{h2peer: p, s: s}
	s.User = c
	p.codec.Request(s, h2post, h2http, h2host, []byte(path))
	p.codec.EndHeaders(false)
	return c
}

// say sends a line.
func (c *conversation) say(line string) {
	c.codec.SendData(c.s, []byte(line), false)
	c.flush()
}

// hear reads until the stream has given n bytes or has ended, taking what comes on
// others, too.
func (c *conversation) hear(n int) string {
	for len(c.got) < n && !c.end {
		ev := c.next()
		if ev == nil {
			c.Fatalf("the connection ended behind %q", c.got)
		}
		of, ok := ev.Stream.User.(*conversation)
		if !ok {
			c.Fatal("an event of no conversation: ", ev)
		}
		if ev.Kind == http2.EventData {
			of.got = append(of.got, ev.Data...)
			c.codec.Consume(ev.Stream, len(ev.Data))
		}
		of.end = of.end || ev.End || ev.Kind == http2.EventReset
		c.flush()
	}
	said := string(c.got)
	c.got = c.got[:0]
	return said
}

// readLine reads up to a line's end.
func readLine(from io.Reader) (string, error) {
	var line []byte
	for b := []byte{0}; ; {
		if _, err := io.ReadFull(from, b); err != nil {
			return "", err
		}
		if line = append(line, b[0]); b[0] == '\n' {
			return string(line), nil
		}
	}
}

// talk serves conversations: respond says something to each line.
func talk(respond func(s *nano.Stream, line string) error) nano.Handler {
	return func(c nano.Ctx) error {
		var s nano.Stream
		if err := s.Open(c, 200, "text/plain", -1); err != nil {
			return err
		}
		from := c.BodyReader()
		for {
			line, err := readLine(from)
			if err == io.EOF {
				return s.Close()
			}
			if err == nil {
				err = respond(&s, line)
			}
			if err != nil {
				return err
			}
		}
	}
}

var unhurried = nano.WithLimits(nano.RouteLimits{Body: -1, ReadBody: -1, MinRate: -1})

// TestSuspended: handlers talk with their clients by turns, on the loop.
func TestSuspended(t *testing.T) {
	release, left := make(chan struct{}), make(chan error, 100)
	at, _ := serve(t, nano.Config{H2C: true, Loops: 1}, func(app *nano.App) {
		app.Post("/echo", talk(func(s *nano.Stream, line string) error { return s.Send([]byte(line)) }), nano.Suspended, unhurried)
		app.Post("/waits", talk(func(s *nano.Stream, line string) error {
			<-release
			return s.Send([]byte(line))
		}), nano.Suspended, unhurried)
		app.Post("/large", talk(func(s *nano.Stream, line string) error { return s.Send(bytes.Repeat([]byte(line), 1<<18)) }), nano.Suspended, unhurried)
		app.Post("/helped", func(c nano.Ctx) error { // another goroutine sends while this one waits for the client
			var s nano.Stream
			if err := s.Open(c, 200, "text/plain", -1); err != nil {
				return err
			}
			lines, sent := make(chan string), make(chan error, 1)
			go func() {
				var err error
				for line := range lines {
					err = errors.Join(err, s.Send([]byte(line)))
				}
				sent <- err
			}()
			from := c.BodyReader()
			for {
				line, err := readLine(from)
				if err != nil {
					close(lines)
					return errors.Join(<-sent, s.Close())
				}
				lines <- line
			}
		}, nano.Suspended, unhurried)
		app.Post("/leaves", func(c nano.Ctx) error {
			_, err := readLine(c.BodyReader())
			left <- err
			return err
		}, nano.Suspended, unhurried)
		app.Post("/exits", talk(func(*nano.Stream, string) error { runtime.Goexit(); return nil }), nano.Suspended, unhurried)
		app.Post("/panics", talk(func(*nano.Stream, string) error { panic("on purpose") }), nano.Suspended, unhurried)
	})

	t.Run("by turns", func(t *testing.T) {
		p := dialHTTP2(t, at)
		var all []*conversation
		for range 50 {
			all = append(all, p.converse("/echo"))
		}
		for range 20 {
			for _, c := range all {
				c.say("hello\n")
			}
			for _, c := range slices.Backward(all) {
				if got := c.hear(6); got != "hello\n" {
					t.Fatalf("%q", got)
				}
			}
		}
		for _, c := range all {
			c.codec.SendData(c.s, nil, true)
			c.flush()
			if c.hear(1); !c.end {
				t.Fatal("the stream goes on behind the request's end")
			}
		}
	})
	t.Run("blocked elsewhere", func(t *testing.T) { // that costs others nothing
		p := dialHTTP2(t, at)
		waits := p.converse("/waits")
		echo := p.converse("/echo")
		for range 4 { // until it stays away from the loop
			waits.say("a\n")
			echo.say("b\n")
			if got := echo.hear(2); got != "b\n" {
				t.Fatalf("%q", got)
			}
			release <- struct{}{}
			if got := waits.hear(2); got != "a\n" {
				t.Fatalf("%q", got)
			}
		}
	})
	t.Run("more than windows hold", func(t *testing.T) {
		c := dialHTTP2(t, at).converse("/large")
		for range 3 {
			c.say("a\n")
			if got := c.hear(2 << 18); len(got) != 2<<18 {
				t.Fatalf("%d bytes", len(got))
			}
		}
	})
	t.Run("helped by a goroutine", func(t *testing.T) {
		c := dialHTTP2(t, at).converse("/helped")
		for range 50 {
			c.say("a\n")
			if got := c.hear(2); got != "a\n" {
				t.Fatalf("%q", got)
			}
		}
		c.codec.SendData(c.s, nil, true)
		c.flush()
		c.hear(1)
	})
	t.Run("the client goes", func(t *testing.T) {
		p := dialHTTP2(t, at)
		c, echo := p.converse("/leaves"), p.converse("/echo")
		echo.say("a\n")
		echo.hear(2)
		p.codec.Reset(c.s, http2.Cancel)
		p.flush()
		if err := <-left; !errors.Is(err, nano.ErrClientGone) {
			t.Errorf("after a reset: %v", err)
		}
		p.converse("/leaves")
		echo.say("a\n")
		echo.hear(2)
		p.Conn.Close()
		if err := <-left; !errors.Is(err, nano.ErrClientGone) {
			t.Errorf("after the connection's end: %v", err)
		}
	})
	for _, path := range []string{"/exits", "/panics"} {
		t.Run(path[1:], func(t *testing.T) {
			p := dialHTTP2(t, at)
			c, echo := p.converse(path), p.converse("/echo")
			c.say("a\n")
			if c.hear(1); !c.end {
				t.Error("the stream goes on")
			}
			echo.say("b\n")
			if got := echo.hear(2); got != "b\n" {
				t.Errorf("another conversation: %q", got)
			}
		})
	}
}

// TestSuspendedDoesNotAllocate: nothing per message.
func TestSuspendedDoesNotAllocate(t *testing.T) {
	at, _ := serve(t, nano.Config{H2C: true, Loops: 1}, func(app *nano.App) {
		app.Post("/", func(c nano.Ctx) error {
			var s nano.Stream
			if err := s.Open(c, 200, "text/plain", -1); err != nil {
				return err
			}
			from, b := c.BodyReader(), make([]byte, 100)
			for {
				n, err := from.Read(b)
				if err != nil {
					return nil
				}
				if err := s.Send(b[:n]); err != nil {
					return err
				}
			}
		}, nano.Suspended, unhurried)
	})
	c := dialHTTP2(t, at).converse("/")
	turn := func() {
		c.say("hello\n")
		for len(c.got) < 6 {
			ev := c.next()
			if ev.Kind == http2.EventData {
				c.got = append(c.got, ev.Data...)
				c.codec.Consume(ev.Stream, len(ev.Data))
			}
		}
		c.got = c.got[:0]
	}
	noAllocations(t, "a message", turn)
}
