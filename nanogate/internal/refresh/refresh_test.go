package refresh

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// What comes from a URL may be late, and the server may go: there is nothing before it is
// there, and it stays.
func TestFromURL(t *testing.T) {
	var good atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !good.Load() {
			http.Error(w, "not yet", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, "value")
	}))
	defer server.Close()
	f := URL(server.URL, 10*time.Millisecond, http.DefaultTransport, func(b []byte) (*string, error) { s := string(b); return &s, nil })
	defer f.Close()
	f.Start()
	until(t, "an error is noted", func() bool { return f.Err() != nil })
	if f.Get() != nil {
		t.Errorf("%q is there", *f.Get())
	}
	good.Store(true)
	until(t, "it is read", func() bool { return f.Get() != nil && *f.Get() == "value" && f.Err() == nil })
	good.Store(false)
	until(t, "an error is noted again", func() bool { return f.Err() != nil })
	if f.Get() == nil {
		t.Error("what was there is gone")
	}
}

// Strangers can't have a URL asked as often as they like.
func TestHurryIsBounded(t *testing.T) {
	f := URL("http://127.0.0.1:1", time.Hour, http.DefaultTransport, func([]byte) (*string, error) { return nil, nil })
	defer f.Close()
	woken := 0
	for range 1000 {
		f.Hurry()
		select {
		case <-f.wake:
			woken++
		default:
		}
	}
	if woken < 5 || woken > 10 { // more only as 10 s pass
		t.Errorf("a thousand made-up keys have it read %d times", woken)
	}
}

// What is asked in the clear, on this machine, doesn't send elsewhere in the clear.
func TestRedirects(t *testing.T) {
	for _, c := range []struct {
		from, to string
		follows  bool
	}{
		{"https://a.example/", "https://b.example/", true},
		{"https://a.example/", "http://b.example/", false},
		{"http://127.0.0.1/", "http://b.example/", false},
		{"http://127.0.0.1/", "http://127.0.0.1/b", false},
		{"http://127.0.0.1/", "https://b.example/", true},
	} {
		before, _ := http.NewRequest("GET", c.from, nil)
		next, _ := http.NewRequest("GET", c.to, nil)
		if err := safely(next, []*http.Request{before}); (err == nil) != c.follows {
			t.Errorf("from %s to %s: %v", c.from, c.to, err)
		}
	}
}

func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 4000 {
		if done() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("never: %s", what)
}
