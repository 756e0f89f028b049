package nano_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
)

// overHTTP2 serves an app over HTTP/2, over TLS and cleartext, and calls f for each.
func overHTTP2(t *testing.T, config nano.Config, routes func(*nano.App), f func(t *testing.T, client *http.Client, url string)) {
	config.H2C = true
	for _, secure := range []bool{false, true} {
		t.Run(map[bool]string{false: "cleartext", true: "TLS"}[secure], func(t *testing.T) {
			var protocols http.Protocols
			protocols.SetHTTP2(secure)
			protocols.SetUnencryptedHTTP2(!secure)
			transport := &http.Transport{Protocols: &protocols, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
			client := &http.Client{Transport: transport, Timeout: 30 * time.Second}
			var url string
			if secure {
				app := nano.New(config)
				app.Get("/", hello)
				routes(app)
				url = "https://" + serveTLS(t, app, nil)
			} else {
				at, _ := serve(t, config, routes)
				url = "http://" + at
			}
			t.Cleanup(transport.CloseIdleConnections) // before the app shuts down
			f(t, client, url)
		})
	}
}

func echoBody(c nano.Ctx) error {
	b, err := c.Body()
	if err != nil {
		return err
	}
	return c.Bytes(200, "text/plain", b)
}

// TestHTTP2OnTheLoop: what handlers can do over HTTP/1.1.
func TestHTTP2OnTheLoop(t *testing.T) {
	large := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
	routes := func(app *nano.App) {
		app.Post("/echo", echoBody)
		app.Post("/away", echoBody, nano.OnGoroutine)
		app.Post("/slow", func(c nano.Ctx) error { time.Sleep(5 * time.Millisecond); return echoBody(c) })
		app.Get("/large", func(c nano.Ctx) error { return c.Text(200, large) })
		app.Get("/proto", func(c nano.Ctx) error { return c.Text(200, c.Proto()+" "+string(c.Method())) })
		app.Get("/empty", func(c nano.Ctx) error { return c.NoContent(204) })
		app.Get("/panics", func(nano.Ctx) error { panic("x") })
		app.Get("/aborts", func(nano.Ctx) error { return nano.ErrAborted })
		app.Get("/exits", func(nano.Ctx) error { runtime.Goexit(); return nil })
		app.Get("/hijacks", func(c nano.Ctx) error {
			_, _, err := c.Hijack()
			return c.Text(200, strconv.FormatBool(errors.Is(err, errors.ErrUnsupported)))
		})
		app.Get("/close", func(c nano.Ctx) error { c.SetHeader("Connection", "close"); return c.Text(200, "last") })
		app.Get("/trailers", func(c nano.Ctx) error {
			return c.Stream(200, "text/plain", func(s *nano.Stream) error {
				s.WriteString("body")
				s.Trailer("X-Sum", "1")
				return nil
			})
		})
		app.Get("/broken", func(c nano.Ctx) error {
			return c.Stream(200, "text/plain", func(s *nano.Stream) error {
				s.WriteString("body")
				if err := s.Flush(); err != nil {
					return err
				}
				return errors.New("x")
			})
		})
		app.Get("/flushes", func(c nano.Ctx) error {
			return c.Stream(200, "text/plain", func(s *nano.Stream) error {
				for range 3 {
					s.WriteString("tick ")
					s.Flush()
					time.Sleep(2 * time.Millisecond)
				}
				return nil
			})
		})
		app.Post("/mounted", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "X-Sum")
			w.Header().Set("Keep-Alive", "is about a connection")
			n, err := io.Copy(io.Discard, r.Body)
			fmt.Fprint(w, r.Proto, " ", n, " ", err, " ", r.Trailer.Get("X-Up"))
			w.(http.Flusher).Flush()
			w.Header().Set("X-Sum", "2")
		})))
	}
	overHTTP2(t, nano.Config{}, routes, func(t *testing.T, client *http.Client, url string) {
		for _, tt := range []struct {
			method, path, body string
			unsized            bool
			status             int // 0: the stream is reset
			want, trailer      string
		}{
			{"GET", "/", "", false, 200, "hello", ""},
			{"HEAD", "/", "", false, 200, "", ""},
			{"POST", "/large", "x", false, 405, "", ""},
			{"GET", "/proto", "", false, 200, "HTTP/2.0 GET", ""},
			{"GET", "/empty", "", false, 204, "", ""},
			{"GET", "/large", "", false, 200, large, ""},
			{"POST", "/echo", "hello", false, 200, "hello", ""},
			{"POST", "/echo", "hello", true, 200, "hello", ""},
			{"POST", "/echo", large, false, 200, large, ""},
			{"POST", "/echo", large, true, 200, large, ""},
			{"POST", "/away", "hello", false, 200, "hello", ""},
			{"POST", "/away", large, false, 200, large, ""},
			{"POST", "/slow", "hello", false, 200, "hello", ""},
			{"POST", "/slow", large, true, 200, large, ""},
			{"GET", "/panics", "", false, 500, "", ""},
			{"GET", "/aborts", "", false, 0, "", ""},
			{"GET", "/exits", "", false, 0, "", ""},
			{"GET", "/broken", "", false, 0, "", ""},
			{"GET", "/hijacks", "", false, 200, "true", ""},
			{"GET", "/close", "", false, 200, "last", ""},
			{"GET", "/trailers", "", false, 200, "body", "1"},
			{"GET", "/flushes", "", false, 200, "tick tick tick ", ""},
			{"POST", "/mounted", large, false, 200, "HTTP/2.0 1048576 <nil> up", "2"},
			{"POST", "/mounted", "", false, 200, "HTTP/2.0 0 <nil> ", "2"},
		} {
			name := fmt.Sprintf("%s %s of %d", tt.method, tt.path, len(tt.body))
			var body io.Reader
			if tt.body != "" {
				if body = strings.NewReader(tt.body); tt.unsized {
					body = io.MultiReader(body)
				}
			}
			r, _ := http.NewRequest(tt.method, url+tt.path, body)
			if tt.path == "/mounted" && tt.body != "" {
				r.Trailer = http.Header{"X-Up": {"up"}}
				r.ContentLength = -1
			}
			resp, err := client.Do(r)
			if err == nil && resp.ProtoMajor != 2 {
				t.Fatalf("%s: %s", name, resp.Proto)
			}
			var got []byte
			if err == nil {
				got, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			if tt.status == 0 {
				if err == nil {
					t.Errorf("%s: %d %.40q, want a reset", name, resp.StatusCode, got)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if resp.StatusCode != tt.status || tt.want != "" && string(got) != tt.want || resp.Trailer.Get("X-Sum") != tt.trailer ||
				resp.Header.Get("Date") == "" || resp.Header.Get("Keep-Alive") != "" {
				t.Errorf("%s: %d %d bytes %.60q, trailers %v, %v", name, resp.StatusCode, len(got), got, resp.Trailer, resp.Header)
			}
		}
	})
}

// TestHTTP2BothWays: a handler responds to parts of a body whose rest hasn't been sent yet.
func TestHTTP2BothWays(t *testing.T) {
	routes := func(app *nano.App) {
		app.Post("/", func(c nano.Ctx) error {
			in := c.BodyReader()
			return c.Stream(200, "text/plain", func(s *nano.Stream) error {
				b := make([]byte, 1<<10)
				for {
					n, err := in.Read(b)
					if n > 0 {
						s.Write(b[:n])
						s.Flush()
					}
					if err == io.EOF {
						return nil
					}
					if err != nil {
						return err
					}
				}
			})
		})
	}
	overHTTP2(t, nano.Config{}, routes, func(t *testing.T, client *http.Client, url string) {
		body, w := io.Pipe()
		first := make(chan error, 1)
		go func() { _, err := io.WriteString(w, "ping 0"); first <- err }()
		resp, err := client.Post(url, "text/plain", body)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := <-first; err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			want := fmt.Sprint("ping ", i)
			got := make([]byte, len(want))
			if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != want {
				t.Fatalf("%q %v, want %q", got, err, want)
			}
			if i < 19 {
				fmt.Fprint(w, "ping ", i+1)
			}
		}
		w.Close()
		if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 {
			t.Errorf("%q %v", rest, err)
		}
	})
}

// TestHTTP2ClientGone: a request's context ends with its stream, and with its connection.
func TestHTTP2ClientGone(t *testing.T) {
	begun, ended := make(chan struct{}, 4), make(chan error, 4)
	routes := func(app *nano.App) {
		app.Get("/waits", func(c nano.Ctx) error {
			ctx := c.Context()
			begun <- struct{}{}
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return ctx.Err()
		})
	}
	overHTTP2(t, nano.Config{}, routes, func(t *testing.T, client *http.Client, url string) {
		ctx, cancel := context.WithCancel(t.Context())
		r, _ := http.NewRequestWithContext(ctx, "GET", url+"/waits", nil)
		go client.Do(r)
		<-begun
		cancel()
		if err := <-ended; !errors.Is(err, nano.ErrClientGone) {
			t.Errorf("reset: %v", err)
		}
		if resp, err := client.Get(url + "/"); err != nil || resp.StatusCode != 200 {
			t.Errorf("the connection goes on: %v %v", resp, err)
		} else {
			resp.Body.Close()
		}
		conns := make(chan net.Conn, 1)
		transport := client.Transport.(*http.Transport).Clone()
		transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(ctx, network, address)
			conns <- c
			return c, err
		}
		go (&http.Client{Transport: transport}).Get(url + "/waits")
		<-begun
		(<-conns).Close()
		if err := <-ended; !errors.Is(err, nano.ErrClientGone) {
			t.Errorf("closed: %v", err)
		}
	})
}

