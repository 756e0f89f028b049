package load

import (
	"sync"
	"testing"
	"time"

	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// A slice counts what completes between its ends, and has what was read there: with a known
// cost of each request these agree but for those under way at either end. What it was loaded
// with before, and what drains, is in neither, nor in the window.
func TestASliceCountsBetweenItsEdges(t *testing.T) {
	eachLoop(t, func(t *testing.T, engine string) {
		for _, c := range []struct {
			name           string
			link           request.Link
			slow, settle   time.Duration
			users, threads int
		}{
			{"closed", request.Link{}, 0, 10 * time.Millisecond, 4, 1},
			{"slow responses", request.Link{}, 7 * time.Millisecond, 10 * time.Millisecond, 4, 1},
			{"without settling", request.Link{}, 0, 0, 4, 1},
			{"two loops", request.Link{}, 0, 10 * time.Millisecond, 6, 2},
			{"HTTP/2", request.Link{Streams: 3}, time.Millisecond, 10 * time.Millisecond, 2, 1},
		} {
			t.Run(c.name, func(t *testing.T) { sliceCounts(t, engine, c.link, c.slow, c.settle, c.users, c.threads) })
		}
	})
}

func sliceCounts(t *testing.T, engine string, link request.Link, slow, settle time.Duration, users, threads int) {
	const each, length = 1000, 60 * time.Millisecond
	server := costly{slow: slow}
	server.each.Store(each)
	s := spec(server.start(t), profile.Profile{Mode: profile.Closed, Connections: users})
	s.Engine, s.Link, s.Threads = engine, link, threads
	h, err := Hold(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var mu sync.Mutex
	var reads []int64
	read := func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		reads = append(reads, server.spent.Load())
		return time.Duration(reads[len(reads)-1])
	}
	counted, outside, taken := uint64(0), uint64(0), 0
	for round := range 8 {
		reads = reads[:0]
		before := server.served.Load()
		turn, err := h.Slice(t.Context(), Cut{Settle: settle, Length: length}, uint64(round), read)
		if err != nil {
			t.Fatal(err)
		}
		if turn.Void { // a busy machine has stopped the loop
			continue
		}
		if served := uint64(server.served.Load() - before); turn.All != served || turn.Requests > turn.All || turn.Failed > 0 {
			t.Errorf("round %d: %+v, %d were served", round, turn, served)
		}
		if turn.Length != length || len(reads) < 2*threads {
			t.Fatalf("round %d: %v long, %d readings", round, turn.Length, len(reads))
		}
		// A reading has the requests that are over and may have some that are under way, of which there
		// are more than usual by as much as the slice is shared out.
		under := int64(users*max(link.Streams, 1)) * each * 3 / 2
		if threads > 1 { // which don't read at one instant, on a busy machine by milliseconds; their sum would be twice as much
			under += int64(turn.Requests) * each / 2
		}
		if off := int64(turn.Used) - int64(turn.Requests)*each; max(off, -off) > under {
			t.Errorf("round %d: %d requests used %d, %d may be under way", round, turn.Requests, turn.Used, under/each)
		}
		counted, outside, taken = counted+turn.Requests, outside+turn.All-turn.Requests, taken+1
	}
	if taken == 0 {
		t.Skip("the loop was stopped in every slice")
	}
	if outside == 0 {
		t.Error("nothing settled or drained outside of the slices")
	}
	w := h.Window()
	if w.Completed != counted || w.Drained != 0 || w.Sent < w.Completed || w.Length != time.Duration(taken)*length {
		t.Errorf("the window has %d responses, %d drained, of %d requests in %v; the slices had %d", w.Completed, w.Drained, w.Sent, w.Length, counted)
	}
	if n := w.Hist[measure.Response].TotalCount(); n != int64(counted) {
		t.Errorf("%d response times of %d responses", n, counted)
	}
}
