package scripted

import (
	"context"
	"fmt"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/reactor"
)

// Replies of a scripted server.
const (
	keepReply  = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: keep-alive\r\nContent-Length: 13\r\n\r\nHello, World!"
	closeReply = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: 13\r\n\r\nHello, World!"
)

// Settings of the loop.
const (
	spinBelow  = 150 * time.Microsecond // waits end so long before a response is due: the rest is polled
	longWait   = time.Second
	burst      = 64                    // responses in a row before the sockets are looked at again
	gapAtLeast = 50 * time.Microsecond // shorter absences of a busy loop are not noted
)

// Options of a server.
type Options struct {
	Script   Script
	Requests int  // room in the record; 0 records nothing
	Busy     bool // poll without a pause, for exact times: it takes a CPU of its own
	Close    bool // respond with "Connection: close" and close: a new connection per request
}

// Server is a scripted server that listens.
type Server struct {
	options  Options
	listener *net.TCPListener
	file     *os.File // keeps fd open
	fd       int
	poller   *reactor.Poller
	conns    []slot
	unused   []int32
	pending  queue
	record   *Record
	reply    []byte
	read     []byte
}

// slot is a place for a connection, used by one after the other.
type slot struct {
	fd   int32  // 0: none
	life uint32 // counts the connections it has had
}

// listenerID is the event ID of the listening socket; connections follow.
const listenerID = 0

// Listen makes a server on address, such as "127.0.0.1:0".
func Listen(address string, options Options) (*Server, error) {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Server{
		options: options, listener: ln.(*net.TCPListener), conns: make([]slot, 1, 1<<14), unused: make([]int32, 0, 1<<14),
		pending: make(queue, 0, 1<<14), record: newRecord(options.Script, options.Requests),
		reply: []byte(keepReply), read: make([]byte, 64<<10),
	}
	if options.Close {
		s.reply = []byte(closeReply)
	}
	if err := s.open(); err != nil {
		s.close()
		return nil, fmt.Errorf("scripted server: %w", err)
	}
	return s, nil
}

func (s *Server) open() (err error) {
	if s.file, err = s.listener.File(); err != nil {
		return err
	}
	if s.poller, err = reactor.NewPoller(512); err != nil {
		return err
	}
	s.fd = int(s.file.Fd()) // makes the socket blocking: asked for once, before it is set right
	if err = unix.SetNonblock(s.fd, true); err != nil {
		return err
	}
	return s.poller.Add(s.fd, listenerID)
}

// Addr is where it listens.
func (s *Server) Addr() net.Addr { return s.listener.Addr() }

// Serve responds until ctx ends, releases the server and returns what it did.
//
// It does not lock its thread: the Go scheduler interrupts a busy loop every
// 10 ms, which costs about a microsecond when the goroutine may go on where it
// is, and a change of threads and back when it is locked.
func (s *Server) Serve(ctx context.Context) (*Record, error) {
	defer s.close()
	defer context.AfterFunc(ctx, s.poller.Wake)()
	for last := clock.Now(); ctx.Err() == nil; {
		wait := s.wait(last)
		events, err := s.poller.Wait(wait)
		if err != nil {
			return s.record, err
		}
		now := clock.Now()
		if s.options.Busy && now-last > int64(gapAtLeast) {
			s.record.away(last, now)
		}
		for i := range events {
			s.handle(&events[i])
		}
		s.sendDue(clock.Now())
		last = clock.Now()
	}
	return s.record, nil
}

// wait is how long the loop may sleep: not at all when a response is due soon.
func (s *Server) wait(now int64) time.Duration {
	if s.options.Busy {
		return 0
	}
	if len(s.pending) == 0 {
		return longWait
	}
	return min(longWait, time.Duration(s.pending[0].due-now)-spinBelow)
}

func (s *Server) handle(e *reactor.Event) {
	if e.ID() == listenerID {
		s.accept()
	} else if e.Readable() {
		s.receive(e.ID(), e.Ending())
	}
}

func (s *Server) accept() {
	for {
		fd, _, err := unix.Accept4(s.fd, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		if err != nil {
			return // nothing more to accept, or out of files: the client will see
		}
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
		id := s.slot()
		s.conns[id].fd = int32(fd)
		s.conns[id].life++
		if err := s.poller.Add(fd, id); err != nil {
			s.drop(id)
		}
	}
}

func (s *Server) slot() int32 {
	if n := len(s.unused); n > 0 {
		id := s.unused[n-1]
		s.unused = s.unused[:n-1]
		return id
	}
	s.conns = append(s.conns, slot{})
	return int32(len(s.conns) - 1)
}

func (s *Server) receive(id int32, ending bool) {
	c := &s.conns[id]
	if c.fd == 0 {
		return
	}
	n, errno := reactor.Read(int(c.fd), s.read)
	if n > 0 {
		now := clock.Now()
		request, due := s.record.arrived(now, id)
		a := response{due: due, request: request, conn: id, life: c.life}
		if due <= now {
			s.send(a, now)
		} else {
			s.pending.push(a)
		}
	}
	if ending || n == 0 && errno != unix.EAGAIN {
		s.drop(id)
	}
}

// sendDue sends what is due, up to a burst.
func (s *Server) sendDue(now int64) {
	for range burst {
		if len(s.pending) == 0 || s.pending[0].due > now {
			return
		}
		s.send(s.pending.pop(), now)
		now = clock.Now()
	}
}

func (s *Server) send(a response, now int64) {
	c := &s.conns[a.conn]
	if c.fd == 0 || c.life != a.life {
		return
	}
	s.record.responded(a.request, now)
	sent, _ := reactor.Write(int(c.fd), s.reply)
	if sent != len(s.reply) || s.options.Close { // a client that does not read is dropped
		s.drop(a.conn)
	}
}

func (s *Server) drop(id int32) {
	if s.conns[id].fd == 0 {
		return
	}
	unix.Close(int(s.conns[id].fd))
	s.conns[id].fd = 0
	s.unused = append(s.unused, id)
}

func (s *Server) close() {
	for id := range s.conns {
		s.drop(int32(id))
	}
	if s.poller != nil {
		s.poller.Close()
	}
	if s.file != nil {
		s.file.Close()
	}
	s.listener.Close()
}
