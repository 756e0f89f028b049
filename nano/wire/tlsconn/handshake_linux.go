package tlsconn

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/reactor"
)

// Turns bounds how many handshakes compute at the same time: each goroutine that is
// ready to run stands before the event loops in the scheduler's queue. A handshake that
// waits for its peer holds no turn.
type Turns struct {
	// Longest bounds how long a handshake keeps its turn, so that callbacks of the
	// application's that block hold up no others for longer. 0: until it waits.
	Longest time.Duration
	// Working, if not nil, counts the handshakes that don't wait for their peer: they
	// compute, or are in a callback.
	Working *atomic.Int64

	taken chan struct{}
}

// NewTurns lets n handshakes compute at once.
func NewTurns(n int) Turns { return Turns{taken: make(chan struct{}, max(1, n))} }

func (t *Turns) take() {
	select {
	case t.taken <- struct{}{}:
	default:
		t.taken <- struct{}{}
		runtime.Gosched() // the one that gave its turn up stood before a loop, which runs next
	}
}

func (t *Turns) works(n int64) {
	if t.Working != nil {
		t.Working.Add(n)
	}
}

// handshake is one that is under way.
type handshake struct {
	turns   *Turns
	holds   atomic.Bool   // a turn
	lapses  *time.Timer   // when the turn has been held for long
	ready   chan struct{} // holds one: the socket may be readable or writable again
	ctx     context.Context
	stop    context.CancelFunc // when the handshake is given up, or over
	stopped bool               // guarded by Conn.mu, like over
	over    bool
}

var (
	errStopped = errors.New("the handshake was given up")
	errGoexit  = errors.New("a callback has ended the handshake's goroutine") // runtime.Goexit
)

// Handshake does the handshake on a goroutine of its own. It calls done there when it is
// over, unless [Conn.Drop] was called before. Until then the loop calls [Conn.Ready] for
// the socket's events and nothing else but Drop; afterwards it calls [Conn.Shaken]
// first. The application's callbacks see a context made of ctx, which ends with Drop too.
func (c *Conn) Handshake(ctx context.Context, turns *Turns, done func(error)) {
	ctx, stop := context.WithCancel(ctx)
	h := &handshake{turns: turns, ready: make(chan struct{}, 1), ctx: ctx, stop: stop}
	c.shake, c.in.counts = h, true
	turns.works(1)
	go func() {
		err := errGoexit
		defer func() { c.ended(h, err, done) }()
		h.take()
		c.writes.Add(1) // chains of certificates are longer than what may come unasked
		err = c.TLS.HandshakeContext(ctx)
	}()
}

// ended is the end of a handshake's goroutine.
func (c *Conn) ended(h *handshake, err error, done func(error)) {
	_, _ = c.Send() // an alert, say; what is left the loop sends
	c.writes.Add(-1)
	h.give()
	h.turns.works(-1)
	h.stop()
	c.mu.Lock()
	h.over = true
	stopped := h.stopped
	c.mu.Unlock()
	if stopped {
		unix.Close(c.FD)
		return
	}
	done(err)
}

// Ready tells a handshake that its socket may be readable or writable again.
func (c *Conn) Ready() {
	select {
	case c.shake.ready <- struct{}{}:
	default:
	}
}

// Shaking reports whether a handshake is under way, as far as the loop knows.
func (c *Conn) Shaking() bool { return c.shake != nil }

// Shaken gives the connection back to the loop.
func (c *Conn) Shaken() { c.shake = nil }

// Drop closes the socket: at once, or when the handshake that is under way has let go of
// it, which a callback of the application's may put off. Then the peer sees the end at once
// all the same. The loop has to take the socket out of its poller before that.
func (c *Conn) Drop() {
	c.mu.Lock()
	if c.out != nil {
		c.release()
	}
	h := c.shake
	if h != nil && !h.over {
		h.stopped = true
		_ = unix.Shutdown(c.FD, unix.SHUT_RDWR) // the goroutine closes it, under mu, after this
		c.mu.Unlock()
		h.stop()
		return
	}
	c.mu.Unlock()
	unix.Close(c.FD)
}

// wait waits until the socket may have more to give or to take. It reports false when
// the handshake has been given up.
func (h *handshake) wait() bool {
	h.give()
	h.turns.works(-1)
	defer h.take()
	defer h.turns.works(1)
	select {
	case <-h.ready:
		return true
	case <-h.ctx.Done():
		return false
	}
}

// take waits for a turn, which give, or a timer before that, gives back.
func (h *handshake) take() {
	h.turns.take()
	h.holds.Store(true)
	switch d := h.turns.Longest; {
	case d <= 0:
	case h.lapses == nil:
		h.lapses = time.AfterFunc(d, h.lapse)
	default:
		h.lapses.Reset(d)
	}
}

func (h *handshake) give() {
	if h.lapses != nil {
		h.lapses.Stop()
	}
	h.lapse()
}

func (h *handshake) lapse() {
	if h.holds.CompareAndSwap(true, false) {
		<-h.turns.taken
	}
}

// readShaking is Read in a handshake: it sends what is there to be sent and waits.
func (c *Conn) readShaking(p []byte) (int, error) {
	for {
		if _, err := c.Send(); err != nil {
			return 0, err
		}
		if len(c.Early) > 0 {
			n := copy(p, c.Early)
			c.Early = c.Early[n:]
			c.in.pass(p[:n])
			return n, nil
		}
		n, errno := reactor.Read(c.FD, p)
		switch {
		case errno == unix.EINTR:
		case errno == unix.EAGAIN:
			if !c.shake.wait() {
				return 0, errStopped
			}
		case errno != 0:
			return 0, errno
		case n == 0:
			c.cut = true
			return 0, io.EOF
		default:
			c.in.pass(p[:n])
			return n, nil
		}
	}
}
