package capacity

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/load/request"
)

// TestSlowServiceIsSounded: one that takes longer than the sounding is known to be
// slow when it is idle, or it could never be seen to have calmed down.
func TestSlowServiceIsSounded(t *testing.T) {
	const takes = soundingTime + 50*time.Millisecond
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(takes)
		io.WriteString(w, "ok")
	}))
	defer service.Close()
	g := &Generator{SettleTime: time.Second, Spec: load.Spec{
		Target: service.URL, Requests: []request.Request{{Method: "GET", Path: "/"}}, Profile: profile.Profile{Connections: 2}, Seed: 1,
	}}
	for tries := 0; g.idle == 0 && tries < 20; tries++ { // again if this machine stood still
		if err := g.sound(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if g.idle < takes*99/100 {
		t.Fatalf("a response takes %v, and was said to take %v", takes, g.idle)
	}
	if c, err := g.Ceiling(t.Context()); err != nil || c.Rate <= 0 && c.Why.String() == "no response was as expected" {
		t.Errorf("ceiling %+v, error %v", c, err)
	}
}

// TestSettlingGivesUpInTime: one request that hangs must not hold the search up
// for longer than it was to wait.
func TestSettlingGivesUpInTime(t *testing.T) {
	release := make(chan struct{})
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer service.Close()
	defer close(release)
	g := &Generator{SettleTime: 300 * time.Millisecond, idle: time.Millisecond, Spec: load.Spec{
		Target: service.URL, Requests: []request.Request{{Method: "GET", Path: "/"}}, Profile: profile.Profile{Connections: 2}, Seed: 1, Timeout: time.Hour,
	}}
	if took, err := g.Settle(t.Context()); err != nil || took < g.SettleTime {
		t.Errorf("settled after %v, error %v", took, err)
	}
}
