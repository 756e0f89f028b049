package gateway

import (
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
)

// as is an environment.
func as(pairs ...string) func(string) string {
	env := map[string]string{"UPSTREAM": "127.0.0.1:1"}
	for i := 0; i < len(pairs); i += 2 {
		env[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return env[name] }
}

func TestSettings(t *testing.T) {
	s, err := SettingsOf(as("GATEWAY_TIMEOUT", "150ms", "GATEWAY_METRICS", "on", "GATEWAY_SHED", "10"))
	if err != nil || s.Timeout != 150*time.Millisecond || !s.Metrics || s.Leak || s.Shed != 10 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := SettingsOf(func(string) string { return "" }); err == nil {
		t.Error("it has no upstream, and starts")
	}
	for _, name := range []string{"GATEWAY_TIMEOUT", "GATEWAY_METRICS", "GATEWAY_SHED", "GATEWAY_RESOLVER", "GATEWAY_LIMIT", "GATEWAY_OPEN_FILES"} {
		if _, err := SettingsOf(as(name, "maybe")); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=maybe: %v", name, err)
		}
	}
}

// upstream responds with a status, and counts.
func upstream(t *testing.T, status int, wait time.Duration) (s Settings, asked *int) {
	asked = new(int)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked++
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	s, err := SettingsOf(as("UPSTREAM", server.Listener.Addr().String(), "GATEWAY_BREAKER", "50"))
	if err != nil {
		t.Fatal(err)
	}
	return s, asked
}

func ask(h http.Handler) int {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/x", nil))
	return w.Code
}

// The breaker opens when half of twenty have failed, and nothing reaches the upstream then.
func TestBreaker(t *testing.T) {
	s, asked := upstream(t, 500, 0)
	h := Proxy(&s)
	for i := range breakerLeast {
		if got := ask(h); got != 500 {
			t.Fatalf("request %d: %d", i, got)
		}
	}
	if got := ask(h); got != 503 || *asked != breakerLeast {
		t.Errorf("%d, and %d reached the upstream", got, *asked)
	}
}

func TestTimeout(t *testing.T) {
	s, _ := upstream(t, 200, time.Hour)
	s.Timeout = 10 * time.Millisecond
	a, h := NewAround(&s), Proxy(&s)
	got := ask(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, cancel := a.Bound(r)
		defer cancel()
		h.ServeHTTP(w, r)
	}))
	if got != 504 {
		t.Error(got)
	}
}

func TestShed(t *testing.T) {
	a := NewAround(&Settings{Shed: 1})
	r := httptest.NewRequest("GET", "/", nil)
	leave, ok := a.Admit(r)
	if _, again := a.Admit(r); !ok || again {
		t.Errorf("the first %v, the second during it %v", ok, again)
	}
	leave()
	if _, ok := a.Admit(r); !ok {
		t.Error("there is room, and nobody is let in")
	}
}

func TestLimit(t *testing.T) {
	a := NewAround(&Settings{Limit: 2})
	r := httptest.NewRequest("GET", "/", nil)
	passed := 0
	for range 10 {
		if _, ok := a.Admit(r); ok {
			passed++
		}
	}
	if passed != 2 {
		t.Errorf("%d of 10 passed", passed)
	}
}

func TestLeak(t *testing.T) {
	a := NewAround(&Settings{Leak: true})
	for range 50 {
		a.Audit(httptest.NewRequest("GET", "/", nil))
	}
	stacks := make([]byte, 1<<20) // of all, of which those that other tests began may end meanwhile
	stacks = stacks[:runtime.Stack(stacks, true)]
	if n := bytes.Count(stacks, []byte(".(*Around).Audit in goroutine")); n < 50 {
		t.Errorf("%d goroutines stayed", n)
	}
	close(a.leaked)
}

func TestAuthorize(t *testing.T) {
	r := httptest.NewRequest("GET", "/", nil)
	if Authorize(r) == nil {
		t.Error("nobody passes")
	}
	const head = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJkeW5vIiwiYXVkIjoiZ2F0ZXdheSIsInN1YiI6InU0MiIsImV4cCI6NDEwMjQ0NDgwMH0."
	r.Header.Set("Authorization", "Bearer "+head+"RYwvwzBaCt-WoMXvzz5rpftz3mXfRQwjiOC1ppHUg-I")
	if err := Authorize(r); err != nil {
		t.Error(err)
	}
	r.Header.Set("Authorization", "Bearer "+head+"MIlz3NX6V7mnJf9TN7GFrK-G5Laxb4n-pS-g6V9a0g8")
	if Authorize(r) == nil {
		t.Error("a forged token passes")
	}
}

// Where no name server is on the port of DNS, that is known at once, and it is the one that
// go/upstream would have there.
func TestWhereNamesAreAsked(t *testing.T) {
	if got, want := nameServerOf("17050"), "127.53.66.154:53"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := silent.LocalAddr().String()
	silent.Close()
	if found, err := lookUpOnce(resolverAt(nobody)); err == nil {
		t.Errorf("nobody at %s found %q", nobody, found)
	}
}
