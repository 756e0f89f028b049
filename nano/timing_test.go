package nano

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func pass(next Handler) Handler { return func(c Ctx) error { return next(c) } }

func get(app *App, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	return w
}

func TestTimingTellsWhoTookTheTime(t *testing.T) {
	app := New(Config{})
	const nap = 5 * time.Millisecond
	slowIn := func(next Handler) Handler {
		return func(c Ctx) error { time.Sleep(nap); return next(c) }
	}
	slowOut := func(next Handler) Handler {
		return func(c Ctx) error { err := next(c); time.Sleep(nap); return err }
	}
	app.UseNamed("quick", pass)
	app.UseNamed("in", slowIn)
	app.UseNamed("out", slowOut)
	app.Get("/", func(c Ctx) error { time.Sleep(nap); return nil }, Name("slow"))
	get(app, "/")
	if n := app.Timings()[0].Handler.Count; n != 0 {
		t.Errorf("%d requests timed while timing was off", n)
	}
	app.Timing(true)
	from := time.Now()
	for range 3 {
		get(app, "/")
	}
	took := time.Since(from)
	app.Timing(false)
	get(app, "/")
	r := app.Timings()[0]
	if r.Route != "slow" || len(r.Layers) != 3 {
		t.Fatalf("got %+v", r)
	}
	// Each sleep is found in its place, and no time in two places.
	sum := time.Duration(0)
	for _, tt := range []struct {
		what    string
		times   Times
		atLeast time.Duration
	}{
		{"quick in", r.Layers[0].In, 0}, {"quick out", r.Layers[0].Out, 0},
		{"in in", r.Layers[1].In, nap}, {"in out", r.Layers[1].Out, 0},
		{"out in", r.Layers[2].In, 0}, {"out out", r.Layers[2].Out, nap},
		{"handler", r.Handler, nap},
	} {
		if tt.times.Count != 3 || tt.times.Mean < tt.atLeast || tt.times.Quantile(0) < tt.atLeast*15/16 {
			t.Errorf("%s: %d times, mean %v, want 3 of at least %v", tt.what, tt.times.Count, tt.times.Mean, tt.atLeast)
		}
		sum += 3 * tt.times.Mean
	}
	if sum > took {
		t.Errorf("the parts took %v, all of it %v", sum, took)
	}
}

func TestTimingOfOtherWaysThrough(t *testing.T) {
	app := New(Config{})
	stop := func(next Handler) Handler {
		return func(c Ctx) error {
			if string(c.RawQuery()) == "stop" {
				return c.NoContent(204)
			}
			return next(c)
		}
	}
	twice := func(next Handler) Handler {
		return func(c Ctx) error { return errors.Join(next(c), next(c)) }
	}
	app.Use(pass, stop, twice)
	app.Get("/", func(c Ctx) error {
		if string(c.RawQuery()) == "panic" {
			panic(ErrAborted)
		}
		return nil
	})
	app.Timing(true)
	app.Get("/late", func(Ctx) error { return nil })
	get(app, "/?stop")
	get(app, "/")
	get(app, "/?panic")
	get(app, "/")
	get(app, "/late")
	got := counts(app.Timings()[0])
	// The request that panicked came in as far as the handler.
	if want := []uint64{4, 3, 4, 2, 5, 2, 4}; !slices.Equal(got, want) {
		t.Errorf("counts in, out of each, and handler: %d, want %d", got, want)
	}
	if got := counts(app.Timings()[1]); !slices.Equal(got, []uint64{1, 1, 1, 1, 2, 1, 2}) {
		t.Errorf("late route: %d", got)
	}
}

func counts(r RouteTimes) (n []uint64) {
	for _, l := range r.Layers {
		n = append(n, l.In.Count, l.Out.Count)
	}
	return append(n, r.Handler.Count)
}

