package nano

import (
	"time"

	"golang.org/x/sys/unix"

	"dyno/nano/wire/http1"
	"dyno/nano/wire/reactor"
)

// outOfFiles turns one client away when the process may not open more files.
// Without the spare descriptor it couldn't even accept the client to tell it, and
// the client would wait in the queue for ever.
func (s *server) outOfFiles(l *loop, d *door) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.noticed) > time.Second {
		s.noticed = now
		l.log().Error("too many open files: connections are turned away", "connections", s.conns.Load())
	}
	if s.spare >= 0 {
		unix.Close(s.spare)
	}
	if fd, _, errno := reactor.Accept(d.fd); errno == 0 {
		busy := http1.StatusLine(503) + "Retry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
		reactor.Read(fd, l.turn.scratch) // unread, it would make the close a reset
		reactor.Write(fd, []byte(busy))  // best effort
		unix.Shutdown(fd, unix.SHUT_WR)
		unix.Close(fd)
	}
	if s.keepSpare(); s.spare < 0 {
		time.Sleep(time.Millisecond) // somebody else took it: don't spin
	}
}
