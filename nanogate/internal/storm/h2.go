//go:build linux

package storm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

var (
	errLate    = errors.New("nothing came in time")
	errRefused = errors.New("refused: the peer hasn't looked at it")
)

// field is one of a head or of trailers.
type field struct{ name, value string }

// h2conn is either end of a connection over HTTP/2. Its streams are read and written by
// goroutines of their own, which wait for what frames() takes in.
type h2conn struct {
	nc       net.Conn
	fr       *http2.Framer
	server   bool
	piece    int // how many bytes of windows are given back at once; 0: what was read
	most     int // streams that the other end may have open; 0: any
	window   int // initial window of streams that the other end sends on
	complain func(kind, what string)
	serve    func(*h2stream)

	writing sync.Mutex // the framer and the encoder
	enc     *hpack.Encoder
	block   bytes.Buffer

	mu      sync.Mutex
	cond    *sync.Cond
	streams map[uint32]*h2stream
	next    uint32 // of a client: the next stream
	last    uint32 // of a server: the highest stream that was served
	went    bool   // of a server: it sent GOAWAY, and processes no stream above that one
	above   uint32
	going   bool        // the other end said GOAWAY
	broken  atomic.Bool // this end has broken it off, and with it perhaps what was sent
	send    int64       // window of the connection
	initial int64       // what streams have at first to send
	err     error
}

// h2stream is a stream of it.
type h2stream struct {
	c        *h2conn
	id       uint32
	head     []hpack.HeaderField // of the request, or of the response
	interims [][]hpack.HeaderField
	trailers []hpack.HeaderField
	buf      []byte
	ended    bool // the other end's half
	sentEnd  bool
	err      error
	send     int64
	recv     int64 // what the other end may still send
	owed     int   // read and not given back
}

// h2 makes an end of a connection. A server has read the preface.
func newH2(nc net.Conn, server bool, window int) *h2conn {
	c := &h2conn{nc: nc, server: server, window: window, streams: map[uint32]*h2stream{}, next: 1, send: 65535, initial: 65535}
	c.fr = http2.NewFramer(nc, nc)
	c.fr.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.fr.SetMaxReadFrameSize(1 << 20)
	c.enc = hpack.NewEncoder(&c.block)
	c.cond = sync.NewCond(&c.mu)
	return c
}

// greet sends the settings, and a client's preface before them.
func (c *h2conn) greet(more ...http2.Setting) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if !c.server {
		if _, err := io.WriteString(c.nc, http2.ClientPreface); err != nil {
			return err
		}
	}
	if c.window != 65535 {
		more = append(more, http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(c.window)})
	}
	if c.most != 0 {
		more = append(more, http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: uint32(c.most)})
	}
	if err := c.fr.WriteSettings(more...); err != nil {
		return err
	}
	return c.fr.WriteWindowUpdate(0, 1<<20)
}

