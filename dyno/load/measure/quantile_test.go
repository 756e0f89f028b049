package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// upTo returns a window with the times 1 ms to n ms on every clock.
func upTo(n int) Window {
	w := Window{Completed: uint64(n)}
	for c := range w.Hist {
		w.Hist[c] = NewHistogram()
		for i := 1; i <= n; i++ {
			w.Hist[c].RecordValue(int64(i) * int64(time.Millisecond))
		}
	}
	return w
}

func TestQuantile(t *testing.T) {
	tests := []struct {
		name    string
		give    func(*Window)
		clock   Clock
		percent float64
		ms      float64
		known   bool
	}{
		{"nothing given up", func(*Window) {}, Response, 99, 99, true},
		{"median", func(*Window) {}, Response, 50, 50, true},
		{"all of them", func(*Window) {}, Response, 100, 100, true},
		// 110 requests: the 99th of them is the 90th percentile.
		{"given up count", func(w *Window) { w.Errors.Timeout = 10 }, Response, 90, 99, true},
		{"beyond", func(w *Window) { w.Errors.Timeout = 10 }, Response, 99, 100, false},
		{"shed was not sent", func(w *Window) { w.Shed = 10 }, Service, 99, 99, true},
		{"shed has a response", func(w *Window) { w.Shed = 10 }, Response, 99, 100, false},
		{"shed has a lag", func(w *Window) { w.Shed = 10 }, Lag, 99, 100, false},
		{"time-out of the service", func(w *Window) { w.Errors.Timeout = 10 }, Service, 99, 100, false},
		{"unfinished", func(w *Window) { w.Unfinished = 10 }, FirstByte, 99, 100, false},
		{"no connection in time", func(w *Window) { w.Errors.Connect, w.Unconnected = 12, 10 }, Response, 99, 100, false},
		{"a refused connection", func(w *Window) { w.Errors.Connect = 10 }, Connect, 99, 100, false},
		{"a reset is slower than all", func(w *Window) { w.Errors.Reset = 10 }, Response, 90, 99, true},
		{"among resets", func(w *Window) { w.Errors.Reset = 10 }, Response, 99, 100, false},
		{"a wrong response, however quick", func(w *Window) { w.Errors.Status = 10 }, Service, 90, 99, true},
		{"failures are slower than what was given up", func(w *Window) { w.Errors.GRPC, w.Shed = 10, 100 }, Response, 47.6, 100, true},
		{"an error of no request", func(w *Window) { w.Errors.Connect, w.ErredApart = 10, 10 }, Response, 99, 99, true},
	}
	for _, tt := range tests {
		w := upTo(100)
		tt.give(&w)
		ns, known := w.Quantile(tt.clock, tt.percent)
		if ms := float64(ns) / 1e6; ms < 0.999*tt.ms || ms > 1.001*tt.ms || known != tt.known {
			t.Errorf("%s: p%v of %s is %v ms, %v; want %v, %v", tt.name, tt.percent, tt.clock, ms, known, tt.ms, tt.known)
		}
	}
	if ns, known := new(Window).Quantile(Response, 50); ns != 0 || known {
		t.Errorf("of nothing: %d, %v", ns, known)
	}
}

// Failures are the slowest: what is among them is distinct from what was given up.
func TestAmongFailed(t *testing.T) {
	for _, tt := range []struct {
		give    func(*Window)
		percent float64
		among   bool
	}{
		{func(*Window) {}, 100, false},
		{func(w *Window) { w.Errors.Status = 2 }, 98, false},
		{func(w *Window) { w.Errors.Status = 2 }, 99, true},
		{func(w *Window) { w.Errors.Timeout = 2 }, 99, false},
		{func(w *Window) { w.Shed, w.Errors.Expect = 100, 2 }, 99, false},
		{func(w *Window) { w.Shed, w.Errors.Expect = 100, 2 }, 99.9, true},
	} {
		w := upTo(100)
		w.Completed = 100
		tt.give(&w)
		if got := w.AmongFailed(Response, tt.percent); got != tt.among {
			t.Errorf("p%v of %+v and %d shed among the failures: %v", tt.percent, w.Errors, w.Shed, got)
		}
	}
}

// In runs of before wrong responses were kept apart, they are among the times.
func TestWrongResponsesThatWereTimedCountOnce(t *testing.T) {
	w := upTo(100)
	w.Completed, w.Errors.Status = 90, 10
	if n := w.Judged(Response); n != 100 {
		t.Errorf("100 requests are %d", n)
	}
}

