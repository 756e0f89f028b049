package probe

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// flightEnv names the socket to which a subject with a flight recorder connects.
const flightEnv = "DYNO_FLIGHT_SOCKET"

// Bounds of a snapshot.
const (
	mostSnapshot = 32 << 20         // bytes
	mostFlights  = 16               // processes of one subject
	snapshotTime = 10 * time.Second // for a process to write its own
)

// FlightListener is where the processes of a subject connect that have a flight recorder of
// their execution. Its methods may be called from any goroutine.
type FlightListener struct {
	listener net.Listener
	dir      string
	accepted sync.WaitGroup

	mu     sync.Mutex // also held while a snapshot is taken
	conns  []net.Conn
	closed bool
}

// ListenForFlight listens in a folder below scratch, see [ListenForRuntime].
func ListenForFlight(scratch string) (*FlightListener, error) {
	var failed []error
	for _, parent := range []string{scratch, "", "/tmp"} {
		dir, err := os.MkdirTemp(parent, "dyno-")
		if err != nil {
			failed = append(failed, err)
			continue
		}
		path := filepath.Join(dir, "f")
		if len(path) < maxSocketPath {
			l, err := net.Listen("unix", path)
			if err == nil {
				f := &FlightListener{listener: l, dir: dir}
				f.accepted.Go(f.accept)
				return f, nil
			}
			failed = append(failed, err)
		}
		os.RemoveAll(dir)
	}
	return nil, fmt.Errorf("listening for flight recorders: %w", errors.Join(failed...))
}

// Env is what the subject's environment must say.
func (f *FlightListener) Env() map[string]string {
	return map[string]string{flightEnv: f.listener.Addr().String()}
}

func (f *FlightListener) accept() {
	for {
		conn, err := f.listener.Accept()
		if err != nil {
			return
		}
		f.mu.Lock()
		if f.closed || len(f.conns) == mostFlights {
			conn.Close()
		} else {
			f.conns = append(f.conns, conn)
		}
		f.mu.Unlock()
	}
}

// Snapshot takes the last seconds of the execution trace of each process that is connected.
// The error says why there is none of any.
func (f *FlightListener) Snapshot(ctx context.Context) (list [][]byte, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.conns) == 0 {
		return nil, errors.New("no program has connected to be recorded: does the subject import dynoprobe/flight?")
	}
	var failed []error
	for i, conn := range f.conns {
		if conn == nil {
			continue
		}
		content, err := snapshotOf(ctx, conn)
		if err != nil {
			failed = append(failed, err)
			conn.Close() // what it has yet to say would be taken for the next
			f.conns[i] = nil
			continue
		}
		list = append(list, content)
	}
	if len(list) == 0 {
		if len(failed) == 0 {
			failed = append(failed, errors.New("the programs that were recorded have gone"))
		}
		return nil, errors.Join(failed...)
	}
	return list, nil
}

// snapshotOf asks one process.
func snapshotOf(ctx context.Context, conn net.Conn) ([]byte, error) {
	conn.SetDeadline(time.Now().Add(snapshotTime))
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := io.WriteString(conn, "snapshot\n"); err != nil {
		return nil, err
	}
	in := bufio.NewReader(conn)
	line, err := in.ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("waiting for a snapshot: %w", err)
	}
	var head struct {
		Bytes int    `json:"bytes"`
		Error string `json:"error"`
	}
	switch err := json.Unmarshal(line, &head); {
	case err != nil:
		return nil, fmt.Errorf("the flight recorder's line isn't understood: %w", err)
	case head.Error != "":
		return nil, errors.New("the flight recorder: " + head.Error)
	case head.Bytes <= 0 || head.Bytes > mostSnapshot:
		return nil, fmt.Errorf("a snapshot of %d bytes, of %d at most", head.Bytes, mostSnapshot)
	}
	content := make([]byte, head.Bytes)
	if _, err := io.ReadFull(in, content); err != nil {
		return nil, fmt.Errorf("reading a snapshot: %w", err)
	}
	return content, nil
}

// Close ends all connections and removes the socket.
func (f *FlightListener) Close() error {
	err := f.listener.Close()
	f.mu.Lock()
	f.closed = true
	for _, conn := range f.conns {
		if conn != nil {
			conn.Close()
		}
	}
	f.mu.Unlock()
	f.accepted.Wait()
	return errors.Join(err, os.RemoveAll(f.dir))
}
