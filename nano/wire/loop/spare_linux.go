package loop

import (
	"sync"

	"dyno.example/nano/wire/http1"
)

// spare is a descriptor that is closed for a moment when no more files can be opened.
// Without it a client couldn't even be accepted to be rejected, and would wait in the queue
// for ever.
type spare struct {
	mu     sync.Mutex
	fd     int
	kept   bool
	unread []byte // where requests of rejected clients are read into
}

var busy = []byte(http1.StatusLine(503) + "Retry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

// keep opens the descriptor.
func (s *spare) keep(sys System) {
	fd, err := sys.Spare()
	s.fd, s.kept = fd, err == nil
}

// reject accepts a client and closes the connection, silently or after a response. It
// reports whether the descriptor is open again.
func (s *spare) reject(sys System, listener int, silently bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveUp(sys)
	if fd, _, errno := sys.Accept(listener); errno == 0 {
		if !silently {
			if s.unread == nil {
				s.unread = make([]byte, 64<<10)
			}
			sys.Read(fd, s.unread) // unread, it would make the close a reset
			sys.Write(fd, busy)    // best effort
			sys.CloseWrite(fd)
		}
		sys.Close(fd)
	}
	s.keep(sys)
	return s.kept
}

func (s *spare) giveUp(sys System) {
	if s.kept {
		sys.Close(s.fd)
		s.kept = false
	}
}

// drop closes the descriptor for good.
func (s *spare) drop(sys System) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveUp(sys)
}
