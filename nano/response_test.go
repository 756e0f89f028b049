package nano_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"html/template"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

func TestAccepts(t *testing.T) {
	for _, tt := range []struct{ accept, want string }{
		{"", "text/html"},
		{"*/*", "text/html"},
		{"application/json", "application/json"},
		{"text/html;q=0.5, application/json", "application/json"},
		{"text/*;q=0.9, application/json;q=0.8", "text/html"},
		{"*/*;q=0.1, text/html;q=0", "application/json"},
		{"TEXT/HTML", "text/html"},
		{"image/png", "none"},
		{"text/html;q=2", "none"},
		{`text/html;level="1,2";q=0.1, */*;q=0.2`, "application/json"},
	} {
		app := nano.New(nano.Config{})
		app.Get("/", func(c nano.Ctx) error {
			best := c.Accepts("text/html", "application/json")
			if best == "" {
				best = "none"
			}
			return c.Text(200, best)
		})
		r := nanotest.New(app).Get("/")
		if tt.accept != "" {
			r.Header("Accept", tt.accept)
		}
		if got := r.Do(); got.Text() != tt.want {
			t.Errorf("%q: got %q, want %q", tt.accept, got.Body, tt.want)
		}
	}
	app := nano.New(nano.Config{})
	app.Get("/", func(c nano.Ctx) error {
		return c.Text(200, c.AcceptsLanguage("en-GB", "de")+" "+c.AcceptsEncoding("gzip"))
	})
	if got := nanotest.New(app).Get("/").Header("Accept-Language", "de;q=0.5, en").Header("Accept-Encoding", "*;q=0.1").Do(); got.Text() != "en-GB gzip" {
		t.Errorf("got %q", got.Body)
	}
}

func TestRedirect(t *testing.T) {
	app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
	app.Get("/to", func(c nano.Ctx) error { return c.Redirect(303, c.Query("u").String()) })
	app.Get("/local", func(c nano.Ctx) error { return c.LocalRedirect(302, c.Query("u").String()) })
	app.Get("/wrong", func(c nano.Ctx) error { return c.Redirect(200, "/") })
	for _, tt := range []struct {
		target, location string
		status           int
	}{
		{"/to?u=/a", "/a", 303},
		{"/to?u=https://example.org/a%3Fb", "https://example.org/a?b", 303},
		{"/to?u=/a%0d%0aX:1", "", 500},
		{"/to?u=", "", 500},
		{"/to?u=/%C3%A9%20x", "/%C3%A9%20x", 303},
		{"/local?u=/a", "/a", 302},
		{"/local?u=//evil.example", "", 400},
		{"/local?u=/%5Cevil.example", "", 400},
		{"/local?u=https://evil.example", "", 400},
		{"/local?u=/%09/evil.example", "", 400},
		{"/wrong", "", 500},
	} {
		if got := nanotest.New(app).Get(tt.target).Do(); got.Status != tt.status || got.Header.Get("Location") != tt.location {
			t.Errorf("%s: %d %q", tt.target, got.Status, got.Header.Get("Location"))
		}
	}
}

func TestPages(t *testing.T) {
	set := template.Must(template.New("hello").Parse(`<p>{{.}}`))
	template.Must(set.New("fails").Parse(`half {{.Missing.Field}}`))
	app := nano.New(nano.Config{Renderer: nano.Templates(set), Logger: slog.New(slog.DiscardHandler)})
	app.Get("/hello", func(c nano.Ctx) error { return c.Render(200, "hello", "<b>") })
	app.Get("/fails", func(c nano.Ctx) error { return c.Render(200, "fails", "x") })
	app.Get("/html", func(c nano.Ctx) error { return c.HTML(200, "<p>") })
	app.Get("/xml", func(c nano.Ctx) error {
		return c.XML(200, struct {
			XMLName xml.Name `xml:"a"`
			B       string   `xml:"b"`
		}{B: "<"})
	})
	for _, tt := range []struct {
		path, kind, body string
		status           int
	}{
		{"/hello", "text/html; charset=utf-8", "<p>&lt;b&gt;", 200},
		{"/fails", "application/problem+json", "", 500},
		{"/html", "text/html; charset=utf-8", "<p>", 200},
		{"/xml", "application/xml; charset=utf-8", xml.Header + "<a><b>&lt;</b></a>", 200},
	} {
		got := nanotest.New(app).Get(tt.path).Do()
		if got.Status != tt.status || got.Header.Get("Content-Type") != tt.kind || tt.body != "" && got.Text() != tt.body {
			t.Errorf("%s: %d %v %s", tt.path, got.Status, got.Header, got.Body)
		}
	}
}

