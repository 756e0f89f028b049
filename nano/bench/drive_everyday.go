//go:build linux

package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"dyno.example/dyno/bench/rounds"
)

// load is one of the loads that wrk has no way to put on a server. Each worker opens
// what it needs, tells, and counts until the end.
type load struct {
	url         string
	tls         *tls.Config
	counting    atomic.Bool
	done, wrong atomic.Int64
	open        sync.WaitGroup
}

// count notes what was done, if it is time to count.
func (l *load) count(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil || !l.counting.Load():
	case err != nil:
		l.wrong.Add(1)
	default:
		l.done.Add(1)
	}
}

// driveEveryday prints what a load came to.
func driveEveryday(what, url string, config *tls.Config, connections, seconds, pid int) error {
	o, err := measureEveryday(what, url, config, connections, seconds, pid)
	if err != nil {
		return err
	}
	text, err := json.Marshal(o)
	if err == nil {
		fmt.Println(string(text))
	}
	return err
}

// measureEveryday runs so many workers for a while and returns what it came to, with
// the CPU time of the server in that while.
func measureEveryday(what, url string, config *tls.Config, connections, seconds, pid int) (o rounds.Outcome, err error) {
	l := &load{url: url, tls: config}
	work := map[string]func(context.Context, func()) error{"sse": l.sse, "ws": l.ws, "connect": l.connect}[what]
	if work == nil {
		return o, fmt.Errorf("there is no load %q", what)
	}
	ctx, cancel := context.WithTimeout(context.Background(), everydayGrace+time.Duration(seconds)*time.Second)
	defer cancel()
	var all sync.WaitGroup
	failed := make(chan error, connections)
	turns := make(chan struct{}, 128) // connections that are being opened
	for range connections {
		l.open.Add(1)
		all.Go(func() {
			turns <- struct{}{}
			opened := sync.OnceFunc(func() { <-turns; l.open.Done() })
			defer opened()
			if err := work(ctx, opened); err != nil && ctx.Err() == nil {
				failed <- err
			}
		})
	}
	l.open.Wait()
	time.Sleep(500 * time.Millisecond) // the server's own beginning
	l.counting.Store(true)
	before := rounds.ProcessCPU(pid)
	time.Sleep(time.Duration(seconds) * time.Second)
	l.counting.Store(false)
	used := rounds.ProcessCPU(pid) - before
	cancel()
	all.Wait()
	select {
	case err := <-failed:
		return o, err
	default:
	}
	return rounds.Outcome{Requests: float64(l.done.Load()), Errors: float64(l.wrong.Load()), CPU: float64(used.Microseconds()), Seconds: float64(seconds)}, nil
}

// sse counts the events of one client.
func (l *load) sse(ctx context.Context, opened func()) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(l.url, "http://"))
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if _, err := io.WriteString(conn, "GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"); err != nil {
		return err
	}
	opened()
	lines := bufio.NewReaderSize(conn, 512)
	status, err := lines.ReadString('\n')
	if err == nil && !strings.HasPrefix(status, "HTTP/1.1 200") {
		err = errors.New(strings.TrimSpace(status))
	}
	for err == nil {
		var line []byte
		if line, err = lines.ReadSlice('\n'); err == nil && len(line) > 5 && string(line[:5]) == "data:" {
			l.count(ctx, nil)
		}
	}
	return err
}

// ws sends a message and waits for its echo, again and again.
func (l *load) ws(ctx context.Context, opened func()) error {
	conn, _, err := websocket.Dial(ctx, strings.Replace(l.url, "http", "ws", 1)+"/echo", nil)
	if err != nil {
		return err
	}
	defer conn.CloseNow()
	opened()
	message := []byte(strings.Repeat("m", 128))
	for ctx.Err() == nil {
		if err := conn.Write(ctx, websocket.MessageText, message); err != nil {
			return err
		}
		_, got, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		if len(got) != len(message) {
			err = errors.New("another message came back")
		}
		l.count(ctx, err)
	}
	return nil
}

// connect opens a connection with a full handshake for each request.
func (l *load) connect(ctx context.Context, opened func()) error {
	opened()
	config := l.tls.Clone()
	config.NextProtos = []string{"http/1.1"}
	for ctx.Err() == nil {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
		r, err := http.NewRequestWithContext(ctx, "GET", l.url+"/plaintext", nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(r)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			if resp.StatusCode != 200 {
				err = errors.New(resp.Status)
			}
		}
		l.count(ctx, err)
	}
	return nil
}
