package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// queue is a service that takes exactly so many requests a second, one after
// the other: each is due when the one before it is done and its own share of a
// second has passed. Late wake-ups don't add up.
type queue struct {
	mu   sync.Mutex
	each time.Duration
	free time.Time // when the last request that was accepted is done
}

func (q *queue) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	q.mu.Lock()
	now := time.Now()
	if q.free.Before(now) {
		q.free = now
	}
	q.free = q.free.Add(q.each)
	wait := q.free.Sub(now)
	q.mu.Unlock()
	time.Sleep(wait)
	io.WriteString(w, "ok")
}

// serveQueue starts a service with a capacity in requests per second.
func serveQueue(t *testing.T, capacity float64) string {
	t.Helper()
	s := httptest.NewServer(&queue{each: time.Duration(1e9 / capacity)})
	t.Cleanup(s.Close)
	return s.URL
}

// capacityResult is what the tests read of dyno capacity --json.
type capacityResult struct {
	Found bool   `json:"found"`
	Why   string `json:"why"` // nothing was found
	Holds *struct {
		Rate float64 `json:"rate"`
	} `json:"holds"`
	Fails *struct {
		Rate float64 `json:"rate"`
	} `json:"fails"`
	Limit *struct {
		Why string `json:"why"`
	} `json:"limited_by_generator"`
	Broke []struct {
		Condition string `json:"condition"`
	} `json:"broke"`
	Loads []struct {
		Rate   float64 `json:"rate"`
		Trials []any   `json:"trials"`
	} `json:"loads"`
}

// What a service that takes 300 requests a second is said to hold must not be
// far above that: half as much again fills its queue with more than the objective
// allows within any trial. How far below depends on the machine.
func TestCapacityFindsABracket(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	var r capacityResult
	disturbed := false
	o := until(func() outcome {
		return dyno(t, home, "capacity", serveQueue(t, 300), "--objective", "p90 < 60ms, errors < 1%", "--trial", "700ms", "--initial-trial", "300ms",
			"--precision", "20%", "--warmup", "100ms", "--no-calibration", "--max-time", "30s", "--json", "--html", "c.html", "-o", "c.json")
	}, func(o outcome) bool { // a machine that others keep busy may disturb every trial at a rate, or be too slow for any
		r = capacityResult{}
		if err := json.Unmarshal([]byte(o.stdout), &r); err != nil {
			t.Fatalf("%v\n%s\n%s", err, o.stdout, o.stderr)
		}
		spoiled := strings.Contains(o.stdout, "generator-stalled")
		disturbed = r.Limit != nil || strings.Contains(r.Why, "disturbed") || !r.Found && spoiled && strings.Contains(r.Why, "time was up")
		return o.code == 0 && !disturbed
	})
	if disturbed {
		t.Skip("others keep this machine busy all the time, as dyno says")
	}
	o.want(t, 0, o.stdout)
	if !r.Found || r.Holds == nil || r.Fails == nil || r.Holds.Rate >= r.Fails.Rate || r.Holds.Rate > 450 || len(r.Loads) < 2 {
		t.Errorf("a service with 300 requests/s: %+v\n%s", r, o.stdout)
	}
	if len(r.Broke) == 0 || r.Broke[0].Condition != "p90 < 60ms" {
		t.Errorf("broke: %+v", r.Broke)
	}
	if read(t, filepath.Join(home, "c.json")) != o.stdout {
		t.Error("--out has not what --json prints")
	}
	contains(t, read(t, filepath.Join(home, "c.html")), "<svg", "p90 &lt; 60ms", "the capacity is between")
}

func TestCapacityWhereTheLowestFails(t *testing.T) {
	t.Parallel()
	o := dyno(t, t.TempDir(), "capacity", serveQueue(t, 20), "--objective", "p50 < 1ms", "--trial", "1s", "--initial-trial", "1s", // in a shorter one no request may be due
		"--min-rate", "10", "--start", "10", "--warmup", "0s", "--no-calibration", "--max-time", "2m",
		"--accept", "other-load,steal,cpu-speed,generator-stalled,generator-late,generator-gc")
	o.want(t, 1, o.stderr, "fails", "no bracket", "below 10 requests/s", "it fails even at the lowest rate")
	contains(t, o.stdout, "broke", "p50 < 1ms fails in")
}

func TestCapacityWrongUsage(t *testing.T) {
	t.Parallel()
	url := "http://127.0.0.1:1"
	for _, c := range []struct {
		args []string
		why  string
	}{
		{[]string{"capacity"}, "the URL to load"},
		{[]string{"capacity", url}, "--objective"},
		{[]string{"capacity", url, "--objective", "p99 < 50"}, "the unit is missing"},
		{[]string{"capacity", url, "--objective", "p99 < 50ms", "--precision", "0"}, "precision"},
		{[]string{"capacity", url, "--objective", "p99 < 50ms", "--trials", "0"}, "trials"},
		{[]string{"capacity", url, "--objective", "p99 < 50ms", "--start", "-1"}, "--start"},
		{[]string{"capacity", url, "--objective", "p99 < 50ms", "-c", "0"}, "connections"},
	} {
		o := dyno(t, t.TempDir(), c.args...)
		o.want(t, 2, o.stderr, c.why)
	}
	o := dyno(t, t.TempDir(), "capacity", url, "--objective", "p99 < 50ms", "--no-calibration")
	o.want(t, 1, o.stderr, "connecting to 127.0.0.1:1")
}

func TestCapacityInterrupted(t *testing.T) {
	// Not in parallel: amid other loads every trial may be spoiled, and none holds.
	s := start(t, t.TempDir(), "capacity", serveQueue(t, 300), "--objective", "p50 < 10s", "--trial", "1s", "--initial-trial", "200ms", "--start", "50",
		"--warmup", "0s", "--no-calibration")
	s.comesTo(t, "the first trial", func() bool { return strings.Contains(s.stderr.String(), "holds") })
	s.signal(t, os.Interrupt)
	o := s.wait(t)
	o.want(t, 130, o.stderr, "dyno: interrupted")
	contains(t, o.stdout, "it was interrupted", "requests/s")
}
