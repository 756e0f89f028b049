package nullserver

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dyno/nano/wire/reactor"
)

const reply = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: keep-alive\r\nContent-Length: 13\r\n\r\nHello, World!"

// Server is a null server that listens.
type Server struct {
	// Calls makes requests over HTTP/2 unary calls over gRPC, which Message answers, with
	// its prefix and of 16 KiB at most, or one without fields; set them before Serve.
	Calls   bool
	Message []byte

	listener *net.TCPListener
	file     *os.File // keeps fd open
	fd       int      // the listening socket, non-blocking
	poller   *reactor.Poller
	conns    []conn // by ID
	unused   []int32
	read     []byte
	out      []byte // what is to be sent over HTTP/2; used again for each read
}

// conn is a connection, with fd 0 none.
type conn struct {
	fd    int32
	http2 *HTTP2 // nil over HTTP/1.1
}

// listenerID is the event ID of the listening socket; connections follow.
const listenerID = 0

// Listen makes a server on address, such as "127.0.0.1:0".
func Listen(address string) (*Server, error) {
	return listen(address, func(string, string, syscall.RawConn) error { return nil })
}

// ListenShared makes a server on an address that others made by it may have
// too. The kernel spreads connections over them (SO_REUSEPORT, socket(7)), so
// that each can have a thread and a CPU.
func ListenShared(address string) (*Server, error) {
	return listen(address, func(_, _ string, c syscall.RawConn) (err error) {
		if controlErr := c.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		}); controlErr != nil {
			return controlErr
		}
		return err
	})
}

func listen(address string, control func(network, address string, c syscall.RawConn) error) (*Server, error) {
	ln, err := (&net.ListenConfig{Control: control}).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Server{listener: ln.(*net.TCPListener), conns: make([]conn, 1), read: make([]byte, 64<<10)}
	if s.file, err = s.listener.File(); err != nil {
		s.listener.Close()
		return nil, err
	}
	if s.poller, err = reactor.NewPoller(512); err == nil {
		s.fd = int(s.file.Fd()) // makes the socket blocking: asked for once, before it is set right
		if err = unix.SetNonblock(s.fd, true); err == nil {
			err = s.poller.Add(s.fd, listenerID)
		}
	}
	if err != nil {
		s.close()
		return nil, fmt.Errorf("null server: %w", err)
	}
	return s, nil
}

// Addr is where it listens.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Serve answers until ctx ends. It takes a thread of its own and releases the
// server at the end.
func (s *Server) Serve(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer s.close()
	defer context.AfterFunc(ctx, s.poller.Wake)()
	for ctx.Err() == nil {
		events, err := s.poller.Wait(time.Second)
		if err != nil {
			return err
		}
		for i := range events {
			if id := events[i].ID(); id == listenerID {
				s.accept()
			} else {
				s.answer(id, events[i].Ending())
			}
		}
	}
	return nil
}

func (s *Server) accept() {
	for {
		fd, _, err := unix.Accept4(s.fd, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		if err != nil {
			return // nothing more to accept, or out of files: the client will see
		}
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
		id := int32(len(s.conns))
		if n := len(s.unused); n > 0 {
			id, s.unused = s.unused[n-1], s.unused[:n-1]
		} else {
			s.conns = append(s.conns, conn{})
		}
		s.conns[id] = conn{fd: int32(fd)}
		if err := s.poller.Add(fd, id); err != nil {
			s.drop(id)
		}
	}
}

func (s *Server) answer(id int32, ending bool) {
	c := &s.conns[id]
	if c.fd == 0 {
		return
	}
	for {
		n, errno := reactor.Read(int(c.fd), s.read)
		if errno == unix.EAGAIN && !ending {
			return
		}
		if n <= 0 || !s.reply(c, s.read[:n]) || ending {
			s.drop(id)
			return
		}
		if n < len(s.read) { // else there may be more, of which no event tells
			return
		}
	}
}

// reply answers what came on a connection. It returns false if the connection is of no
// use: the client does not read, or breaks HTTP/2.
func (s *Server) reply(c *conn, in []byte) bool {
	if c.http2 == nil {
		if in[0] != 'P' || !bytes.HasPrefix(in, preface) {
			sent, _ := reactor.Write(int(c.fd), replyBytes)
			return sent == len(reply)
		}
		c.http2 = &HTTP2{Calls: s.Calls, Message: s.Message}
	}
	out, ok := c.http2.Answer(s.out[:0], in)
	s.out = out
	if !ok || len(out) == 0 {
		return ok
	}
	sent, _ := reactor.Write(int(c.fd), out)
	return sent == len(out)
}

var replyBytes = []byte(reply)

func (s *Server) drop(id int32) {
	unix.Close(int(s.conns[id].fd))
	s.conns[id] = conn{}
	s.unused = append(s.unused, id)
}

func (s *Server) close() {
	for id := range s.conns {
		if s.conns[id].fd != 0 {
			s.drop(int32(id))
		}
	}
	if s.poller != nil {
		s.poller.Close()
	}
	s.file.Close()
	s.listener.Close()
}
