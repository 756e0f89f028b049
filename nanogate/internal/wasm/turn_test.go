package wasm

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/request"
	"dyno.example/nanogate/internal/request/requesttest"
	wt "dyno.example/nanogate/internal/wasm/wasmtest"
)

// A request that a guest has let go on is over for it too when nobody takes its decision, as
// the client has gone meanwhile, and only then; one that it has responded to was over before.
func TestMissedTurns(t *testing.T) {
	for name, one := range map[string]struct {
		result int64 // of handle_request
		taken  bool
		calls  uint64 // of handle_response
	}{
		"let go on, and missed": {7<<32 | 1, false, 1},
		"let go on":             {7<<32 | 1, true, 0},
		"responded, and missed": {0, false, 0},
		"responded":             {0, true, 0},
	} {
		file := filepath.Join(t.TempDir(), "plugin.wasm")
		if err := os.WriteFile(file, wt.Guest{Request: wt.I64(one.result)}.Module(), 0o600); err != nil {
			t.Fatal(err)
		}
		rules := config.Plugin{Name: "p", File: file, Time: generous.Time, Memory: generous.Memory, Instances: 1, Body: 100, Queue: config.Queue{Size: 2, Wait: generous.Time}}
		p, err := open(&rules, nil, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		inTurn := func(job func()) { // there is one worker
			t.Helper()
			done := make(chan bool)
			if !p.workers.Do(func() { job(); close(done) }) {
				t.Fatal("there is no room")
			}
			<-done
		}
		r := requesttest.Parse(t, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		later := (&use{p}).onRequest(r).Deferred
		var decide func(*request.Request) *request.Reply
		done := make(chan bool)
		if !later.By(func() { decide = later.Work(t.Context()); close(done) }) {
			t.Fatal("there is no room")
		}
		<-done
		if one.taken {
			if reply := decide(r); (reply == nil) != (one.result != 0) {
				t.Errorf("%s: the reply is %v", name, reply)
			}
		} else {
			later.Missed()
		}
		inTurn(func() {})
		if got := p.Counts.Responses.Load(); got != one.calls || p.Counts.Requests.Load() != 1 {
			t.Errorf("%s: %d calls of handle_response, wanted %d", name, got, one.calls)
		}
		for _, f := range r.TakeEnds() {
			f(&request.Outcome{Status: 200})
		}
		inTurn(func() {})
		if got, want := p.Counts.Responses.Load(), uint64(one.result&1); got != want {
			t.Errorf("%s: %d calls of handle_response when all is over, wanted %d", name, got, want)
		}
	}
}