// frames takes in what comes until the connection ends.
func (c *h2conn) frames() {
	var err error
	for err == nil {
		var f http2.Frame
		if f, err = c.fr.ReadFrame(); err == nil {
			err = c.frame(f)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
	for _, s := range c.streams {
		if s.err == nil {
			s.err = fmt.Errorf("the connection ended: %w", err)
		}
	}
	c.cond.Broadcast()
}

func (c *h2conn) frame(f http2.Frame) error {
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		c.headers(f)
	case *http2.DataFrame:
		c.data(f)
	case *http2.SettingsFrame:
		return c.settings(f)
	case *http2.PingFrame:
		if !f.IsAck() {
			return c.write(func() error { return c.fr.WritePing(true, f.Data) })
		}
	case *http2.WindowUpdateFrame:
		c.mu.Lock()
		if f.StreamID == 0 {
			c.send += int64(f.Increment)
		} else if s := c.streams[f.StreamID]; s != nil {
			s.send += int64(f.Increment)
		}
		c.cond.Broadcast()
		c.mu.Unlock()
	case *http2.RSTStreamFrame:
		c.mu.Lock()
		if s := c.streams[f.StreamID]; s != nil {
			s.err = http2.StreamError{StreamID: f.StreamID, Code: f.ErrCode}
			if f.ErrCode == http2.ErrCodeRefusedStream {
				s.err = errRefused
			}
			delete(c.streams, f.StreamID)
		}
		c.cond.Broadcast()
		c.mu.Unlock()
	case *http2.GoAwayFrame:
		c.mu.Lock()
		c.going = true
		if !c.server {
			for id, s := range c.streams {
				if id > f.LastStreamID {
					s.err = errRefused
					delete(c.streams, id)
				}
			}
		}
		c.cond.Broadcast()
		c.mu.Unlock()
	}
	return nil
}

func (c *h2conn) headers(f *http2.MetaHeadersFrame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.streams[f.StreamID]
	switch {
	case s == nil && c.server && f.StreamID > c.last:
		if c.went && f.StreamID > c.above {
			return
		}
		c.last = f.StreamID
		s = &h2stream{c: c, id: f.StreamID, head: f.Fields, ended: f.StreamEnded(), send: c.initial, recv: int64(c.window)}
		c.streams[s.id] = s
		if c.most != 0 && len(c.streams) > c.most {
			c.complain("over-max-streams", fmt.Sprintf("%d streams are open, of %d", len(c.streams), c.most))
		}
		go c.serve(s)
		return
	case s == nil:
		return
	case c.server || s.head != nil:
		s.trailers = f.Fields
		if !f.StreamEnded() {
			c.complain("protocol", "trailers without END_STREAM")
		}
	case len(f.PseudoValue("status")) == 3 && f.PseudoValue("status")[0] == '1':
		s.interims = append(s.interims, f.Fields)
	default:
		s.head = f.Fields
	}
	s.ended = s.ended || f.StreamEnded()
	c.closed(s)
	c.cond.Broadcast()
}

func (c *h2conn) data(f *http2.DataFrame) {
	p := f.Data()
	c.mu.Lock()
	s := c.streams[f.StreamID]
	if s != nil {
		s.recv -= int64(f.Length)
		if s.recv < 0 {
			c.complain("flow", fmt.Sprintf("stream %d has sent %d bytes beyond its window", s.id, -s.recv))
		}
		if s.ended {
			c.complain("protocol", fmt.Sprintf("DATA after the end of stream %d", s.id))
		}
		s.buf = append(s.buf, p...)
		s.ended = s.ended || f.StreamEnded()
		c.closed(s)
	}
	c.cond.Broadcast()
	c.mu.Unlock()
	if f.Length > 0 { // a connection's window is given back at once, a stream's when it is read
		c.write(func() error { return c.fr.WriteWindowUpdate(0, f.Length) })
	}
}

// closed takes a stream out once both halves have ended: it counts no more.
func (c *h2conn) closed(s *h2stream) {
	if s.ended && s.sentEnd {
		delete(c.streams, s.id)
	}
}

func (c *h2conn) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	c.mu.Lock()
	if v, ok := f.Value(http2.SettingInitialWindowSize); ok {
		for _, s := range c.streams {
			s.send += int64(v) - c.initial
		}
		c.initial = int64(v)
	}
	c.cond.Broadcast()
	c.mu.Unlock()
	return c.write(c.fr.WriteSettingsAck)
}

// write has frames written, one goroutine at a time.
func (c *h2conn) write(frames func() error) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.nc.SetWriteDeadline(time.Now().Add(patience))
	return frames()
}

// headersFrame writes a head or trailers; pseudo-fields come first in fields.
func (c *h2conn) headersFrame(id uint32, fields []field, end bool) error {
	c.block.Reset()
	for _, f := range fields {
		c.enc.WriteField(hpack.HeaderField{Name: strings.ToLower(f.name), Value: f.value})
	}
	return c.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: c.block.Bytes(), EndHeaders: true, EndStream: end})
}

