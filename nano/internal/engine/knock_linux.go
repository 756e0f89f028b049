package engine

import (
	"math"
	"slices"
)

// Listeners with TLS are accepted from by goroutines, which the Go runtime wakes when
// somebody looks at the network for it: nobody does while all loops keep their
// processors (see [eventloop.Core.Poll]). So a loop hears of such clients, too, and gives its
// processor back.

// knocks are what a loop hears of for others.
type knocks struct {
	*loop

	fds []int // listeners that goroutines accept from
}

// knockEvent is the ID of these listeners.
const knockEvent = math.MinInt32

// Hear has a loop hear of the clients of a listener that a goroutine accepts from, until
// stop is called. fd is a descriptor of the listener's own for it, which is closed then.
func (s *Server) Hear(fd int) (stop func()) {
	l := s.loops[0]
	l.Hand(&message{Open: func(l *loop) {
		if l.Over() || l.Poller.Add(fd, knockEvent) != nil { // then clients wait some ms longer at worst
			l.Sys.Close(fd)
			return
		}
		l.knocks.fds = append(l.knocks.fds, fd)
	}})
	return func() {
		l.Hand(&message{Open: func(l *loop) {
			if l.Over() { // it has closed what it had, or will, and this goroutine may be another
				return
			}
			if i := slices.Index(l.knocks.fds, fd); i >= 0 {
				l.Sys.Close(fd)
				l.knocks.fds = slices.Delete(l.knocks.fds, i, i+1)
			}
		}})
	}
}

// close closes what is heard of when the loop ends.
func (l *knocks) close() {
	for _, fd := range l.fds {
		l.Sys.Close(fd)
	}
	l.fds = nil
}
