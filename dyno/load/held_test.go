package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// costly responds to each request at a known cost, and counts its connections.
type costly struct {
	each, spent, served, connections atomic.Int64
	slow                             time.Duration // in which it responds
}

func (c *costly) start(t *testing.T) string {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(c.slow)
		c.spent.Add(c.each.Load())
		c.served.Add(1)
		io.WriteString(w, "ok")
	}))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			c.connections.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// Two servers take turns. What one has spent from the beginning of its turn to the end is
// the known cost of the requests that are counted, to the last one, and nothing else: none is
// under way at either end, over HTTP/1.1 and HTTP/2, of closed loops and schedules. All of
// it goes over the connections of the beginning.
func TestTurnsCountWhatTheyCost(t *testing.T) {
	eachLoop(t, func(t *testing.T, engine string) {
		for _, c := range []struct {
			name    string
			profile profile.Profile
			link    request.Link
			slow    time.Duration
			threads int
		}{
			{"closed", profile.Profile{Mode: profile.Closed, Connections: 4}, request.Link{}, 0, 1},
			{"slow responses", profile.Profile{Mode: profile.Closed, Connections: 4}, request.Link{}, 15 * time.Millisecond, 1},
			{"two loops", profile.Profile{Mode: profile.Closed, Connections: 5}, request.Link{}, 0, 2},
			{"HTTP/2", profile.Profile{Mode: profile.Closed, Connections: 2}, request.Link{Streams: 3}, time.Millisecond, 1},
			{"open", profile.Profile{Mode: profile.Open, Connections: 4, Rate: 800, Arrivals: profile.Poisson}, request.Link{}, 2 * time.Millisecond, 1},
		} {
			t.Run(c.name, func(t *testing.T) {
				var arms [2]costly
				var held [2]*Held
				for i := range arms {
					arms[i].each.Store(int64(100 + 5*i))
					arms[i].slow = c.slow
					s := spec(arms[i].start(t), c.profile)
					s.Engine, s.Link, s.Threads = engine, c.link, c.threads
					var err error
					if held[i], err = Hold(t.Context(), s); err != nil {
						t.Fatal(err)
					}
					defer held[i].Close()
				}
				connected := int64(c.profile.Connections)
				for arms[0].connections.Load() < connected { // the server may not have accepted all yet
					time.Sleep(time.Millisecond)
				}
				sums, turns := [2]uint64{}, [2]time.Duration{}
				for round := range 6 {
					for _, i := range []int{round % 2, (round + 1) % 2} {
						before, other := arms[i].spent.Load(), arms[1-i].served.Load()
						turn, err := held[i].Turn(t.Context(), 40*time.Millisecond, uint64(round), round > 0)
						if err != nil {
							t.Fatal(err)
						}
						if got, want := arms[i].spent.Load()-before, int64(turn.Requests)*arms[i].each.Load(); got != want || turn.Requests == 0 && !turn.Void || turn.Failed > 0 {
							t.Errorf("round %d, arm %d: %d requests (%d failed) that cost %d, not %d", round, i, turn.Requests, turn.Failed, got, want)
						}
						if n := arms[1-i].served.Load() - other; n > 0 {
							t.Errorf("round %d: %d requests to the one whose turn it isn't", round, n)
						}
						if turn.Length < 40*time.Millisecond {
							t.Errorf("a turn of %v", turn.Length)
						}
						if round > 0 && !turn.Void { // a busy machine may stop the loop
							sums[i] += turn.Requests
							turns[i]++
						}
					}
				}
				if n := arms[0].connections.Load(); n != connected {
					t.Errorf("%d connections after %d", n, connected)
				}
				for i := range held {
					if turns[i] == 0 {
						continue
					}
					w := held[i].Window()
					if got := w.Completed + w.Drained; got != sums[i] || w.Length != turns[i]*40*time.Millisecond {
						t.Errorf("the window has %d responses in %v, the turns had %d", got, w.Length, sums[i])
					}
					if n := w.Hist[measure.Response].TotalCount(); n != int64(sums[i]) {
						t.Errorf("%d response times of %d responses", n, sums[i])
					}
					r := held[i].Result()
					if r.Total.Right() != sums[i] || len(r.Windows) != 1 {
						t.Errorf("the result has %d responses in %d windows", r.Total.Right(), len(r.Windows))
					}
					for _, f := range r.Findings {
						if f.Name == "little" {
							t.Errorf("%s: %s", f.Name, f.Detail)
						}
					}
				}
			})
		}
	})
}