// open begins a request.
func (c *h2conn) open(fields []field, end bool) (*h2stream, error) {
	var s *h2stream
	err := c.write(func() error {
		c.mu.Lock()
		if c.err != nil || c.going {
			c.mu.Unlock()
			return errRefused
		}
		s = &h2stream{c: c, id: c.next, send: c.initial, recv: int64(c.window), sentEnd: end}
		c.next += 2
		c.streams[s.id] = s
		c.mu.Unlock()
		return c.headersFrame(s.id, fields, end)
	})
	return s, err
}

// wait waits until what is true, or the stream or the time is at its end.
func (s *h2stream) wait(what func() bool) error {
	end := time.Now().Add(patience)
	timer := time.AfterFunc(patience, s.c.cond.Broadcast)
	defer timer.Stop()
	for !what() {
		if s.err != nil {
			return s.err
		}
		if s.c.err != nil {
			return s.c.err
		}
		if time.Now().After(end) {
			return errLate
		}
		s.c.cond.Wait()
	}
	return nil
}

// Read reads content; io.EOF is its whole end.
func (s *h2stream) Read(p []byte) (int, error) {
	s.c.mu.Lock()
	if err := s.wait(func() bool { return len(s.buf) > 0 || s.ended }); err != nil {
		s.c.mu.Unlock()
		return 0, err
	}
	if len(s.buf) == 0 {
		s.c.mu.Unlock()
		return 0, io.EOF
	}
	n := copy(p, s.buf)
	s.buf = s.buf[n:]
	s.owed += n
	give, open := 0, !s.ended
	if open && (s.c.piece == 0 || s.owed >= min(s.c.piece, s.c.window/2)) {
		give, s.owed = s.owed, 0
		s.recv += int64(give)
	}
	s.c.mu.Unlock()
	for piece := s.c.piece; give > 0; {
		one := give
		if piece > 0 {
			one = min(give, piece)
		}
		give -= one
		if err := s.c.write(func() error { return s.c.fr.WriteWindowUpdate(s.id, uint32(one)) }); err != nil {
			return n, nil // reading says why
		}
	}
	return n, nil
}

// Write writes content as windows allow.
func (s *h2stream) Write(p []byte) (n int, err error) {
	for n < len(p) {
		s.c.mu.Lock()
		err := s.wait(func() bool { return s.send > 0 && s.c.send > 0 })
		if err == nil && s.err != nil {
			err = s.err
		}
		if err != nil {
			s.c.mu.Unlock()
			return n, err
		}
		one := min(len(p)-n, 16384, int(s.send), int(s.c.send))
		s.send -= int64(one)
		s.c.send -= int64(one)
		s.c.mu.Unlock()
		if err := s.c.write(func() error { return s.c.fr.WriteData(s.id, false, p[n:n+one]) }); err != nil {
			return n, err
		}
		n += one
	}
	return n, nil
}

// end ends this end's half, with trailers if there are any.
func (s *h2stream) end(trailers []field) error {
	return s.c.write(func() error {
		s.ending()
		if len(trailers) > 0 {
			return s.c.headersFrame(s.id, trailers, true)
		}
		return s.c.fr.WriteData(s.id, true, nil)
	})
}

// ending notes that this end's half ends with the next frame.
func (s *h2stream) ending() {
	s.c.mu.Lock()
	s.sentEnd = true
	s.c.closed(s)
	s.c.mu.Unlock()
}

// reset ends the stream.
func (s *h2stream) reset(code http2.ErrCode) {
	s.c.write(func() error {
		s.c.mu.Lock()
		delete(s.c.streams, s.id)
		if s.err == nil {
			s.err = errors.New("reset by this end")
		}
		s.c.cond.Broadcast()
		s.c.mu.Unlock()
		return s.c.fr.WriteRSTStream(s.id, code)
	})
}

// value is that of a field, "" without it.
func value(fields []hpack.HeaderField, name string) string {
	for _, f := range fields {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}
