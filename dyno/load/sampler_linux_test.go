package load

import (
	"context"
	"net"
	"net/http"
	"reflect"
	"sync"
	"testing"
	"time"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
	"dyno.example/nano/wire/clock"
)

// TestSamplesNameConnections: what the generator says of a request fits what the server saw.
func TestSamplesNameConnections(t *testing.T) {
	eachLoop(t, func(t *testing.T, engine string) {
		for _, streams := range []int{0, 4} {
			var mu sync.Mutex
			served := make(map[uint64]int)
			h := func(w http.ResponseWriter, r *http.Request) {
				a, err := net.ResolveTCPAddr("tcp", r.RemoteAddr)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				served[evidence.ConnectionID(a.IP.To4(), uint16(a.Port))]++
				odd := served[evidence.ConnectionID(a.IP.To4(), uint16(a.Port))]%2 == 1
				mu.Unlock()
				w.Header().Add("Server-Timing", `db;dur=1.5, cache;dur=0.25;desc="a, b"`)
				w.Header().Add("Server-Timing", "app;dur=2")
				if odd {
					_, _ = w.Write([]byte("five!"))
					return
				}
				_, _ = w.Write([]byte("fi")) // its head comes before the rest
				w.(http.Flusher).Flush()
				time.Sleep(time.Millisecond)
				_, _ = w.Write([]byte("ve!"))
			}
			var s Spec
			if streams > 0 {
				s = spec(http2Server(t, nil, 100, h), profile.Profile{Mode: profile.Closed, Connections: 3})
				s.Link = request.Link{Streams: streams}
			} else {
				ln, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				server := &http.Server{Handler: http.HandlerFunc(h)}
				go server.Serve(ln)
				t.Cleanup(func() { server.Close() })
				s = spec("http://"+ln.Addr().String(), profile.Profile{Mode: profile.Closed, Connections: 3})
			}
			s.Engine, s.Duration, s.MaxRequests, s.Sampler = engine, 0, 300, evidence.NewSampler()
			s.Sampler.Awake(true)
			s.Sampler.Every(1, 1)
			r, err := Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			drawn := make(map[uint64]int)
			s.Sampler.Fetch(func(x *evidence.Sample) bool {
				drawn[x.Connection]++
				if told := evidence.ParseTimings(x.Timing); !reflect.DeepEqual(told, []evidence.ServerTiming{
					{Name: "db", Took: 1.5e6}, {Name: "cache", Took: 0.25e6, Text: "a, b"}, {Name: "app", Took: 2e6}}) {
					t.Errorf("told %+v: %q", told, x.Timing)
				}
				if x.Shared != (streams > 1) || x.Status != 200 || x.Failed || x.Size != 5 || x.Ordinal < 1 ||
					x.Opened == 0 || x.Intended > x.Sent || x.Sent > x.First || x.First > x.Done || x.Done-x.Intended > int64(time.Minute) {
					t.Errorf("%+v", x)
				}
				return true
			})
			mu.Lock()
			if n, _, _ := s.Sampler.Seen(); n != r.All.Completed+r.All.Drained {
				t.Errorf("%d requests seen, %d completed", n, r.All.Completed)
			}
			for c, n := range drawn {
				if served[c] != n {
					t.Errorf("%d requests are said to have been on connection %x, where the server had %d", n, c, served[c])
				}
			}
			if len(drawn) != 3 {
				t.Errorf("%d connections", len(drawn))
			}
			mu.Unlock()
		}
	})
}

// TestSamplingDoesNotAllocate is as TestSteadyStateDoesNotAllocate, with every request drawn.
func TestSamplingDoesNotAllocate(t *testing.T) {
	s := spec(nullServer(t), profile.Profile{Mode: profile.Closed, Connections: 8})
	s.Sampler = evidence.NewSampler()
	s.Sampler.Awake(true)
	s.Sampler.Every(1, 1)
	doesNotAllocate(t, s)
}

// TestLoopsSayWhenNoRequestIsInReach: those that were due in a window have ended some time while the load
// goes on, and none is drawn that was due before it or after.
func TestLoopsSayWhenNoRequestIsInReach(t *testing.T) {
	eachLoop(t, func(t *testing.T, engine string) {
		for _, p := range []profile.Profile{
			{Mode: profile.Closed, Connections: 4},
			{Mode: profile.Open, Rate: 2000, Arrivals: profile.Poisson, Connections: 2},
		} {
			for window := 20 * time.Millisecond; drawnIn(t, engine, p, window) == 0; window *= 10 { // all CPUs may be others' in one
				if window > time.Minute {
					t.Fatalf("%v: none was drawn in %v", p.Mode, window)
				}
			}
		}
	})
}

// drawnIn is how many requests are drawn in a window of a load, which ends when the loops say
// that all of them have.
func drawnIn(t *testing.T, engine string, p profile.Profile, window time.Duration) (drawn int) {
	s := spec(nullServer(t), p)
	s.Engine, s.Duration, s.Sampler = engine, window+10*time.Minute, evidence.NewSampler()
	s.Sampler.Awake(true)
	s.Sampler.Every(1, 1)
	s.Sampler.Only(0, 1) // none
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var from, to int64
	s.OnStart = func(int64) {
		from = clock.Now() + int64(20*time.Millisecond)
		to = from + int64(window)
		s.Sampler.Only(from, to)
		go func() {
			defer end()
			for !s.Sampler.Settled() && ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			if now := clock.Now(); ctx.Err() == nil && now < to {
				t.Errorf("all have ended %d ns before the last is due", to-now)
			}
		}()
	}
	if _, err := Run(ctx, s); err != nil {
		t.Fatal(err)
	}
	if ctx.Err() == nil {
		t.Errorf("%v: requests of a window never ended", p.Mode)
	}
	s.Sampler.Fetch(func(x *evidence.Sample) bool {
		drawn++
		if x.Intended < from || x.Intended >= to {
			t.Errorf("a request was drawn that was due at %d, and not from %d to %d", x.Intended, from, to)
		}
		return true
	})
	return drawn
}
