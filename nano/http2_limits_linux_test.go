package nano_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
)

// TestHTTP2Limits that concern one request: its stream gets a response, the connection goes on.
func TestHTTP2Limits(t *testing.T) {
	config := nano.Config{Limits: nano.Limits{Body: 1 << 10, BufferBody: 1 << 10, URI: 100, Fields: 10}}
	hurried := config // in which a busy machine may be late with any body
	hurried.Limits.ReadBody = 40 * time.Millisecond
	routes := func(app *nano.App) { app.Post("/echo", echoBody) }
	slow := func() io.ReadCloser { // which the client ends when it is refused
		r, w := io.Pipe()
		go w.Write([]byte("x"))
		return r
	}
	type asked struct {
		name   string
		change func(r *http.Request)
		status int
	}
	responding := func(all ...asked) func(t *testing.T, client *http.Client, url string) {
		return func(t *testing.T, client *http.Client, url string) {
			for _, tt := range all {
				r, _ := http.NewRequest("POST", url+"/echo", nil)
				tt.change(r)
				resp, err := client.Do(r)
				if err != nil {
					t.Errorf("%s: %v", tt.name, err)
					continue
				}
				body, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if resp.StatusCode != tt.status || tt.status >= 400 && !strings.Contains(string(body), `"title"`) {
					t.Errorf("%s: %d %s, want %d", tt.name, resp.StatusCode, body, tt.status)
				}
			}
		}
	}
	overHTTP2(t, hurried, routes, responding(
		asked{"slow", func(r *http.Request) { r.Body, r.ContentLength = slow(), 100 }, 408},
		asked{"slow, read by the handler", func(r *http.Request) { r.Body, r.ContentLength = slow(), -1 }, 408},
		asked{"none", func(r *http.Request) {}, 200},
	))
	overHTTP2(t, config, routes, responding([]asked{
		{"target", func(r *http.Request) { r.URL.RawQuery = strings.Repeat("a", 200) }, 414},
		{"escape", func(r *http.Request) { r.URL.Opaque = "/%zz" }, 400},
		{"fields", func(r *http.Request) {
			for i := range 20 {
				r.Header.Set(fmt.Sprint("X-", i), "v")
			}
		}, 431},
		{"host", func(r *http.Request) { r.Host = "a:b" }, 400},
		{"expectation", func(r *http.Request) { r.Header.Set("Expect", "a miracle") }, 417},
		{"length", func(r *http.Request) {
			r.ContentLength = 2 << 10
			r.Body = io.NopCloser(strings.NewReader(strings.Repeat("x", 2<<10)))
		}, 413},
		{"body", func(r *http.Request) {
			r.ContentLength = -1
			r.Body = io.NopCloser(strings.NewReader(strings.Repeat("x", 2<<10)))
		}, 413},
		{"none", func(r *http.Request) {}, 200},
	}...))
}

// TestHTTP2ResponseNotTaken: a client that opens no window for a response loses its
// stream, and its handler is told.
func TestHTTP2ResponseNotTaken(t *testing.T) {
	ended := make(chan nano.Outcome, 2)
	routes := func(app *nano.App) {
		app.Get("/large", func(c nano.Ctx) error {
			c.AfterResponse(func(_ nano.Ctx, o nano.Outcome) { ended <- o })
			return c.StreamReader(200, "text/plain", 64<<20, zeros{})
		})
	}
	config := nano.Config{Limits: nano.Limits{WriteStall: 50 * time.Millisecond}}
	overHTTP2(t, config, routes, func(t *testing.T, client *http.Client, url string) {
		var resp *http.Response
		for end := time.Now().Add(30 * time.Second); resp == nil; {
			got, err := client.Get(url + "/large")
			if err != nil && time.Now().After(end) { // a client that is busy may lose its connection before it has read the head
				t.Fatal(err)
			}
			select {
			case o := <-ended:
				if resp = got; o.Err == nil && !o.Gone {
					t.Errorf("%+v", o)
				}
			case <-time.After(30 * time.Second):
				t.Fatalf("the handler isn't told: %v", err)
			}
		}
		if _, err := io.Copy(io.Discard, resp.Body); err == nil {
			t.Error("the response is whole")
		}
		resp.Body.Close()
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestHTTP2Shutdown: requests under way end as they should, and idle connections
// don't hold it up.
func TestHTTP2Shutdown(t *testing.T) {
	begun, release := make(chan struct{}, 1), make(chan struct{})
	config := nano.Config{H2C: true}
	at, app, ended := start(t, config, func(app *nano.App) {
		app.Get("/waits", func(c nano.Ctx) error { begun <- struct{}{}; <-release; return c.Text(200, "late") })
	})
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: &protocols}}
	idle := &http.Client{Transport: &http.Transport{Protocols: &protocols}}
	if resp, err := idle.Get("http://" + at); err != nil {
		t.Fatal(err)
	} else {
		resp.Body.Close()
	}
	got := make(chan string, 1)
	go func() {
		resp, err := client.Get("http://" + at + "/waits")
		if err != nil {
			got <- err.Error()
			return
		}
		b, _ := io.ReadAll(resp.Body)
		got <- string(b)
	}()
	<-begun
	down := make(chan error, 1)
	go func() { down <- app.Shutdown(context.Background()) }()
	for c, err := net.Dial("tcp", at); err == nil; c, err = net.Dial("tcp", at) {
		c.Close() // until it stops accepting
	}
	close(release)
	if s := <-got; s != "late" {
		t.Error(s)
	}
	if err := <-down; err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestHTTP2ViolationsAreTold: what ends a stream or a connection is counted as 400, and
// in the log at its level Debug.
func TestHTTP2ViolationsAreTold(t *testing.T) {
	const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	log := &logLines{}
	at, app := serve(t, nano.Config{H2C: true, Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}, nil)
	for i, tt := range []struct{ frame, want string }{
		{"\x00\x00\x01\x00\x00\x00\x00\x00\x00x", "names none"}, // DATA of no stream
		// HEADERS: GET, http, /, host a (RFC 7541 A), and a name in capitals.
		{"\x00\x00\x0b\x01\x05\x00\x00\x00\x01\x82\x86\x84\x41\x01a\x00\x01X\x01v", "not a token in lower case"},
	} {
		c := dial(t, at)
		c.send(preface + tt.frame)
		n := uint64(0)
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
			for status, of := range app.Refused() {
				if status == 400 {
					n = of
				}
			}
			if n > uint64(i) && strings.Count(log.String(), "from=") > i { // it is counted first
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		if said := log.String(); n != uint64(i)+1 || !strings.Contains(said, tt.want) || strings.Count(said, "from=127.0.0.1") != i+1 {
			t.Errorf("%q: %d counted; %s", tt.frame, n, said)
		}
	}
}
