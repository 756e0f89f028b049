//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/nano/wire/clock"
	"dyno.example/nano/wire/http2"
)

// wantedHTTP2KB is what an idle connection of HTTP/2 may take.
const wantedHTTP2KB = 4

func memoryHTTP2Campaign() campaign {
	return campaign{
		Name: "memory-h2", Seconds: 1, Around: 4 * time.Second, Aside: true,
		Question: "What resident memory does an idle connection of HTTP/2 take that has had a request, of 10,000?",
		Arms:     []arm{{Server: "nano/own", Measure: idleHTTP2}, {Server: "nethttp/own", Measure: idleHTTP2}},
		Show: rounds.Summary{
			Columns: []rounds.Column{rounds.Shown("start_kb", "KB at the start", 4), rounds.Shown("kb_per_connection", "KB per idle connection", 3)},
			More: func(w io.Writer, v *rounds.Values) {
				if kb, ok := v.Median("nano/own", "", "kb_per_connection"); ok {
					fmt.Fprintf(w, "\nnano: **%.2f KB** per idle connection (%.2f–%.2f); wanted ≤ %d: %s\n", kb.Estimate, kb.Low, kb.High, wantedHTTP2KB, rounds.Judged(kb, wantedHTTP2KB))
				}
			},
		},
	}
}

// idleHTTP2 opens the connections, has one request on each, and reads the server's
// memory.
func idleHTTP2(ctx context.Context, t *trial) error {
	if err := allowFiles(idleConnections + 100); err != nil {
		return err
	}
	return t.watched(func() error {
		if err := t.readMemory(ctx, "start_kb", settleTime); err != nil {
			return err
		}
		held, err := dialAll(t.up.Address, idleConnections)
		defer held.close()
		if err != nil {
			return err
		}
		for i, conn := range held {
			if err := askHTTP2(conn); err != nil {
				return fmt.Errorf("connection %d: %w", i+1, err)
			}
		}
		if err := t.readMemory(ctx, "idle_kb", settleTime); err != nil {
			return err
		}
		t.Figures["kb_per_connection"] = (t.Figures["idle_kb"] - t.Figures["start_kb"]) / idleConnections
		return nil
	})
}

// askHTTP2 begins HTTP/2 on a connection and has one request served.
func askHTTP2(conn net.Conn) error {
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	var pool http2.Pool
	var c http2.Conn
	c.Start(http2.NewConfig(http2.Config{}), &pool, clock.Now())
	s, err := c.Open()
	if err != nil {
		return err
	}
	c.Request(s, []byte("GET"), []byte("http"), []byte("memory"), []byte("/plaintext"))
	c.Field([]byte("user-agent"), []byte("servers"))
	c.EndHeaders(true)
	buf := make([]byte, 16<<10)
	have := 0
	for {
		n, ev, err := c.Next(buf[:have], clock.Now())
		if err != nil {
			return err
		}
		have = copy(buf, buf[n:have])
		switch {
		case ev.Kind == http2.EventReset, ev.Kind == http2.EventGoAway:
			return fmt.Errorf("the server ends it: %v", ev.Code)
		case ev.Kind == http2.EventHead && ev.Header.Status != 200:
			return fmt.Errorf("status %d", ev.Header.Status)
		case ev.Kind == http2.EventHead || ev.Kind == http2.EventData:
			if ev.End {
				return flushHTTP2(conn, &c) // the acknowledgement of its SETTINGS
			}
		case ev.Kind == http2.More:
			if err := flushHTTP2(conn, &c); err != nil {
				return err
			}
			if n, err = conn.Read(buf[have:]); err != nil {
				return err
			}
			have += n
		}
	}
}

func flushHTTP2(conn net.Conn, c *http2.Conn) error {
	_, err := conn.Write(c.Out)
	c.Out = c.Out[:0]
	return err
}