// TestHTTP2HandlersDoNotWait for each other: many of them on one connection, the loop
// being one.
func TestHTTP2HandlersDoNotWait(t *testing.T) {
	release := make(chan struct{})
	begun := make(chan struct{}, 50)
	routes := func(app *nano.App) {
		app.Get("/waits", func(c nano.Ctx) error { begun <- struct{}{}; <-release; return c.Text(200, "late") })
	}
	overHTTP2(t, nano.Config{Loops: 1}, routes, func(t *testing.T, client *http.Client, url string) {
		late := make(chan error, 50)
		for range 50 {
			go func() {
				resp, err := client.Get(url + "/waits")
				if err == nil {
					var b []byte
					if b, err = io.ReadAll(resp.Body); err == nil && string(b) != "late" {
						err = fmt.Errorf("%q", b)
					}
					resp.Body.Close()
				}
				late <- err
			}()
		}
		for range 50 {
			<-begun
		}
		for range 20 {
			resp, err := client.Get(url + "/")
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
		for range 50 {
			release <- struct{}{}
		}
		for range 50 {
			if err := <-late; err != nil {
				t.Error(err)
			}
		}
	})
}

// TestH2spec runs the conformance suite h2spec, in its strict mode, where it is installed.
// Without TLS one case is left out: a wrong preface is a request of HTTP/1.1 there, and
// treated as one (RFC 9113 3.3, 3.4).
func TestH2spec(t *testing.T) {
	suite, err := exec.LookPath("h2spec")
	if err != nil {
		t.Skip("h2spec is not installed")
	}
	routes := func(app *nano.App) {
		app.Any("/h2spec", func(c nano.Ctx) error {
			if _, err := c.Body(); err != nil { // so that streams stay open as long as their clients want
				return err
			}
			return c.Text(200, "hello")
		})
	}
	at, _ := serve(t, nano.Config{H2C: true}, routes)
	secured := nano.New(nano.Config{})
	routes(secured)
	plain := []string{"generic", "hpack", "http2/3.5/1", "http2/4", "http2/5", "http2/6", "http2/7", "http2/8"}
	for address, more := range map[string][]string{at: plain, serveTLS(t, secured, nil): {"-t", "-k"}} {
		host, port, _ := net.SplitHostPort(address)
		out, err := exec.Command(suite, append([]string{"-S", "-P", "/h2spec", "-h", host, "-p", port, "--timeout", "5"}, more...)...).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", more, err, out)
		}
		t.Logf("%s", out)
	}
}
