//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"dyno.example/dyno/bench/rounds"
)

const (
	slowReaders = 1000
	sharedPath  = "/shared"
	sharedBytes = 64 << 20
	// readerBuffer is what a client's socket holds, in bytes, as asked for: what the
	// kernel holds is in nobody's resident memory and must not run out.
	readerBuffer = 64 << 10
	// wantedMB is what the readers may take, all together, beside the response itself.
	wantedMB = 64
)

// shared is the response that all readers ask for: in memory once, and only in servers
// that are asked for it.
var shared = sync.OnceValue(func() []byte { return bytes.Repeat([]byte("x"), sharedBytes) })

// slowReadersCampaign holds less than nano's WriteStall, after which such clients
// are let go.
func slowReadersCampaign() campaign {
	c := campaign{
		Name: "slow-readers", Seconds: 10, Around: 8 * time.Second, Aside: true,
		Question: fmt.Sprintf("What resident memory do %d clients take that ask for %d MB, which are in memory anyway, and read nothing?", slowReaders, sharedBytes>>20),
		Show: rounds.Summary{
			Columns: []rounds.Column{
				rounds.Shown("before_mb", "MB before", 4), rounds.Shown("most_mb", "MB for the readers, at most", 3), rounds.Shown("end_mb", "MB for them at the end", 3),
			},
			More: showSlowReaders,
		},
	}
	for _, of := range slowLevels {
		for _, server := range []string{"nano/", "nethttp/"} {
			c.Arms = append(c.Arms, arm{Server: server + of.kind, Level: of.level, Measure: slowly})
		}
	}
	return c
}

// slowLevels are how clients connect, and the kind of server they connect to.
var slowLevels = []struct{ level, kind string }{{"plain", "own"}, {"TLS", "tls"}}

func showSlowReaders(w io.Writer, v *rounds.Values) {
	for _, of := range slowLevels {
		if mb, ok := v.Median("nano/"+of.kind, of.level, "most_mb"); ok {
			fmt.Fprintf(w, "\nnano, %s: **%.1f MB** for %d readers (%.1f–%.1f); wanted ≤ %d: %s\n",
				of.level, mb.Estimate, slowReaders, mb.Low, mb.High, wantedMB, rounds.Judged(mb, wantedMB))
		}
	}
}

func slowly(ctx context.Context, t *trial) error {
	if err := allowFiles(slowReaders + 100); err != nil {
		return err
	}
	r := readers{address: t.up.Address, pid: t.up.PID(), hold: time.Duration(t.seconds) * time.Second}
	if t.up.scheme == "https" {
		trusted, err := rounds.Trust(t.lab.Certificate)
		if err != nil {
			return err
		}
		r.tls = &tls.Config{RootCAs: trusted, NextProtos: []string{"http/1.1"}}
	}
	return t.watched(func() error { return r.measure(ctx, slowReaders, t.Figures) })
}

// readers are clients that ask a server for the shared response.
type readers struct {
	address string
	tls     *tls.Config // nil: none
	pid     int         // of the server
	hold    time.Duration
}

// measure notes the server's memory when it has sent the response once, and what n
// clients add that read nothing of it. Then it makes sure that the responses were on
// their way: all have begun, and one is read to its end.
func (r *readers) measure(ctx context.Context, n int, figures map[string]float64) error {
	if err := r.readOne(ctx); err != nil {
		return fmt.Errorf("reading the response once: %w", err)
	}
	before, _, err := r.memory(ctx, settleTime)
	if err != nil {
		return err
	}
	figures["before_mb"] = before
	var c heldConnections
	defer func() { c.close() }()
	for range n {
		conn, err := r.dial(ctx)
		if err != nil {
			return fmt.Errorf("connection %d: %w", len(c)+1, err)
		}
		c = append(c, conn)
	}
	for i, conn := range c {
		if err := ask(conn); err != nil {
			return fmt.Errorf("connection %d: %w", i+1, err)
		}
	}
	end, most, err := r.memory(ctx, r.hold)
	if err != nil {
		return err
	}
	figures["end_mb"], figures["most_mb"] = end-before, most-before
	responses := make([]*http.Response, n)
	for i, conn := range c {
		conn.SetDeadline(time.Now().Add(20 * time.Second))
		if responses[i], err = begun(conn); err != nil {
			return fmt.Errorf("response on connection %d: %w", i+1, err)
		}
	}
	c[1:].close() // the kernel may be short of memory for sockets
	if err := whole(responses[0]); err != nil {
		return fmt.Errorf("the rest of the response on connection 1: %w", err)
	}
	return nil
}

// dial connects with a small buffer.
func (r *readers) dial(ctx context.Context) (net.Conn, error) {
	d := net.Dialer{Timeout: 20 * time.Second, Control: func(_, _ string, raw syscall.RawConn) (err error) {
		return errors.Join(raw.Control(func(fd uintptr) {
			err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, readerBuffer)
		}), err)
	}}
	if r.tls == nil {
		return d.DialContext(ctx, "tcp", r.address)
	}
	return (&tls.Dialer{NetDialer: &d, Config: r.tls}).DialContext(ctx, "tcp", r.address)
}

func (r *readers) readOne(ctx context.Context) error {
	conn, err := r.dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	if err := ask(conn); err != nil {
		return err
	}
	resp, err := begun(conn)
	if err != nil {
		return err
	}
	return whole(resp)
}

// memory watches the server's memory for a while: what it is at the end and was at
// most, in MB (2^20 bytes).
func (r *readers) memory(ctx context.Context, d time.Duration) (end, most float64, err error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(d); time.Now().Before(until); {
		select {
		case <-ctx.Done():
			return 0, 0, ctx.Err()
		case <-tick.C:
		}
		kb, ok := rounds.Resident(r.pid)
		if !ok {
			return 0, 0, errors.New("the server's memory can't be read")
		}
		end = kb / 1024
		most = max(most, end)
	}
	return end, most, nil
}

func ask(conn net.Conn) error {
	_, err := io.WriteString(conn, "GET "+sharedPath+" HTTP/1.1\r\nHost: memory\r\n\r\n")
	return err
}

// begun reads the head of a response.
func begun(conn net.Conn) (*http.Response, error) {
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err == nil && (resp.StatusCode != http.StatusOK || resp.ContentLength != sharedBytes) {
		err = fmt.Errorf("status %d, %d bytes", resp.StatusCode, resp.ContentLength)
	}
	return resp, err
}

// whole reads the rest.
func whole(resp *http.Response) error {
	n, err := io.Copy(io.Discard, resp.Body)
	if err == nil && n != sharedBytes {
		err = fmt.Errorf("%d bytes of %d", n, sharedBytes)
	}
	return err
}