// Requests that aren't over when the patience is end the turns: what they cost would be in
// the next one.
func TestATurnThatIsNotOver(t *testing.T) {
	eachLoop(t, func(t *testing.T, engine string) {
		for _, link := range []request.Link{{}, {Streams: 2}} {
			c := costly{slow: 2 * time.Second}
			s := spec(c.start(t), profile.Profile{Mode: profile.Closed, Connections: 2})
			s.Engine, s.Link, s.Drain = engine, link, 20*time.Millisecond
			h, err := Hold(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.Turn(t.Context(), 20*time.Millisecond, 1, true); err == nil || !strings.Contains(err.Error(), "had no response") {
				t.Errorf("%+v: %v", link, err)
			}
			h.Close()
		}
	})
}

// A connection that the server ends while another one has the load is made again.
func TestAConnectionLostBetweenTurns(t *testing.T) {
	eachLoop(t, func(t *testing.T, engine string) {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") }))
		s.Config.IdleTimeout = 30 * time.Millisecond
		var connections atomic.Int64
		s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		}
		s.Start()
		t.Cleanup(s.Close)
		sp := spec(s.URL, profile.Profile{Mode: profile.Closed, Connections: 3})
		sp.Engine = engine
		h, err := Hold(t.Context(), sp)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		for range 3 {
			turn, err := h.Turn(t.Context(), 20*time.Millisecond, 1, true)
			// In a turn in which the loop stood still, or that took longer than a connection may be idle, the
			// server may end one that is about to be used.
			if may := turn.Void || turn.Length >= s.Config.IdleTimeout; err != nil || !may && (turn.Requests == 0 || turn.Failed > 0) {
				t.Fatalf("%+v, %v", turn, err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if n := connections.Load(); n < 2*3 {
			t.Errorf("%d connections, of which the server has ended 3 or more", n)
		}
	})
}

func TestHoldRefuses(t *testing.T) {
	target := server(t, replies(okReply))
	closed := profile.Profile{Mode: profile.Closed, Connections: 1}
	for _, c := range []struct {
		want   string
		change func(*Spec)
	}{
		{"portable", func(s *Spec) { s.Engine = "portable" }},
		{"phases", func(s *Spec) {
			s.Profile = profile.Profile{Mode: profile.Open, Connections: 1, Phases: []profile.Phase{{Rate: 10, Duration: time.Second}}}
		}},
		{"think", func(s *Spec) { s.Profile.Think.Mean = time.Millisecond }},
		{"connections that last", func(s *Spec) { s.Link.Reuse = request.NoReuse }},
		{"connections that last", func(s *Spec) { s.Link.PerConnection = 3 }},
		{"messages", func(s *Spec) { s.Link.WebSocket = &request.WebSocket{} }},
		{"127.0.0.1:1", func(s *Spec) { s.Target = "http://127.0.0.1:1" }},
	} {
		s := spec(target, closed)
		c.change(&s)
		if h, err := Hold(t.Context(), s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.want, err)
			if err == nil {
				h.Close()
			}
		}
	}
	if best := loops(); len(best) == 0 {
		t.Skip("no event loop here")
	}
	h, err := Hold(t.Context(), spec(target, closed))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, d := range []time.Duration{0, MostTurn + 1} {
		if _, err := h.Turn(t.Context(), d, 1, true); err == nil {
			t.Errorf("a turn of %v", d)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := fmt.Errorf("enough")
	cancel(why)
	if _, err := h.Turn(ctx, 10*time.Millisecond, 1, true); !errors.Is(err, why) {
		t.Errorf("interrupted: %v", err)
	}
}
