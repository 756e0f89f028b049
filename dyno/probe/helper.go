package probe

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// introduceTime is how long a program that has connected may take to say what
// it is.
const introduceTime = 5 * time.Second

// helper is the connection to one Go process.
type helper struct {
	id        int
	conn      net.Conn
	lines     *bufio.Reader
	hello     *hello
	responses chan response // closed when the helper has gone

	// The sampling goroutine's:
	pending bool // requested, and no response yet
	last    response
}

// newHelper reads the introduction.
func newHelper(conn net.Conn) (*helper, error) {
	h := &helper{conn: conn, lines: bufio.NewReaderSize(conn, maxHelperLine), responses: make(chan response, 1)}
	conn.SetReadDeadline(time.Now().Add(introduceTime))
	line, err := h.line()
	if err != nil {
		return nil, fmt.Errorf("waiting for the helper's first line: %w", err)
	}
	conn.SetReadDeadline(time.Time{})
	h.hello, err = parseHello(line)
	return h, err
}

// line returns the next line, valid until the next call.
func (h *helper) line() ([]byte, error) {
	line, err := h.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, fmt.Errorf("the helper sent a line of more than %d bytes", maxHelperLine)
	}
	return line, err
}

// read takes responses until the helper has gone. The error is nil when it ended as
// programs do.
func (h *helper) read() error {
	defer close(h.responses)
	for {
		line, err := h.line()
		if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		a, err := parseResponse(line, h.hello)
		if err != nil {
			return err
		}
		select {
		case h.responses <- a:
		default:
			return errors.New("the helper responded without being asked")
		}
	}
}

// request sends a request, unless the last one is still pending: then the late response
// will do.
func (h *helper) request(deadline time.Time) {
	h.take()
	if h.pending {
		return
	}
	h.conn.SetWriteDeadline(deadline)
	if _, err := io.WriteString(h.conn, "sample\n"); err != nil {
		h.conn.Close() // the reader sees to the rest
		return
	}
	h.pending = true
}

// take notes a response that came too late for the last request.
func (h *helper) take() {
	select {
	case a, ok := <-h.responses:
		if ok {
			h.last, h.pending = a, false
		}
	default:
	}
}

// collect waits for the response. It reports false if the helper has gone.
func (h *helper) collect(ctx context.Context) (helperTotals, bool) {
	t := helperTotals{id: h.id, hello: h.hello, late: h.pending}
	select {
	case a, ok := <-h.responses:
		if !ok {
			return t, false
		}
		h.last, h.pending, t.late = a, false, false
	case <-ctx.Done():
	}
	t.response = h.last
	return t, true
}
