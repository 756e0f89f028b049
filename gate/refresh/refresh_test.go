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
