//go:build linux

package closedloop

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// Load is what clients ask of a server.
type Load struct {
	Connections int
	AtOnce      int             // requests under way on each
	TLS         *tls.Config     // nil: none
	Speak       func() Protocol // makes a connection's end of a protocol
}

// Protocol is a client's end of one connection, without the connection.
type Protocol interface {
	// Greet appends what is sent before the first request.
	Greet(out []byte) []byte
	// Ready reports whether the server has said what it has to before the first request.
	Ready() bool
	// Request appends a request.
	Request(out []byte) ([]byte, error)
	// Read takes what came: so many bytes of it are used, the others are given again with
	// more behind them. It appends what is sent apart from requests, and counts the responses
	// that have come to their end.
	Read(out, in []byte) (more []byte, used, responses int, err error)
}

// Clients are the connections to one server, for one goroutine at a time.
type Clients struct {
	load    Load
	poll    int
	conns   []*conn
	events  []unix.EpollEvent
	in, out []byte
}

const (
	// patience is how long a server may take for any one response.
	patience = 10 * time.Second
	// readSize is what is read at once.
	readSize = 64 << 10
)

// Dial opens a load's connections to an address, a host's number and a port. Close them.
func Dial(address string, load Load) (c *Clients, err error) {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, fmt.Errorf("the address of a server: %w", err)
	}
	poll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	c = &Clients{load: load, poll: poll, events: make([]unix.EpollEvent, 256), in: make([]byte, readSize)}
	for i := range load.Connections {
		if err := c.open(at); err != nil {
			c.Close()
			return nil, fmt.Errorf("connection %d to %s: %w", i+1, address, err)
		}
	}
	return c, nil
}

// open adds a connection that is ready for its first request.
func (c *Clients) open(at netip.AddrPort) error {
	one, err := dial(at, c.load.TLS)
	if err != nil {
		return err
	}
	one.protocol = c.load.Speak()
	c.conns = append(c.conns, one)
	c.out = one.protocol.Greet(c.out[:0])
	for err := c.send(one); ; err = c.send(one) {
		if err != nil {
			return fmt.Errorf("before the first request: %w", err)
		}
		if one.protocol.Ready() {
			break
		}
		if _, err := c.take(one); err != nil { // it blocks, for so long as it has patience
			return fmt.Errorf("before the first request: %w", err)
		}
	}
	if err := unix.SetNonblock(one.fd, true); err != nil {
		return err
	}
	one.flowing = true
	return unix.EpollCtl(c.poll, unix.EPOLL_CTL_ADD, one.fd, &unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLRDHUP, Fd: int32(len(c.conns) - 1)})
}

// Close ends the connections.
func (c *Clients) Close() {
	for _, one := range c.conns {
		unix.Close(one.fd)
	}
	unix.Close(c.poll)
}

// Run has requests under way on all connections for a while, waits for the last
// responses, and returns how many responses there were. A response that is not as it
// should be ends it.
func (c *Clients) Run(d time.Duration) (responses int, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	end := time.Now().Add(d)
	pending := 0
	for _, one := range c.conns {
		if err := c.ask(one, c.load.AtOnce); err != nil {
			return 0, err
		}
		pending += c.load.AtOnce
	}
	for pending > 0 {
		n, err := unix.EpollWait(c.poll, c.events, int(patience.Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return responses, err
		case n == 0:
			return responses, fmt.Errorf("%d requests have had no response for %v", pending, patience)
		}
		more := time.Now().Before(end)
		for _, ev := range c.events[:n] {
			got, err := c.handle(c.conns[ev.Fd], more)
			if err != nil {
				return responses, err
			}
			if responses += got; !more {
				pending -= got
			}
		}
	}
	if pending < 0 {
		return responses, errors.New("there were more responses than requests")
	}
	return responses, nil
}

// handle takes what came on a connection and, if there is to be more, asks again as often
// as a response came.
func (c *Clients) handle(one *conn, more bool) (responses int, err error) {
	c.out = c.out[:0]
	if responses, err = c.take(one); err != nil {
		return responses, err
	}
	if more {
		return responses, c.ask(one, responses)
	}
	return responses, c.send(one)
}

// ask sends requests, and what else is to be sent.
func (c *Clients) ask(one *conn, n int) (err error) {
	for range n {
		if c.out, err = one.protocol.Request(c.out); err != nil {
			return err
		}
	}
	return c.send(one)
}

func (c *Clients) send(one *conn) error {
	if len(c.out) == 0 {
		return nil
	}
	err := one.write(c.out)
	c.out = c.out[:0]
	return err
}

// take reads what is there and counts responses.
func (c *Clients) take(one *conn) (responses int, err error) {
	for again := true; again; {
		n := copy(c.in, one.kept)
		var m int
		m, again, err = one.read(c.in[n:])
		if err != nil {
			return responses, err
		}
		if m == 0 {
			return responses, nil
		}
		var used, got int
		if c.out, used, got, err = one.protocol.Read(c.out, c.in[:n+m]); err != nil {
			return responses, err
		}
		responses += got
		if one.kept = append(one.kept[:0], c.in[used:n+m]...); len(one.kept) == len(c.in) {
			return responses, fmt.Errorf("more than %d bytes that make nothing whole", readSize)
		}
	}
	return responses, nil
}
