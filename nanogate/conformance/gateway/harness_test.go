//go:build linux

package gateway_test

import (
	"io"
	"net/http"
	"testing"
	"time"
)

// patience is how long a test waits for what must come. It is never the time that
// anything takes.
const patience = 30 * time.Second

// get asks, and returns the response with its content.
func get(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return &http.Response{}, ""
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp, string(b)
}

// waitFor waits until something is so.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came to %s", what)
		}
	}
}
