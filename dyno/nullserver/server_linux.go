package nullserver

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/reactor"
	"dyno.example/nano/wire/sockets"
)

const reply = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: keep-alive\r\nContent-Length: 13\r\n\r\nHello, World!"

// Server is a null server that listens.
type Server struct {
	// Calls makes requests over HTTP/2 unary calls over gRPC. The response to each is
	// Message, with its prefix and of 16 KiB at most, or one without fields. Set them
	// before Serve.
	Calls   bool
	Message []byte

	at     net.Addr
	fd     int // the listening socket, non-blocking
	poller *reactor.Poller
	conns  []conn // by ID
	unused []int32
	read   []byte
	out    []byte // what is to be sent over HTTP/2; used again for each read
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
	servers, err := ListenEach(address, 1)
	if err != nil {
		return nil, err
	}
	return servers[0], nil
}

// ListenEach makes n servers on one address, so that each can have a thread and a CPU.
// The kernel spreads connections over them (SO_REUSEPORT, socket(7)). An address that
// others have is an error.
func ListenEach(address string, n int) (servers []*Server, err error) {
	fds, err := sockets.OpenEach(address, n, false)
	if err != nil {
		return nil, err
	}
	for i, fd := range fds {
		s, err := newServer(fd)
		if err != nil {
			sockets.CloseAll(fds[i+1:])
			for _, other := range servers {
				other.close()
			}
			return nil, fmt.Errorf("null server: %w", err)
		}
		servers = append(servers, s)
	}
	return servers, nil
}

// newServer makes a server of a listening socket, which is its own also when that fails.
func newServer(fd int) (s *Server, err error) {
	s = &Server{fd: fd, conns: make([]conn, 1), read: make([]byte, 64<<10)}
	if s.at, err = sockets.Bound(fd); err == nil {
		s.poller, err = reactor.NewPoller(512)
	}
	if err == nil {
		err = s.poller.Add(fd, listenerID)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// Addr is where it listens.
func (s *Server) Addr() net.Addr { return s.at }

// Serve responds until ctx ends. It takes a thread of its own and releases the
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
				s.respond(id, events[i].Ending())
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

func (s *Server) respond(id int32, ending bool) {
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

// reply responds to what came on a connection. It returns false if the connection is of no
// use: the client does not read, or breaks HTTP/2.
func (s *Server) reply(c *conn, in []byte) bool {
	if c.http2 == nil {
		if in[0] != 'P' || !bytes.HasPrefix(in, preface) {
			sent, _ := reactor.Write(int(c.fd), replyBytes)
			return sent == len(reply)
		}
		c.http2 = &HTTP2{Calls: s.Calls, Message: s.Message}
	}
	out, ok := c.http2.Respond(s.out[:0], in)
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
	unix.Close(s.fd)
}
