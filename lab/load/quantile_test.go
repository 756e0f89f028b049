package load

import (
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
		{"a reset took no time", func(w *Window) { w.Errors.Reset = 10 }, Response, 99, 99, true},
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