func TestStream(t *testing.T) {
	app := nano.New(nano.Config{Logger: slog.New(slog.DiscardHandler)})
	app.Get("/open", func(c nano.Ctx) error {
		return c.Stream(200, "text/plain", func(s *nano.Stream) error {
			s.WriteString("one,")
			s.Flush()
			s.WriteString("two")
			s.Trailer("X-Sum", "7")
			return nil
		})
	})
	app.Get("/sized", func(c nano.Ctx) error { return c.StreamReader(200, "text/plain", 3, strings.NewReader("abcdef")) })
	app.Get("/short", func(c nano.Ctx) error { return c.StreamReader(200, "text/plain", 3, strings.NewReader("ab")) })
	app.Get("/long", func(c nano.Ctx) error {
		return c.StreamSized(200, "text/plain", 3, func(s *nano.Stream) error { _, err := s.WriteString("abcd"); return err })
	})
	app.Get("/fails", func(c nano.Ctx) error {
		return c.Stream(200, "text/plain", func(s *nano.Stream) error { s.WriteString("x"); return errors.New("on purpose") })
	})
	app.Get("/twice", func(c nano.Ctx) error {
		if err := c.Text(200, "x"); err != nil {
			return err
		}
		if err := c.Stream(200, "", nil); !errors.Is(err, nano.ErrResponded) {
			t.Errorf("a second response: %v", err)
		}
		return nil
	})
	for _, tt := range []struct {
		method, path, body, trailer string
		cut                         bool
	}{
		{"GET", "/open", "one,two", "7", false},
		{"HEAD", "/open", "", "", false},
		{"GET", "/sized", "abc", "", false},
		{"GET", "/short", "ab", "", true},
		{"GET", "/long", "abc", "", true},
		{"GET", "/fails", "x", "", true},
		{"GET", "/twice", "x", "", false},
	} {
		got := nanotest.New(app).Request(tt.method, tt.path).Do()
		if got.Status != 200 || got.Text() != tt.body || got.Trailer.Get("X-Sum") != tt.trailer || (got.Cut != nil) != tt.cut {
			t.Errorf("%s %s: %d %q %v %v", tt.method, tt.path, got.Status, got.Body, got.Trailer, got.Cut)
		}
	}
}

func TestSSE(t *testing.T) {
	app := nano.New(nano.Config{})
	gone := make(chan error, 1)
	app.Get("/few", func(c nano.Ctx) error {
		return c.SSE(func(e *nano.Events) error {
			if err := e.Send(nano.Event{ID: "bad\n", Data: "x"}); err == nil {
				t.Error("an id with a line break was sent")
			}
			e.Comment("hi\nthere")
			e.Data("after " + e.LastID)
			return e.Send(nano.Event{ID: "2", Name: "news", Data: "a\r\nb\rc\n", Retry: 3 * time.Second})
		})
	})
	app.Get("/forever", func(c nano.Ctx) error {
		return c.SSE(func(e *nano.Events) error {
			e.Heartbeat(5 * time.Millisecond)
			events := make(chan nano.Event, 1)
			events <- nano.Event{Data: "first"}
			err := e.From(events)
			gone <- err
			return err
		})
	})
	got := nanotest.New(app).Get("/few").Header("Last-Event-ID", "1").Do()
	const want = ": hi\n: there\n\ndata: after 1\n\nevent: news\nid: 2\nretry: 3000\ndata: a\ndata: b\ndata: c\ndata: \n\n"
	if got.Text() != want || got.Header.Get("Content-Type") != "text/event-stream" || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %q %v", got.Body, got.Header)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	resp, err := nanotest.New(app).Get("/forever").Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	next := func() string {
		if !lines.Scan() {
			t.Fatalf("the events end: %v", lines.Err())
		}
		return lines.Text()
	}
	line := next()
	for line == ": " || line == "" { // a busy machine may find a heartbeat due before the event
		line = next()
	}
	for i, want := range []string{"data: first", "", ": ", "", ": ", ""} {
		if i > 0 {
			line = next()
		}
		if line != want {
			t.Fatalf("got %q, want %q", line, want)
		}
	}
	cancel()
	go io.Copy(io.Discard, resp.Body)
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

// TestSSEOverSockets: the handler ends when its client goes away, and when the app
// shuts down.
func TestSSEOverSockets(t *testing.T) {
	ended := make(chan error, 2)
	at, app := serve(t, nano.Config{Loops: 1}, func(app *nano.App) {
		app.Get("/events", func(c nano.Ctx) error {
			err := c.SSE(func(e *nano.Events) error { return e.From(nil) })
			ended <- err
			return err
		})
	})
	open := func() *client {
		c := dial(t, at)
		c.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
		line, err := c.r.ReadBytes('\n')
		if err != nil || !bytes.HasPrefix(line, []byte("HTTP/1.1 200")) {
			t.Fatalf("%q %v", line, err)
		}
		return c
	}
	open().Close()
	if err := <-ended; !errors.Is(err, nano.ErrAborted) || !errors.Is(err, nano.ErrClientGone) {
		t.Errorf("client gone: %v", err)
	}
	open()
	stopped := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		stopped <- app.Shutdown(ctx)
	}()
	if err := <-ended; err != nil {
		t.Errorf("shut down: %v", err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// A field that the handler has set empty is set.
func TestEmptyContentType(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Get("/", func(c nano.Ctx) error {
		c.SetHeader("Content-Type", "")
		return c.Text(200, "x")
	})
	got := nanotest.New(app).Get("/").Do()
	if types := got.Header["Content-Type"]; len(types) != 1 || types[0] != "" {
		t.Errorf("Content-Type %q", types)
	}
}
