package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestParseSpin(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Duration
		ok   bool
	}{
		{"", 0, true}, {"600ns", 600, true}, {"1s", time.Second, true},
		{"0s", 0, false}, {"-1us", 0, false}, {"2s", 0, false}, {"600", 0, false}, {"fast", 0, false},
	} {
		if got, err := parseSpin(c.text); got != c.want || (err == nil) != c.ok {
			t.Errorf("%q: %v, %v", c.text, got, err)
		}
	}
}

func TestSpinningTakesItsTimeAndResponds(t *testing.T) {
	const each = 2 * time.Millisecond
	recorder := httptest.NewRecorder()
	began := time.Now()
	spinning(routes(), each).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/plaintext", nil))
	if took := time.Since(began); took < each {
		t.Errorf("took %v", took)
	}
	if recorder.Code != http.StatusOK || recorder.Body.String() != "Hello, World!" {
		t.Errorf("%d %q", recorder.Code, recorder.Body)
	}
}
