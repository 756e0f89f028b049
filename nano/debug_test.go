package nano_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"dyno.example/nano"
)

// keeper is an app whose handlers keep every kind of View there is.
type keeper struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func (k *keeper) keep(c nano.Ctx, more ...func(string, []byte)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	c.SetHeader("X-Response", "secret response")
	body, err := c.Body()
	if err != nil {
		return err
	}
	for name, v := range map[string][]byte{
		"method": c.Method(), "path": c.Path(), "query": c.RawQuery(), "field": c.Header("X-Secret"), "param": c.Param("a"), "decoded param": c.Param("b"),
		"rest": c.Rest(), "value": c.Query("q"), "decoded value": c.Query("d"), "decoded again": c.Query("e"), "cookie": c.Cookie("k"),
		"response's field": c.ResponseHeader("X-Response"), "body": body,
	} {
		if len(v) == 0 && name != "rest" {
			return fmt.Errorf("no %s", name)
		}
		k.kept[name] = v
	}
	if kind := c.Header("Content-Type"); bytes.HasPrefix(kind, []byte("application/x-www-form")) || bytes.HasPrefix(kind, []byte("multipart")) {
		form, err := c.Form()
		if err != nil {
			return err
		}
		k.kept["form value"], k.kept["decoded form value"] = form.Get("f"), form.Get("g")
	}
	for range 100 { // make what decodes grow
		c.Query("d")
	}
	return c.Text(200, "kept")
}

// shown tells what of the kept isn't poison; "": nothing.
func (k *keeper) shown() (text string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name, v := range k.kept {
		if len(bytes.Trim(v, "\xdb")) > 0 {
			text += fmt.Sprintf("a kept %s shows %.20q; ", name, v)
		}
	}
	return text
}

// forget begins again.
func (k *keeper) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.kept)
}

// check reports what is kept and isn't poison.
func (k *keeper) check(t *testing.T, when string) {
	t.Helper()
	if shown := k.shown(); shown != "" || len(k.kept) == 0 {
		t.Errorf("%s: %s (%d kept)", when, shown, len(k.kept))
	}
}

func keeping(config nano.Config) (*nano.App, *keeper) {
	k := &keeper{kept: map[string][]byte{}}
	config.Debug, config.H2C, config.Logger = true, true, quiet
	app := nano.New(config)
	handler := func(c nano.Ctx) error { return k.keep(c) }
	app.Post("/inline/{a}/{b}/{r...}", handler, nano.OnLoop)
	app.Post("/spawned/{a}/{b}/{r...}", handler, nano.OnGoroutine)
	app.Post("/blocks/{a}/{b}/{r...}", func(c nano.Ctx) error {
		if err := k.keep(c); err != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond) // the loop goes on without it
		return nil
	})
	app.Post("/goroutine/{a}/{b}/{r...}", func(c nano.Ctx) error {
		done := make(chan error)
		path := c.Path()
		go func() { // given to another goroutine, which keeps it
			k.mu.Lock()
			k.kept["handed over"] = path
			k.mu.Unlock()
			done <- nil
		}()
		if err := <-done; err != nil {
			return err
		}
		return k.keep(c)
	})
	app.Post("/middleware/{a}/{b}/{r...}", handler, nano.With(nano.FromHTTPMiddleware(func(h http.Handler) http.Handler { return h })))
	app.Post("/detached/{a}/{b}/{r...}", func(c nano.Ctx) error { return c.Detached(c.Context(), 0, handler) })
	sub := nano.New(nano.Config{})
	sub.Post("/{a}/{b}/{r...}", handler)
	app.MountApp("/sub", sub)
	app.Post("/next", func(c nano.Ctx) error {
		if _, err := c.Body(); err != nil {
			return err
		}
		c.Query("d")
		// Whose bytes lie there now? The lock also orders what the race detector
		// can't see: sockets tell it nothing.
		if shown := k.shown(); shown != "" {
			return c.Text(200, shown)
		}
		return c.Text(200, "next")
	})
	return app, k
}

