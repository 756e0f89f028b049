package ws

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/coder/websocket"

	"dyno.example/nano"
)

// accept makes a WebSocket of the connection, which it returns too.
func accept(c nano.Ctx, o *Options) (*websocket.Conn, *checked, error) {
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

// request returns the part of the request that the library uses.
func request(c nano.Ctx) *http.Request {
	r := &http.Request{Method: c.Method().String(), Host: c.Host().String(), Proto: c.Proto(), Header: http.Header{}}
	r.ProtoMajor, r.ProtoMinor, _ = http.ParseHTTPVersion(r.Proto)
	for name, value := range c.Headers() {
		r.Header.Add(name.String(), value.String())
	}
	if r.ProtoMajor == 2 && r.Header.Get("Sec-WebSocket-Key") == "" {
		r.Header.Set("Sec-WebSocket-Key", noKey) // RFC 8441 5: there is neither a key nor an accept
	}
	return r
}

// noKey is a key that the library takes.
const noKey = "AAAAAAAAAAAAAAAAAAAAAA=="

// upgrade is the http.ResponseWriter of one handshake.
type upgrade struct {
	c      nano.Ctx
	conn   *checked // once it is taken
	header http.Header
	status int
	text   bytes.Buffer
}

func (u *upgrade) Header() http.Header { return u.header }

// WriteHeader keeps the status. A handshake that fails late overrides its 101.
func (u *upgrade) WriteHeader(status int) { u.status = status }

func (u *upgrade) Write(p []byte) (int, error) { return u.text.Write(p) }

// Hijack takes the connection and sends the head of the response.
func (u *upgrade) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, early, err := u.c.SwitchProtocols(u.header)
	if err != nil {
		return nil, nil, err
	}
	u.conn = newChecked(conn, early, u.header.Get("Sec-WebSocket-Extensions") != "")
	return u.conn, bufio.NewReadWriter(bufio.NewReader(u.conn), bufio.NewWriter(u.conn)), nil
}

// refused responds to a handshake that failed.
func (u *upgrade) refused(err error) error {
	if u.c.Responded() { // hijacked: no response can be sent
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
