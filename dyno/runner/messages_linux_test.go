package runner

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
)

// talks responds to messages over WebSockets with themselves, and under /events stamps
// events.
func talks(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/events" {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			fmt.Fprintf(w, "data: {\"at\": %d}\n\n", time.Now().UnixMilli())
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
	for n := 1; ; n++ {
		if n == 50 {
			conn.Close(websocket.StatusTryAgainLater, "")
			return
		}
		kind, message, err := conn.Read(r.Context())
		if err != nil || conn.Write(r.Context(), kind, message) != nil {
			return
		}
	}
}

// runnerOf plans a study of a service that is up, with one trial of one second.
func runnerOf(t *testing.T, url, requests, load string) *Runner {
	t.Helper()
	r := newRunner(t, url, 1)
	s, err := study.Parse("test.yaml", fmt.Appendf(nil, `study: test
subjects: [{name: up, url: %q}]
requests: [%s]
loads: [%s]
trial: {warmup: 0s, duration: 1s}
blocks: 1
`, url, requests, load), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Plan, err = study.Expand(s, 1); err != nil {
		t.Fatal(err)
	}
	r.Study = s
	return r
}

// TestRunOfMessages: studies of messages and of events are archived as any other.
func TestRunOfMessages(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, requests, load string }{
		{"messages", "{name: hi, get: /ws, body: \"{{seq}}\", expect: {body: size > 0}}", "{open: {rate: 200, connections: 2}, websocket: true}"},
		{"events without stamps", "{get: /events}", "{closed: {connections: 2}, events: true}"},
		{"events", "{get: /events}", "{closed: {connections: 2}, events: {stamp: \"json:.at\", stamp_clock: unix-ms}}"},
	} {
		r := runnerOf(t, server(t, talks), tt.requests, tt.load)
		id, err := r.Run(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		run, err := r.Store.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		if len(run.Trials) != 1 || run.Trials[0].Status != archive.Complete || len(run.Trials[0].Windows) == 0 {
			t.Fatalf("%s: trials %+v", tt.name, run.Trials)
		}
		w := run.Trials[0].Windows[0].Client
		if w.Completed == 0 || w.Messages.In != w.Completed+w.Drained || w.Errors.Total() != w.Errors.Close {
			t.Errorf("%s: %+v", tt.name, w)
		}
		if c := run.Trials[0].Causes; tt.name == "messages" && (len(c) != 1 || c[0].Name != "1013 try again later") {
			t.Errorf("%s: causes %v", tt.name, c)
		}
	}
}

// TestRunOfMessagesRefusesAWrongSubject before any trial.
func TestRunOfMessagesRefusesAWrongSubject(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ requests, load, why string }{
		{"{get: /}", "{closed: {}, websocket: true}", "status 200 OK"},
		{"{get: /}", "{closed: {}, events: true}", "not text/event-stream"},
	} {
		r := runnerOf(t, server(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/plain") }), tt.requests, tt.load)
		if id, err := r.Run(t.Context()); id != "" || err == nil || !strings.Contains(err.Error(), "subject up") || !strings.Contains(err.Error(), tt.why) {
			t.Errorf("run %q, %v, want %q in it", id, err, tt.why)
		}
	}
	r := runnerOf(t, server(t, talks), "{get: /ws, body: x, expect: {body: == y}}", "{closed: {}, websocket: true}")
	if id, err := r.Run(t.Context()); id != "" || err == nil || !strings.Contains(err.Error(), "body == y") {
		t.Errorf("run %q, %v", id, err)
	}
}