var keepingPaths = []string{"inline", "spawned", "blocks", "goroutine", "middleware", "detached", "sub"}

const keepingTarget = "/secret/sec%2Fret/re%2Fst?q=secret&d=sec%20ret&e=s%65cret"

// keepingBodies are a plain body, forms of both kinds, and one too large to be
// collected.
func keepingBodies() map[string]string {
	var form strings.Builder
	w := multipart.NewWriter(&form)
	_ = w.SetBoundary("secret")
	_ = w.WriteField("f", "secret")
	_ = w.WriteField("g", "more secret")
	w.Close()
	return map[string]string{
		"text/plain": "secret body", "application/x-www-form-urlencoded": "f=secret&g=sec%20ret",
		w.FormDataContentType(): form.String(), "text/large": strings.Repeat("secret", 200<<10/6),
	}
}

func keepingRequest(route, kind, body string) string {
	return "POST /" + route + keepingTarget + " HTTP/1.1\r\nHost: a\r\nX-Secret: secret\r\nCookie: k=secret\r\nContent-Type: " + kind +
		"\r\nContent-Length: " + fmt.Sprint(len(body)) + "\r\n\r\n" + body
}

// nextRequest has other bytes where those of keepingRequest were.
func nextRequest() string {
	body := strings.Repeat("n", 300)
	return "POST /next?d=" + strings.Repeat("%6e", 40) + " HTTP/1.1\r\nHost: " + strings.Repeat("n", 100) + "\r\nX-Next: " + strings.Repeat("n", 200) +
		"\r\nContent-Length: " + fmt.Sprint(len(body)) + "\r\n\r\n" + body
}

// TestKeptViewsShow: under Config.Debug a View that was kept is poison from the end
// of its request on, and stays so whatever comes after: on the loop, on goroutines,
// detached, mounted, pipelined, over HTTP/2 and net/http and in memory.
func TestKeptViewsShow(t *testing.T) {
	app, k := keeping(nano.Config{Loops: 1, Limits: nano.Limits{BufferBody: 64 << 10}})
	at := serveApp(t, app)
	var h2 http.Protocols
	h2.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: &h2}}
	defer client.CloseIdleConnections()
	for _, route := range keepingPaths {
		for kind, body := range keepingBodies() {
			name := route + " " + kind
			request := keepingRequest(route, kind, body)

			k.forget()
			c := dial(t, at)
			c.send(request)
			c.want(200, "kept")
			for range 3 {
				c.send(nextRequest())
				c.want(200, "next")
				k.check(t, name+", kept alive")
			}

			k.forget()
			c.send(request + nextRequest() + nextRequest())
			c.want(200, "kept")
			c.want(200, "next")
			c.want(200, "next")
			k.check(t, name+", pipelined")

			k.forget()
			for i := range 3 {
				path, ask := "/"+route+keepingTarget, body
				if i > 0 {
					path, ask = "/next?d=%6e%6e%6e%6e%6e", strings.Repeat("n", 300)
				}
				r, err := http.NewRequest("POST", "http://"+at+path, strings.NewReader(ask))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("X-Secret", "secret")
				r.Header.Set("Cookie", "k=secret")
				r.Header.Set("Content-Type", kind)
				resp, err := client.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				text, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if resp.StatusCode != 200 || resp.ProtoMajor != 2 {
					t.Errorf("%s, HTTP/2: %d %s", name, resp.StatusCode, text)
				}
				if i > 0 && string(text) != "next" {
					t.Errorf("%s, HTTP/2: %s", name, text)
				}
			}

			k.forget()
			for i, text := range []string{request, nextRequest()} {
				r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
				if err != nil {
					t.Fatal(err)
				}
				w := httptest.NewRecorder()
				app.ServeHTTP(w, r)
				if w.Code != 200 {
					t.Errorf("%s, net/http, %d: %d %s", name, i, w.Code, w.Body)
				}
				if k.check(t, name+", net/http"); i > 0 && w.Body.String() != "next" {
					t.Errorf("%s, net/http: %s", name, w.Body)
				}
			}

			k.forget()
			for _, text := range []string{request, nextRequest()} {
				if err := app.ServeBytes(t.Context(), netip.AddrPort{}, []byte(text), io.Discard); err != nil {
					t.Errorf("%s, memory: %v", name, err)
				}
				k.check(t, name+", memory")
			}
		}
	}
}

