package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// HelperTimeout is how long a snapshot waits for the subject's helper: as long as there is
// time before the next second's. Most programs respond in some milliseconds. One that
// is saturated over ten thousand connections has as many goroutines waiting before the
// helper's, and takes as long as its requests do; late responses do no harm, as they
// have the time at which they were read.
const HelperTimeout = 800 * time.Millisecond

const (
	helperEnv     = "DYNO_PROBE_SOCKET"
	maxSocketPath = 100 // bytes; the kernel takes 107
	maxHelpers    = 256 // processes of one subject
)

// RuntimeListener is where the helpers in a subject's processes connect and report, and
// where a JVM or V8 may log its collections instead. Its methods may be called from any
// goroutine.
type RuntimeListener struct {
	listener *net.UnixListener
	path     string
	readers  sync.WaitGroup

	sampling sync.Mutex // held from the requests to the responses
	log      gcLog      // guarded by sampling

	mu      sync.Mutex
	conns   map[net.Conn]struct{}
	helpers []*helper // those that have introduced themselves
	lastID  int
	refused error // why the last helper was refused
	closed  bool
}

// NewRuntimeListener listens on a new socket in dir, which is made if need be. Only the
// user that runs dyno can reach it. The path must be short: systems limit the names of
// sockets to some 100 bytes.
func NewRuntimeListener(dir string) (*RuntimeListener, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making a folder for the probe's socket: %w", err)
	}
	holder, err := os.MkdirTemp(dir, "p") // private, whatever the rights of dir
	if err != nil {
		return nil, fmt.Errorf("making a folder for the probe's socket: %w", err)
	}
	l := &RuntimeListener{path: filepath.Join(holder, "s"), conns: make(map[net.Conn]struct{})}
	l.log.path = filepath.Join(holder, "gc.log")
	if len(l.path) >= maxSocketPath {
		os.Remove(holder)
		return nil, fmt.Errorf("the probe's socket %s has a name of %d bytes, at most %d are possible: use a folder with a shorter name", l.path, len(l.path), maxSocketPath-1)
	}
	l.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: l.path, Net: "unix"})
	if err != nil {
		os.Remove(holder)
		return nil, fmt.Errorf("listening for the probe: %w", err)
	}
	if err := os.Chmod(l.path, 0o700); err != nil {
		l.Close()
		return nil, fmt.Errorf("protecting the probe's socket: %w", err)
	}
	l.readers.Go(l.accept)
	return l, nil
}

// Env returns what the subject's environment must say: where the socket is, and where a
// log of collections may be.
func (l *RuntimeListener) Env() map[string]string {
	return map[string]string{helperEnv: l.path, gcLogEnv: l.log.path}
}

// Close ends all connections, removes the socket and the log, and waits until nothing of
// the listener runs any more.
func (l *RuntimeListener) Close() error {
	err := l.listener.Close()
	l.mu.Lock()
	l.closed = true
	for conn := range l.conns {
		conn.Close()
	}
	l.mu.Unlock()
	l.readers.Wait()
	l.sampling.Lock()
	l.log.close()
	l.sampling.Unlock()
	os.RemoveAll(filepath.Dir(l.path)) // which was made for these two
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Connected returns how many helpers are connected.
func (l *RuntimeListener) Connected() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.helpers)
}

// Sample sends a request to all helpers, reads the log, and waits for the responses, until
// ctx is done but at most [HelperTimeout]. The error says that there is no helper, or that
// none responded in time.
func (l *RuntimeListener) Sample(ctx context.Context) (RuntimeTotals, error) {
	return l.request()(ctx)
}

// request sends the requests. The function that it returns collects the responses, and
// must be called.
func (l *RuntimeListener) request() (collect func(context.Context) (RuntimeTotals, error)) {
	l.sampling.Lock()
	l.mu.Lock()
	asked := slices.Clone(l.helpers)
	refused := l.refused
	l.mu.Unlock()
	deadline := time.Now().Add(HelperTimeout)
	for _, h := range asked {
		h.request(deadline)
	}
	logged, err := l.log.read()
	if err != nil {
		refused = err
	}
	return func(ctx context.Context) (RuntimeTotals, error) {
		defer l.sampling.Unlock()
		ctx, cancel := context.WithDeadline(ctx, deadline)
		defer cancel()
		return gather(ctx, asked, logged, refused)
	}
}

// gather waits for the responses of the helpers requested, and puts the log's figures
// before them; nil is no log.
func gather(ctx context.Context, asked []*helper, logged *helperTotals, refused error) (t RuntimeTotals, err error) {
	late := 0
	if logged != nil {
		t.helpers = append(t.helpers, *logged)
		if logged.late {
			late++
		}
	}
	for _, h := range asked {
		totals, ok := h.collect(ctx)
		if !ok {
			continue // it has gone
		}
		if totals.late {
			late++
		}
		t.helpers = append(t.helpers, totals)
	}
	switch {
	case len(t.helpers) == 0 && refused != nil:
		return t, refused
	case len(t.helpers) == 0:
		return t, errors.New("no program has connected to the probe, or logs its collections: does the subject import its helper?")
	case late == len(t.helpers):
		return t, fmt.Errorf("no response within %v", HelperTimeout)
	}
	return t, nil
}

// accept takes connections until the listener is closed.
func (l *RuntimeListener) accept() {
	for {
		conn, err := l.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			l.refuse(fmt.Errorf("accepting a helper: %w", err))
			time.Sleep(10 * time.Millisecond) // such as being out of files, which may pass
			continue
		}
		l.readers.Go(func() {
			defer conn.Close()
			l.refuse(l.attend(conn))
		})
	}
}

// attend reads what one helper says until it ends or says something wrong.
func (l *RuntimeListener) attend(conn net.Conn) error {
	if !l.open(conn) {
		return fmt.Errorf("more than %d programs connected to the probe", maxHelpers)
	}
	defer l.forget(conn)
	h, err := newHelper(conn)
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.lastID++
	h.id = l.lastID
	l.helpers = append(l.helpers, h)
	l.mu.Unlock()
	return h.read()
}

// open notes a connection and reports whether it may stay.
func (l *RuntimeListener) open(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.conns) >= maxHelpers {
		return false
	}
	l.conns[conn] = struct{}{}
	return true
}

func (l *RuntimeListener) forget(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.conns, conn)
	l.helpers = slices.DeleteFunc(l.helpers, func(h *helper) bool { return h.conn == conn })
}

func (l *RuntimeListener) refuse(err error) {
	if err == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused = err
}
