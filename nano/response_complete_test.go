package nano_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

// TestFailureAfterACompleteResponse: what a handler does wrong after its response is
// logged. The client has the response, however the app is served: behind net/http it isn't
// thrown away, and a test with a recorder doesn't panic. One that isn't complete is cut.
func TestFailureAfterACompleteResponse(t *testing.T) {
	log := new(lockedText)
	app := nano.New(nano.Config{Logger: slog.New(slog.NewTextHandler(log, nil))})
	large := strings.Repeat("x", 100_000)
	for path, h := range map[string]nano.Handler{
		"/twice": func(c nano.Ctx) error { return errors.Join(c.Text(200, "one"), c.Text(200, "two")) },
		"/error": func(c nano.Ctx) error { _ = c.Text(200, "one"); return errors.New("too late") },
		"/panic": func(c nano.Ctx) error { _ = c.Text(200, "one"); panic("too late") },
		"/large": func(c nano.Ctx) error { _ = c.Text(200, large); return errors.New("too late") },
		"/empty": func(c nano.Ctx) error { _ = c.NoContent(204); return errors.New("too late") },
		"/begun": func(c nano.Ctx) error {
			return c.Stream(200, "text/plain", func(s *nano.Stream) error {
				_, _ = s.WriteString("begun")
				return errors.New("too late")
			})
		},
		"/abort": func(c nano.Ctx) error { _ = c.Text(200, "one"); return nano.ErrAborted },
	} {
		app.Get(path, h)
	}
	server := httptest.NewServer(app)
	tests := []struct {
		path   string
		status int
		body   string
		cut    bool
	}{
		{"/twice", 200, "one", false}, {"/error", 200, "one", false}, {"/panic", 200, "one", false}, {"/large", 200, large, false}, {"/empty", 204, "", false},
		{"/begun", 200, "begun", true}, {"/abort", 0, "", true},
	}
	for _, tt := range tests {
		status, body, cut := fetched(server.URL + tt.path)
		if cut != tt.cut || !cut && (status != tt.status || body != tt.body) {
			t.Errorf("%s through net/http: %d, %d bytes, cut %v", tt.path, status, len(body), cut)
		}
		rec := httptest.NewRecorder()
		p := panicked(func() { app.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, tt.path, nil)) })
		if (p != nil) != tt.cut || !tt.cut && (rec.Code != tt.status || rec.Body.String() != tt.body) {
			t.Errorf("%s in a recorder: %d, %d bytes, panic %v", tt.path, rec.Code, rec.Body.Len(), p)
		}
		if got := nanotest.New(app).Get(tt.path).Do(); !tt.cut && (got.Status != tt.status || got.Text() != tt.body) {
			t.Errorf("%s on nano's own wire: %d, %d bytes", tt.path, got.Status, len(got.Body))
		}
	}
	server.Close() // waits for what its handlers log
	for _, tt := range tests {
		if n := strings.Count(log.String(), "GET "+tt.path); tt.path != "/abort" && n < 3 {
			t.Errorf("%s: %d lines of the log, want one a request:\n%s", tt.path, n, log.String())
		}
	}
}

// lockedText is a text that several goroutines write.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// fetched gets a URL. cut: its response wasn't complete.
func fetched(url string) (status int, body string, cut bool) {
	resp, err := http.Get(url)
	if err != nil {
		return 0, "", true
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err != nil
}

func panicked(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}
