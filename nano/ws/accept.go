package ws

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"dyno/nano"
)

// writeHead is how long the client may take for the head of the answer.
const writeHead = 10 * time.Second

// accept makes a WebSocket of the connection, which it returns too.
func accept(c nano.Ctx, o *Options) (*websocket.Conn, net.Conn, error) {
	w := &upgrade{c: c, header: http.Header{}}
	mode := websocket.CompressionDisabled
	if o.Compression {
		mode = websocket.CompressionNoContextTakeover
	}
	conn, err := websocket.Accept(w, request(c), &websocket.AcceptOptions{
		Subprotocols: o.Subprotocols, OriginPatterns: o.Origins, CompressionMode: mode,
	})
	if err != nil {
		return nil, nil, w.refused(err)
	}
	conn.SetReadLimit(o.MaxMessage)
	return conn, w.conn, nil
}

// request returns what the library looks at of the request.
func request(c nano.Ctx) *http.Request {
	r := &http.Request{Method: c.Method().Copy(), Host: c.Host().Copy(), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}}
	for name, value := range c.Headers() {
		r.Header.Add(name.Copy(), value.Copy())
	}
	return r
}

// upgrade is the http.ResponseWriter of one handshake.
type upgrade struct {
	c      nano.Ctx
	conn   net.Conn // once it is taken
	header http.Header
	status int
	text   bytes.Buffer
}

func (u *upgrade) Header() http.Header { return u.header }

// WriteHeader keeps the status. A handshake that fails late overrides its 101.
func (u *upgrade) WriteHeader(status int) { u.status = status }

func (u *upgrade) Write(p []byte) (int, error) { return u.text.Write(p) }

// Hijack takes the connection and sends the head of the answer.
func (u *upgrade) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, early, err := u.c.Hijack()
	if err != nil {
		return nil, nil, err
	}
	head := bytes.NewBufferString("HTTP/1.1 101 Switching Protocols\r\n")
	_ = u.header.Write(head) // to memory
	head.WriteString("\r\n")
	conn.SetDeadline(time.Now().Add(writeHead))
	if _, err := conn.Write(head.Bytes()); err != nil {
		conn.Close()
		return nil, nil, err
	}
	conn.SetDeadline(time.Time{})
	u.conn = conn
	from := bufio.NewReader(conn)
	if len(early) > 0 {
		from = bufio.NewReaderSize(&following{early, conn}, max(len(early), 4096))
		if _, err := from.Peek(len(early)); err != nil {
			conn.Close()
			return nil, nil, err
		}
	}
	return conn, bufio.NewReadWriter(from, bufio.NewWriter(conn)), nil
}

// following reads what came early, then the connection.
type following struct {
	early []byte
	conn  net.Conn
}

func (f *following) Read(p []byte) (int, error) {
	if len(f.early) > 0 {
		n := copy(p, f.early)
		f.early = f.early[n:]
		return n, nil
	}
	return f.conn.Read(p)
}

// refused answers a handshake that failed.
func (u *upgrade) refused(err error) error {
	if u.c.Answered() { // hijacked: nobody is there to be told
		return fmt.Errorf("%w: %w", nano.ErrAborted, err)
	}
	if u.status < 400 {
		u.status = http.StatusInternalServerError
	}
	for _, name := range [...]string{"Upgrade", "Sec-WebSocket-Version"} {
		if v := u.header.Get(name); v != "" {
			u.c.SetHeader(name, v)
		}
	}
	detail := ""
	if u.status < 500 {
		detail = strings.TrimPrefix(err.Error(), "failed to accept WebSocket connection: ")
	}
	return nano.NewProblem(u.status, detail).Because(err)
}
