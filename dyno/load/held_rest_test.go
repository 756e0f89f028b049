package load

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/dyno/load/profile"
	"dyno.example/nano/wire/clock"
)

// startled is a server whose requests cost three times as much for a while after a rest.
type startled struct {
	rested            atomic.Bool
	calm              atomic.Int64 // CLOCK_MONOTONIC from when on they cost what they do
	spent, early, all atomic.Int64
}

// What a request costs, and for how long after a rest it costs more.
const (
	startledEach  = 1000
	startledExtra = 2000
	startledFor   = 15 * time.Millisecond
)

func (s *startled) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	now := clock.Now()
	if s.rested.CompareAndSwap(true, false) {
		s.calm.Store(now + int64(startledFor))
	}
	cost := int64(startledEach)
	if s.all.Add(1); now < s.calm.Load() {
		s.early.Add(1)
		cost += startledExtra
	}
	s.spent.Add(cost)
	io.WriteString(w, "ok")
}

// What a server does for longer after a rest is in no slice that settles as long as those of studies
// do, and in one that doesn't.
func TestWhatARestCostsIsInNoSlice(t *testing.T) {
	eachLoop(t, func(t *testing.T, engine string) {
		server := &startled{}
		at := httptest.NewServer(server)
		t.Cleanup(at.Close)
		const users = 4
		s := spec(at.URL, profile.Profile{Mode: profile.Closed, Connections: users})
		s.Engine = engine
		h, err := Hold(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		early := int64(0)
		for round := range 12 {
			settles := round%2 == 0
			settle := time.Duration(0)
			if settles {
				settle = 20 * time.Millisecond
			}
			server.rested.Store(true)
			server.early.Store(0)
			turn, err := h.Slice(t.Context(), Cut{Settle: settle, Length: 60 * time.Millisecond, First: 20 * time.Millisecond}, 1, func() time.Duration { return time.Duration(server.spent.Load()) })
			if err != nil {
				t.Fatal(err)
			}
			if late := settles && server.calm.Load() > turn.Start; late || turn.Void || turn.Requests < 2*fewOver {
				continue // a busy machine has held up the server's first requests, or the loop
			}
			want := int64(turn.Requests) * startledEach
			if !settles {
				early += server.early.Load()
				want += server.early.Load() * startledExtra
			}
			if off, under := int64(turn.Used)-want, int64(users*(startledEach+startledExtra)*3/2); max(off, -off) > under {
				t.Errorf("round %d, after %v: %d requests used %d, want %d", round, settle, turn.Requests, turn.Used, want)
			}
		}
		if early == 0 {
			t.Skip("the loop was stopped in every slice that doesn't settle")
		}
	})
}
