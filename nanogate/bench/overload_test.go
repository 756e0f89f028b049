//go:build linux

package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestFigures(t *testing.T) {
	second := time.Second
	f := figures([]reply{
		{0, time.Minute, 200}, // before
		{1 * second, 50 * time.Millisecond, 200},
		{2 * second, 300 * time.Millisecond, 200}, // too late
		{3 * second, time.Millisecond, 503},
		{4 * second, time.Second, 504},
		{5 * second, 300 * time.Millisecond, 200}, // after
		{5*second + 500*time.Millisecond, 0, 503},
		{6 * second, 50 * time.Millisecond, 200},
	}, second, 5*second)
	for name, want := range map[string]float64{
		"requests": 4, "goodput_share": 1 / 4.0 / serviceCapacity, "refused_share": 0.25, "failed_share": 0.25,
		"recovery_ms": 500, "p50_us": 300_000, "p99_us": 300_000,
	} {
		if f[name] != want {
			t.Errorf("%s is %v, want %v", name, f[name], want)
		}
	}
}

// The load is as large as it should be, whatever becomes of it.
func TestOffer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }))
	defer s.Close()
	all := offer(context.Background(), s.URL, func(at time.Duration) float64 { return 2000 }, 200*time.Millisecond, 1)
	if len(all) < 300 || len(all) > 500 {
		t.Errorf("%d requests, want about 400", len(all))
	}
	for _, r := range all {
		if r.status != 503 || r.took < 0 || r.at > 200*time.Millisecond {
			t.Fatalf("%+v", r)
		}
	}
}