// serveApp serves on a free port for as long as the test lasts.
func serveApp(t *testing.T, app *nano.App) (address string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listening(t, app, func() error { return app.Serve(ln) })
	return ln.Addr().String()
}

// TestOtherGoroutinesShow: under Config.Debug who sets fields of the response from
// another goroutine than the handler's gets a panic that names the route; reading
// is free to all while the handler runs.
func TestOtherGoroutinesShow(t *testing.T) {
	app := nano.New(nano.Config{Debug: true, Logger: quiet})
	var mu sync.Mutex
	var found []string
	app.Get("/four", func(c nano.Ctx) error {
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				defer func() {
					if p := recover(); p != nil {
						mu.Lock()
						found = append(found, fmt.Sprint(p))
						mu.Unlock()
					}
				}()
				_ = c.Header("Host").String()
				c.SetHeader("X-"+fmt.Sprint(i), "v")
			})
		}
		all.Wait()
		return c.Text(200, "four")
	})
	key := nano.NewKey[int]("key")
	touches := map[string]func(nano.Ctx){
		"SetHeader": func(c nano.Ctx) { c.SetHeader("A", "b") }, "AddHeader": func(c nano.Ctx) { c.AddHeader("A", "b") },
		"SetCookie": func(c nano.Ctx) { c.SetCookie(nano.Cookie{Name: "a", Value: "b"}) }, "Status": func(c nano.Ctx) { c.Status(201) },
		"Text": func(c nano.Ctx) { _ = c.Text(200, "") }, "Bytes": func(c nano.Ctx) { _ = c.Bytes(200, "a/b", nil) }, "JSON": func(c nano.Ctx) { _ = c.JSON(200, 1) },
		"Stream": func(c nano.Ctx) { _ = c.Stream(200, "a/b", func(*nano.Stream) error { return nil }) },
		"Vary":   func(c nano.Ctx) { c.Vary("A") }, "Key": func(c nano.Ctx) { key.Set(c, 1) }, "Body": func(c nano.Ctx) { _, _ = c.Body() },
		"AfterResponse":  func(c nano.Ctx) { c.AfterResponse(func(nano.Ctx, nano.Outcome) {}) },
		"BeforeResponse": func(c nano.Ctx) { c.BeforeResponse(func(nano.Ctx, *nano.Response) {}) },
	}
	for name, touch := range touches {
		app.Get("/"+name, func(c nano.Ctx) error {
			said := make(chan string)
			go func() {
				defer func() { said <- fmt.Sprint(recover()) }()
				touch(c)
			}()
			return c.Text(200, <-said)
		})
	}
	// The same from the handler's own goroutine, also one it was detached to.
	app.Get("/detached", func(c nano.Ctx) error {
		return c.Detached(c.Context(), 0, func(c nano.Ctx) error {
			for _, name := range []string{"SetHeader", "AddHeader", "Vary", "Key", "AfterResponse", "BeforeResponse", "Status"} {
				touches[name](c)
			}
			return c.Text(200, "fine")
		})
	})
	if got := asked(app, "/four"); got != "four" || len(found) != 4 {
		t.Errorf("%s, found %q", got, found)
	}
	for _, text := range found {
		if !strings.Contains(text, "GET /four") {
			t.Errorf("the message doesn't name the route: %s", text)
		}
	}
	for name := range touches {
		if got := asked(app, "/"+name); !strings.Contains(got, "touched by goroutine") {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := asked(app, "/detached"); got != "fine" {
		t.Errorf("detached: %s", got)
	}
}
