//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"dyno.example/dyno/bench/rounds"
)

const (
	idleConnections = 10_000
	// settleTime is how long a server may take to free what it can, before
	// memory is read.
	settleTime = time.Second
	// spikeBody is what every connection sends at once, in bytes: a POST that
	// the server must hold until it is whole.
	spikeBody = 16 << 10
	// wantedKB is what an idle connection may take.
	wantedKB = 3
)

func memoryCampaign() campaign {
	return campaign{
		Name: "memory", Seconds: 4, Around: 4 * time.Second,
		Question: "What resident memory does an idle connection take that has had a request, of 10,000? What is left of a spike of bodies on all of them, seconds after they are closed?",
		Arms:     armsOf([]string{"net/http"}, "", idle),
		Show: rounds.Summary{
			Columns: []rounds.Column{
				rounds.Shown("start_kb", "KB at the start", 4), rounds.Shown("kb_per_connection", "KB per idle connection", 3),
				rounds.Shown("spike_kb", "KB after the spike", 4), rounds.Shown("left_kb", "KB left seconds later", 4),
			},
			More: showIdle,
		},
	}
}

// idle opens the connections, has one request on each, and reads the server's
// memory; then the spike.
func idle(ctx context.Context, t *trial) error {
	if err := allowFiles(idleConnections + 100); err != nil {
		return err
	}
	return t.watched(func() error { return t.idle(ctx) })
}

func (t *trial) idle(ctx context.Context) error {
	if err := t.readMemory(ctx, "start_kb", settleTime); err != nil {
		return err
	}
	held, err := dialAll(t.up.Address, idleConnections)
	defer held.close()
	if err != nil {
		return err
	}
	if err := held.each("GET /plaintext HTTP/1.1\r\nHost: memory\r\n\r\n", http.StatusOK); err != nil {
		return err
	}
	if err := t.readMemory(ctx, "idle_kb", settleTime); err != nil {
		return err
	}
	t.Figures["kb_per_connection"] = (t.Figures["idle_kb"] - t.Figures["start_kb"]) / idleConnections
	if err := held.each(spike(), http.StatusBadRequest); err != nil {
		return err
	}
	if err := t.readMemory(ctx, "spike_kb", 0); err != nil {
		return err
	}
	held.close()
	return t.readMemory(ctx, "left_kb", time.Duration(t.seconds)*time.Second)
}

// spike is a POST of JSON that breaks a rule, so that only its size matters.
func spike() string {
	body := `{"name":"` + strings.Repeat("a", spikeBody) + `"}`
	return fmt.Sprintf("POST /api/users HTTP/1.1\r\nHost: memory\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// readMemory notes the server's resident memory after a pause.
func (t *trial) readMemory(ctx context.Context, figure string, pause time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pause):
	}
	kb, ok := rounds.Resident(t.up.PID())
	if !ok {
		return errors.New("the server's memory can't be read")
	}
	t.Figures[figure] = kb
	return nil
}

func showIdle(w io.Writer, v *rounds.Values) {
	kb, ok := v.Median(nanoName, "", "kb_per_connection")
	if ok {
		fmt.Fprintf(w, "\nnano: **%.2f KB** per idle connection (%.2f–%.2f); wanted ≤ %d: %s\n", kb.Estimate, kb.Low, kb.High, wantedKB, rounds.Judged(kb, wantedKB))
	}
}

// heldConnections are many connections to one server.
type heldConnections []net.Conn

func dialAll(address string, n int) (heldConnections, error) {
	var c heldConnections
	for range n {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return c, fmt.Errorf("connection %d: %w", len(c)+1, err)
		}
		c = append(c, conn)
	}
	return c, nil
}

func (c heldConnections) close() {
	for _, conn := range c {
		conn.Close()
	}
}

// each sends a request on every connection, and only then reads the responses,
// which must have the status.
func (c heldConnections) each(request string, status int) error {
	data := []byte(request)
	for _, conn := range c {
		conn.SetDeadline(time.Now().Add(20 * time.Second))
		if _, err := conn.Write(data); err != nil {
			return err
		}
	}
	r := bufio.NewReader(nil)
	for i, conn := range c {
		r.Reset(conn)
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return fmt.Errorf("response on connection %d: %w", i+1, err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != status {
			return fmt.Errorf("response on connection %d: status %d, want %d; %v", i+1, resp.StatusCode, status, err)
		}
	}
	return nil
}

// allowFiles raises the limit of open files, for this program and the servers it
// starts from now on.
func allowFiles(n uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if limit.Max < n {
		return fmt.Errorf("%d open files are needed and %d allowed: raise the limit (ulimit -Hn)", n, limit.Max)
	}
	limit.Cur = max(limit.Cur, n)
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
}
