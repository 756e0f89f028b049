package middleware_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/middleware"
)

// TestClientsCantOpenTheBreaker: whatever clients do on purpose, the breaker stays
// closed for all others.
func TestClientsCantOpenTheBreaker(t *testing.T) {
	waiting := make(chan struct{}, 100)
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		waiting <- struct{}{}
		<-r.Context().Done()
	}))
	defer backend.Close()
	target, _ := url.Parse(backend.URL)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	ask := func(c nano.Ctx) error {
		r, err := http.NewRequest("GET", backend.URL, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(r.WithContext(c.Context()))
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	handlers := map[string]nano.Handler{
		"the error as it is": ask,
		"wrapped":            func(c nano.Ctx) error { return fmt.Errorf("asking: %w", ask(c)) },
		"a Problem":          func(c nano.Ctx) error { return nano.NewProblem(502, "").Because(ask(c)) },
		"a Problem that forgets why": func(c nano.Ctx) error {
			if ask(c) != nil {
				return nano.NewProblem(502, "")
			}
			return nil
		},
		"a proxy":          nano.FromHTTP(proxy),
		"a body cut short": func(c nano.Ctx) error { _, err := c.Body(); return err },
		"a body that is too slow for a deadline": middleware.Timeout(middleware.TimeoutConfig{After: 5 * time.Millisecond})(func(c nano.Ctx) error {
			if _, err := c.Body(); err != nil {
				return err
			}
			return c.Context().Err()
		}),
		"or for a hard one": middleware.Timeout(middleware.TimeoutConfig{After: time.Second, Hard: true})(func(c nano.Ctx) error { return c.Context().Err() }),
	}
	for name, h := range handlers {
		outcomes := make(chan nano.Outcome, 100)
		opened := make(chan middleware.BreakerState, 10)
		app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler), Limits: nano.Limits{BufferBody: 1}, H2C: true})
		app.Use(func(next nano.Handler) nano.Handler {
			return func(c nano.Ctx) error {
				c.AfterResponse(func(_ nano.Ctx, o nano.Outcome) { outcomes <- o })
				return next(c)
			}
		}, middleware.Breaker(middleware.BreakerConfig{Min: 5, Changed: func(_ nano.Ctx, _, to middleware.BreakerState) { opened <- to }}))
		app.Any("/x", h)
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go app.Serve(ln)
		std := httptest.NewServer(app)
		short, slow := name == "a body cut short", name == "a body that is too slow for a deadline" || name == "or for a hard one"
		for i := range 18 {
			at := ln.Addr().String()
			switch i % 3 {
			case 1:
				at = std.Listener.Addr().String()
			case 2:
				leaveHTTP2(t, "http://"+at+"/x", short, slow, waiting)
				<-outcomes
				continue
			}
			conn, err := net.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case short:
				io.WriteString(conn, "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nabc")
			case slow:
				io.WriteString(conn, "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nabc")
				time.Sleep(20 * time.Millisecond)
				io.WriteString(conn, "d")
				io.ReadFull(conn, make([]byte, 12))
			default:
				io.WriteString(conn, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
				<-waiting
			}
			conn.Close()
			<-outcomes
		}
		select {
		case s := <-opened:
			t.Errorf("%s: the breaker is %v", name, s)
		default:
		}
		std.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		if err := app.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		cancel()
	}
}

// leaveHTTP2 sends a request over HTTP/2 and resets its stream: when the handler waits,
// or in the middle of a body that is cut short. A slow body it sends to the end, late.
func leaveHTTP2(t *testing.T, url string, short, slow bool, waiting <-chan struct{}) {
	t.Helper()
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: &protocols}
	defer transport.CloseIdleConnections()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var r *http.Request
	if short || slow {
		body, w := io.Pipe()
		r, _ = http.NewRequestWithContext(ctx, "POST", url, body)
		r.ContentLength = 4
		go func() {
			io.WriteString(w, "abc")
			time.Sleep(20 * time.Millisecond)
			if short {
				cancel()
			}
			io.WriteString(w, "d")
			w.Close()
		}()
	} else {
		r, _ = http.NewRequestWithContext(ctx, "GET", url, nil)
		go func() { <-waiting; cancel() }()
	}
	resp, err := (&http.Client{Transport: transport}).Do(r)
	if err == nil {
		resp.Body.Close()
	}
	if (err == nil) != slow {
		t.Errorf("%v, a slow body: %v", err, slow)
	}
}