func TestTimingSwitchedWhileServing(t *testing.T) {
	app := New(Config{})
	app.Use(pass, pass)
	app.Get("/", func(c Ctx) error { return c.NoContent(204) })
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				if w := get(app, "/"); w.Code != 204 {
					t.Errorf("status %d", w.Code)
				}
			}
		})
	}
	for i := range 20 {
		app.Timing(i%2 == 0)
		app.Timings()
	}
	all.Wait()
	app.Timing(true)
	get(app, "/")
	r := app.Timings()[0]
	for _, n := range counts(r) {
		if n != r.Handler.Count || n == 0 {
			t.Errorf("counts differ: %d", counts(r))
		}
	}
}

func TestTimingHandler(t *testing.T) {
	app := New(Config{})
	app.UseNamed("auth", pass)
	app.Get("/x/{id}", func(c Ctx) error { return nil })
	app.Get("/timings", TimingHandler())
	app.Timing(true)
	get(app, "/x/1")
	var all []RouteTimes
	if err := json.Unmarshal(get(app, "/timings").Body.Bytes(), &all); err != nil || len(all) != 2 || all[0].Route != "GET /x/{id}" ||
		all[0].Layers[0].Name != "auth" || all[0].Layers[0].In.Count != 1 || all[0].Layers[0].In.Mean <= 0 {
		t.Errorf("%v: %+v", err, all)
	}
	text := get(app, "/timings?format=text").Body.String()
	if !strings.Contains(text, "GET /x/{id}   auth in") || !strings.Contains(text, "handler") {
		t.Errorf("table:\n%s", text)
	}
}

func TestHistogram(t *testing.T) {
	last := int64(0)
	for i := range histogramBuckets {
		from, to := bucketBounds(i)
		if from != last || to <= from {
			t.Fatalf("bucket %d is %d to %d, after %d", i, from, to, last)
		}
		if bucketOf(from) != i || bucketOf(to-1) != i {
			t.Fatalf("bucket %d: its bounds %d, %d are in %d, %d", i, from, to-1, bucketOf(from), bucketOf(to-1))
		}
		last = to
	}
	if last != 1<<histogramTop || bucketOf(1<<50) != histogramBuckets-1 || bucketOf(-5) != 0 {
		t.Errorf("the last bucket ends at %d", last)
	}
	var h Histogram
	if h.Quantile(0.5) != 0 || h.Mean() != 0 {
		t.Error("an empty histogram has figures")
	}
	for i := int64(1); i <= 1000; i++ {
		h.record(i * 1000)
	}
	for q, want := range map[float64]int64{0: 1000, 0.5: 500_000, 0.9: 900_000, 0.99: 990_000, 1: 1_000_000} {
		if got := int64(h.Quantile(q)); got < want*15/16 || got > want*17/16 {
			t.Errorf("quantile %v is %d, want %d within 1/16", q, got, want)
		}
	}
	if h.Count() != 1000 || h.Mean() != 500_500 {
		t.Errorf("count %d, mean %d", h.Count(), h.Mean())
	}
}

func TestTimedRequestsDoNotAllocate(t *testing.T) {
	app, x := timedApp(5)
	app.Timing(true)
	c := Ctx{x, x.gen.Load()}
	if n := testing.AllocsPerRun(100, func() { _ = app.find(x)(c) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func timedApp(middleware int) (*App, *liveRequest) {
	app := New(Config{})
	for range middleware {
		app.Use(pass)
	}
	app.Get("/x", func(Ctx) error { return nil })
	return app, requestFor(app, "GET", "", "/x")
}

func BenchmarkTiming(b *testing.B) {
	for _, n := range []int{0, 1, 5, 20} {
		for _, on := range []string{"off", "on"} {
			b.Run(strconv.Itoa(n)+"/"+on, func(b *testing.B) {
				app, x := timedApp(n)
				app.Timing(on == "on")
				c := Ctx{x, x.gen.Load()}
				b.ReportAllocs()
				for b.Loop() {
					_ = app.find(x)(c)
				}
			})
		}
	}
}
