package netconn

import (
	"net"
	"os"
	"sync"
	"sync/atomic"
)

// Queue is a listener that gives out connections that are ready.
type Queue struct {
	ready  chan net.Conn
	closed chan struct{}
	once   sync.Once
	used   atomic.Bool
}

// NewQueue returns one without connections.
func NewQueue() *Queue {
	return &Queue{ready: make(chan net.Conn), closed: make(chan struct{})}
}

// Put waits until the connection is accepted, and closes it if the queue ends first.
func (q *Queue) Put(c net.Conn) {
	q.used.Store(true)
	select {
	case q.ready <- c:
	case <-q.closed:
		c.Close()
	}
}

func (q *Queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.ready:
		return c, nil
	case <-q.closed:
		return nil, net.ErrClosed
	}
}

func (q *Queue) Close() error {
	q.once.Do(func() { close(q.closed) })
	return nil
}

// Used reports whether a connection has come.
func (q *Queue) Used() bool { return q.used.Load() }

func (q *Queue) Addr() net.Addr {
	return &net.UnixAddr{Net: "unix", Name: "nano" + string(os.PathSeparator) + "arrivals"}
}
