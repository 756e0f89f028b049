package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// echoing starts a server that responds to each message over WebSockets with itself, and
// stamps events under /events.
func echoing(t *testing.T) (url string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/events" {
			w.Header().Set("Content-Type", "text/event-stream")
			for n := 1; r.Context().Err() == nil; n++ {
				fmt.Fprintf(w, "id: %d\ndata: {\"at\": %d}\n\n", n, time.Now().UnixNano())
				http.NewResponseController(w).Flush()
				time.Sleep(5 * time.Millisecond)
			}
			return
		}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		for {
			kind, message, err := conn.Read(r.Context())
			if err != nil || conn.Write(r.Context(), kind, message) != nil {
				return
			}
		}
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

func TestLoadWebSocket(t *testing.T) {
	t.Parallel()
	url := "ws" + strings.TrimPrefix(echoing(t), "http") + "/echo"
	page := filepath.Join(t.TempDir(), "load.html")
	o := dyno(t, t.TempDir(), "load", "-c", "2", "-d", "1s", "-R", "200", "--message", `{"n": {{seq}}}`, "--expect", "json $.n >= 0", "--html", page, url)
	o.want(t, 0, o.stdout, "messages in 1", "messages/s", "sent,", "received (", "response", "lag", "validity")
	contains(t, o.stderr, "messages to ws://127.0.0.1", "200 requests/s")
	if html, err := os.ReadFile(page); err != nil || !strings.Contains(string(html), "ws://127.0.0.1") {
		t.Errorf("the page: %v", err)
	}
	o = dyno(t, t.TempDir(), "load", "-c", "2", "-n", "50", "--binary", "--json", url)
	o.want(t, 0, o.stdout, `"unit": "messages"`, `"out": 50`, `"in": 50`)
}

func TestLoadEvents(t *testing.T) {
	t.Parallel()
	o := dyno(t, t.TempDir(), "load", "-c", "3", "-d", "1s", "--sse", "--stamp", "json:.at", "--fail", "p50 < 5s", echoing(t)+"/events")
	o.want(t, 0, o.stdout, "events in 1s", "events/s", "response", "validity", "p50 < 5s")
	contains(t, o.stderr, "server-sent events of http://127.0.0.1", "held open")
}

// TestCapacityOfMessages: what is searched for may be a rate of messages.
func TestCapacityOfMessages(t *testing.T) {
	t.Parallel()
	o := dyno(t, t.TempDir(), "capacity", "ws"+strings.TrimPrefix(echoing(t), "http")+"/echo", "--objective", "p50 < 1us", "--trial", "200ms", "--initial-trial", "200ms",
		"--min-rate", "10", "--start", "10", "--warmup", "0s", "--no-calibration", "--max-time", "2m",
		"--accept", "other-load,steal,cpu-speed,generator-stalled,generator-late,generator-gc")
	o.want(t, 1, o.stderr, "no bracket", "it fails even at the lowest rate")
}

// TestLoadMessagesUsage: what doesn't go together is said with what to do.
func TestLoadMessagesUsage(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, c := range []struct {
		args []string
		why  string
	}{
		{[]string{"--message", "x", "host"}, "write the URL with ws://"},
		{[]string{"--binary", "host"}, "write the URL with ws://"},
		{[]string{"--sse", "ws://host"}, "write the URL with http instead of ws"},
		{[]string{"--stamp", "id", "host"}, "--sse"},
		{[]string{"-b", "x", "ws://host"}, "--message instead of --body"},
		{[]string{"--silence", "1s", "ws://host"}, "--silence is of server-sent events"},
		{[]string{"--message", "@no-such-file", "ws://host"}, "no-such-file"},
		{[]string{"--answers", "two", "ws://host"}, "none of"},
		{[]string{"-m", "POST", "ws://host"}, "not a POST"},
		{[]string{"-R", "5", "--sse", "host"}, "no rate"},
		{[]string{"--sse", "--stamp", "at", "host"}, "expected id"},
		{[]string{"--sse", "--stamp", "id", "--stamp-clock", "x", "host"}, "monotonic-ns"},
		{[]string{"--http2", "ws://host"}, "HTTP/1.1 only"},
		{[]string{"--expect", "status 200", "ws://host"}, "has no status"},
		{[]string{"--engine", "portable", "ws://127.0.0.1:1"}, "event loops"},
	} {
		o := dyno(t, home, append([]string{"load"}, c.args...)...)
		if contains(t, o.stderr, c.why); o.code == 0 {
			t.Errorf("%q: it goes", c.args)
		}
	}
}