// A percentile takes as many requests as are needed for one to lie beyond it.
func TestNeeds(t *testing.T) {
	for percent, want := range map[float64]uint64{50: 2, 90: 10, 95: 20, 99: 100, 99.9: 1000, 99.99: 10_000, 99.999: 100_000, 33.3: 2, 100: 1} {
		if got := Needs(percent); got != want {
			t.Errorf("p%v takes %d requests, want %d", percent, got, want)
		}
		w := Window{}
		w.Hist[Response] = NewHistogram()
		if w.Tells(Response, percent) {
			t.Errorf("p%v of nothing", percent)
		}
		w.Hist[Response].RecordValues(1000, int64(want-1))
		if want > 1 && w.Tells(Response, percent) {
			t.Errorf("p%v of %d requests", percent, want-1)
		}
		if w.Hist[Response].RecordValue(1000); !w.Tells(Response, percent) {
			t.Errorf("no p%v of %d requests", percent, want)
		}
	}
}

// TestProven: the bound of a quantile is the largest that what is known proves.
func TestProven(t *testing.T) {
	w := upTo(956) // 1 to 956 ms
	w.Errors.Timeout = 40
	w.Waited[Response] = NewHistogram()
	w.Waited[Response].RecordValues(int64(30*time.Second), 40)
	w.Shed = 4
	for _, tt := range []struct {
		percent float64
		want    time.Duration
		known   bool
	}{
		{95.6, 956 * time.Millisecond, true},
		{96, 30 * time.Second, false},
		{99.6, 30 * time.Second, false},
		{100, 30 * time.Second, false}, // nothing is known of those shed
	} {
		ns, known := w.Quantile(Response, tt.percent)
		if got := time.Duration(ns); known != tt.known || got < tt.want-tt.want/1000 || got > tt.want+tt.want/1000 {
			t.Errorf("p%v is %v, %v; want %v, %v", tt.percent, got, known, tt.want, tt.known)
		}
	}
	if got := time.Duration(w.Longest(Response)); got > 30100*time.Millisecond || got < 29900*time.Millisecond {
		t.Errorf("the longest is %v", got)
	}
	none := Window{Unfinished: 2}
	none.Waited[Response] = NewHistogram()
	none.Waited[Response].RecordValue(int64(time.Second))
	none.Waited[Response].RecordValue(int64(3 * time.Second))
	if ns, known := none.Quantile(Response, 50); known || ns < 990*int64(time.Millisecond) || ns > 1001*int64(time.Millisecond) {
		t.Errorf("p50 of two that never came is at least %v, %v", time.Duration(ns), known)
	}
}

// kaplanMeier is the product-limit estimate (Kaplan and Meier 1958) of the smallest
// time that at least a share of the requests does not exceed; 0 if it does not
// reach that far.
func kaplanMeier(times, censored []int64, share float64) int64 {
	slices.Sort(times)
	left := 1.0
	for i := 0; i < len(times); {
		at, deaths := times[i], 0
		risk := len(times) - i
		for _, c := range censored {
			if c >= at {
				risk++
			}
		}
		for ; i < len(times) && times[i] == at; i++ {
			deaths++
		}
		left *= 1 - float64(deaths)/float64(risk)
		if 1-left >= share-1e-9 {
			return at
		}
	}
	return 0
}

// TestQuantileAgainstKaplanMeier: where no request was given up before the quantile,
// it is that of Kaplan and Meier. Else theirs, which takes those that were given up
// to be like the others, lies between the bound that is proven and ours, which
// takes them to be slower: in an overload they are.
func TestQuantileAgainstKaplanMeier(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	agreed := 0
	for range 300 {
		var w Window
		var times, censored []int64
		w.Hist[Response], w.Waited[Response] = NewHistogram(), NewHistogram()
		late := rng.IntN(2) == 0
		for range 50 + rng.IntN(200) {
			at := (1 + rng.Int64N(1000)) * int64(time.Millisecond)
			if rng.IntN(10) == 0 {
				if late {
					at += int64(time.Second)
				}
				censored = append(censored, at)
				w.Waited[Response].RecordValue(at)
				w.Unfinished++
				continue
			}
			times = append(times, at)
			w.Hist[Response].RecordValue(at)
		}
		for _, percent := range []float64{10, 50, 75, 90, 99} {
			ours, known := w.Quantile(Response, percent)
			theirs := kaplanMeier(times, censored, percent/100)
			n := uint64(len(times) + len(censored))
			least := Proven(w.Hist[Response], w.Waited[Response], uint64(math.Ceil(percent/100*float64(n)-1e-6)))
			near := func(a, b int64) bool { return math.Abs(float64(a-b)) <= 0.002*float64(b) }
			switch {
			case !known:
				if theirs != 0 && float64(theirs) < 0.998*float64(ours) {
					t.Fatalf("p%v: at least %v, Kaplan-Meier has %v", percent, ours, theirs)
				}
			case len(censored) == 0 || slices.Min(censored) > ours:
				agreed++
				if !near(ours, theirs) {
					t.Fatalf("p%v: %v, Kaplan-Meier has %v", percent, ours, theirs)
				}
			case float64(theirs) > 1.002*float64(ours) || float64(theirs) < 0.998*float64(least):
				t.Fatalf("p%v: Kaplan-Meier has %v, not between %v and %v", percent, theirs, least, ours)
			}
		}
	}
	if agreed < 300 {
		t.Errorf("compared %d times only", agreed)
	}
}
