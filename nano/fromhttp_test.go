package nano_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dyno.example/nano"
)

// said is what a client sees of a response.
type said struct {
	Interim []string
	Status  int
	Header  http.Header
	Coding  []string
	Body    string
	Trailer http.Header
	Err     string
	Closed  bool
}

// hear sends a request to an address and reads all that comes back.
func hear(t *testing.T, address, request string) (s said) {
	t.Helper()
	c := dial(t, address)
	defer c.Close()
	c.send(request)
	method, _, _ := strings.Cut(request, " ")
	resp, err := http.ReadResponse(c.r, &http.Request{Method: method})
	for err == nil && resp.StatusCode < 200 {
		resp.Header.Del("Date")
		s.Interim = append(s.Interim, fmt.Sprint(resp.Status, resp.Header))
		resp, err = http.ReadResponse(c.r, &http.Request{Method: method})
	}
	if err != nil {
		return said{Err: "no response", Interim: s.Interim}
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Err = "cut" // by a reset or not
	}
	resp.Header.Del("Date")
	s.Status, s.Header, s.Coding, s.Body, s.Trailer = resp.StatusCode, resp.Header, resp.TransferEncoding, string(body), resp.Trailer
	if method == "HEAD" {
		s.Coding, s.Trailer = nil, nil // net/http leaves out what a GET would say of it
		resp.Header.Del("Trailer")
	}
	if s.Closed = resp.Close; !s.Closed && err == nil {
		io.WriteString(c.Conn, "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
		next, err := http.ReadResponse(c.r, nil)
		if err != nil || next.StatusCode != 200 {
			s.Err = "the connection is of no more use"
		}
	}
	return s
}

// both serves the handler by net/http and by nano.
func both(t *testing.T, h http.Handler) (std, mounted string) {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	app := nano.New(nano.Config{Logger: quiet, TrailingSlash: nano.SlashStrict})
	app.Any("/", nano.FromHTTP(h))
	ended := make(chan error, 1)
	go func() { ended <- app.Serve(ln) }()
	t.Cleanup(func() {
		app.Shutdown(context.Background())
		<-ended
	})
	return server.Listener.Addr().String(), ln.Addr().String()
}

func TestFromHTTPRespondsAsNetHTTP(t *testing.T) {
	std, mounted := both(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h, ok := behaviours[r.URL.Path]; ok {
			h(w, r)
			return
		}
		behaviours["/echo"](w, r)
	}))
	const chunked = " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
	large := strings.Repeat("0123456789abcdef", 1<<14)
	requests := []string{
		"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nping",
		"POST /body" + chunked + "\r\n4\r\nping\r\n0\r\n\r\n",
		"POST /body" + chunked + "Trailer: X-Sum\r\n\r\n4\r\nping\r\n0\r\nX-Sum: 7\r\n\r\n",
		"POST /body" + chunked + "\r\n40000\r\n" + large + "\r\n0\r\nX-Sum: 8\r\n\r\n",
		"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 262144\r\n\r\n" + large,
		"POST /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nping",
		"GET /a%20b%2Fc?q=%20x HTTP/1.1\r\nHost: a:80\r\nX-a: 1\r\nx-A: 2\r\nCookie: a=b\r\n\r\n",
		"GET /a(b)? HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET http://b:81/abs?x HTTP/1.1\r\nHost: b:81\r\n\r\n",
		"GET /echo HTTP/1.0\r\n\r\n",
		"GET /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
		"GET /larger HTTP/1.0\r\n\r\n",
		"GET /early HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /file HTTP/1.1\r\nHost: a\r\nRange: bytes=2-4\r\n\r\n",
		"GET /file HTTP/1.1\r\nHost: a\r\nRange: bytes=2-4,6-7\r\nIf-Range: x\r\n\r\n",
		"GET /switch HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nabc\n",
	}
	for path := range behaviours {
		if path == "/switch" {
			continue
		}
		requests = append(requests, "GET "+path+" HTTP/1.1\r\nHost: a\r\n\r\n")
		if path != "/hijack" {
			requests = append(requests, "HEAD "+path+" HTTP/1.1\r\nHost: a\r\n\r\n")
		}
	}
	for _, request := range requests {
		want, got := hear(t, std, request), hear(t, mounted, request)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%.80q:\n got %.900s\nwant %.900s", request, fmt.Sprint(got), fmt.Sprint(want))
		}
	}
}

func TestFromHTTPRequestStays(t *testing.T) {
	kept := make(chan *http.Request, 1)
	at, _ := serve(t, nano.Config{Debug: true}, func(app *nano.App) {
		app.Get("/users/{id}", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Pattern != "GET /users/{id}" || r.PathValue("id") != "a/b" {
				t.Errorf("pattern %q, id %q", r.Pattern, r.PathValue("id"))
			}
			if s, ok := r.Context().Value(http.ServerContextKey).(*http.Server); !ok || s == nil {
				t.Error("no server in the context")
			}
			if a, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); !ok || a.String() == r.RemoteAddr {
				t.Errorf("local address %v", a)
			}
			kept <- r
		})))
	})
	c := dial(t, at)
	c.send("GET /users/a%2Fb?x=y HTTP/1.1\r\nHost: h\r\nX-Field: value\r\n\r\n")
	c.want(200, "")
	r := <-kept
	if r.Header.Get("X-Field") != "value" || r.Host != "h" || r.URL.RawQuery != "x=y" || r.RemoteAddr != c.LocalAddr().String() {
		t.Errorf("the request has changed: %v", r)
	}
	if r.Context().Err() == nil || r.Context().Value(http.ServerContextKey) == nil {
		t.Error("the context of a request that is over must have ended, and keep its values")
	}
	if _, err := r.Body.Read(make([]byte, 1)); err != io.EOF {
		t.Error(err)
	}
}

// What exceeds the declared length is not sent, nor anything in its place.
func TestFromHTTPTooMuchBehindEnough(t *testing.T) {
	at, _ := serve(t, nano.Config{}, func(app *nano.App) {
		app.Get("/secret", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, strings.Repeat("secret", 100))
		})))
		app.Get("/over", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "5")
			io.WriteString(w, "hello")
			for _, more := range []int{10, 5000, 1} {
				if n, err := w.Write(make([]byte, more)); n != 0 || err != http.ErrContentLength {
					t.Errorf("%d bytes more: %d %v", more, n, err)
				}
			}
		})))
	})
	c := dial(t, at)
	for range 10 {
		c.send("GET /secret HTTP/1.1\r\nHost: a\r\n\r\n")
		c.want(200, strings.Repeat("secret", 100))
		c.send("GET /over HTTP/1.1\r\nHost: a\r\n\r\n")
		c.want(200, "hello")
	}
}

// A writer that was kept can't set deadlines of the requests that come after its own.
func TestFromHTTPKeptWriter(t *testing.T) {
	kept := make(chan http.ResponseWriter, 1)
	at, _ := serve(t, nano.Config{}, func(app *nano.App) {
		app.Get("/keep", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { kept <- w })))
	})
	c := dial(t, at)
	c.send("GET /keep HTTP/1.1\r\nHost: a\r\n\r\n")
	c.want(200, "")
	c.send(get) // when it has its response the request before is over
	c.want(200, "hello")
	if err := http.NewResponseController(<-kept).SetReadDeadline(time.Now()); !errors.Is(err, nano.ErrResponded) {
		t.Errorf("a deadline was set after the request: %v", err)
	}
}

func TestFromHTTPDeadlines(t *testing.T) {
	result := make(chan error, 2)
	at, _ := serve(t, nano.Config{}, func(app *nano.App) {
		app.Post("/read", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rc := http.NewResponseController(w)
			rc.EnableFullDuplex()
			go func() {
				time.Sleep(5 * time.Millisecond)
				rc.SetReadDeadline(time.Now())
			}()
			_, err := io.ReadAll(r.Body)
			result <- err
		})))
		app.Get("/write", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
			var err error
			for err == nil {
				_, err = w.Write(make([]byte, 1<<20))
			}
			result <- err
		})))
	})
	c := dial(t, at)
	c.send("POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
	if err := <-result; err == nil || !strings.Contains(err.Error(), "timeout") {
		t.Errorf("read: %v", err)
	}
	dial(t, at).send("GET /write HTTP/1.1\r\nHost: a\r\n\r\n")
	if err := <-result; err == nil || !strings.Contains(err.Error(), "timeout") {
		t.Errorf("write: %v", err)
	}
}

func TestFromHTTPHijackTakesWhatWasRead(t *testing.T) {
	at, _ := serve(t, nano.Config{}, func(app *nano.App) {
		app.Get("/raw", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c, rw, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			if n := rw.Reader.Buffered(); n != 6 {
				t.Errorf("%d bytes are buffered", n)
			}
			for range 2 {
				line, _ := rw.ReadString('\n')
				rw.WriteString(line)
				rw.Flush()
			}
		})))
	})
	c := dial(t, at)
	c.send("GET /raw HTTP/1.1\r\nHost: a\r\n\r\nfirst\n")
	for i, want := range []string{"first\n", "second\n"} {
		if line, err := c.r.ReadString('\n'); line != want {
			t.Fatal(line, err)
		}
		if i == 0 {
			c.send("second\n")
		}
	}
	c.end()
}

func TestMountHTTP(t *testing.T) {
	at, _ := serve(t, nano.Config{}, func(app *nano.App) {
		echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s %s %s %s", r.URL.Path, r.URL.RawPath, r.RequestURI, r.PathValue("id"))
		})
		app.Group("/api").MountHTTP("/files/", echo)
		app.MountHTTP("/of/{id}", echo)
	})
	for path, want := range map[string]string{
		"/api/files":      "/  /api/files ",
		"/api/files/":     "/  /api/files/ ",
		"/api/files/a/b":  "/a/b  /api/files/a/b ",
		"/of/x%2Fy/a%2Fb": "/a/b /a%2Fb /of/x%2Fy/a%2Fb x/y",
	} {
		c := dial(t, at)
		c.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n")
		c.want(200, want)
	}
}

func TestFromHTTPMiddleware(t *testing.T) {
	type key struct{}
	who := nano.NewKey[string]("who")
	var seen atomic.Value
	mw := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("stop") {
				http.Error(w, "stopped", 403)
				return
			}
			w.Header().Set("X-Outside", "1")
			w.Header().Set("X-Both", "outside")
			r = r.WithContext(context.WithValue(r.Context(), key{}, "value"))
			r.Header.Set("X-Added", "added")
			next.ServeHTTP(w, r)
		})
	}
	at, _ := serve(t, nano.Config{}, func(app *nano.App) {
		g := app.Group("/g", func(next nano.Handler) nano.Handler {
			return func(c nano.Ctx) error {
				c.SetHeader("X-First", "1")
				err := next(c)
				v, _ := who.Get(c)
				seen.Store(v)
				return err
			}
		}, nano.FromHTTPMiddleware(mw))
		g.Get("/in/{id}", func(c nano.Ctx) error {
			who.Set(c, "somebody")
			c.SetHeader("X-Both", "inside")
			return c.Text(200, fmt.Sprint(c.Value(key{}), "/", c.Header("X-Added"), "/", c.Param("id"), "/", c.Route().Name()))
		})
		g.Get("/fails", func(c nano.Ctx) error { return nano.NewProblem(409, "") })
		g.Get("/panics", func(c nano.Ctx) error { panic("on purpose") })
	})
	c := dial(t, at)
	c.send("GET /g/in/7 HTTP/1.1\r\nHost: a\r\n\r\n")
	resp := c.want(200, "value/added/7/GET /g/in/{id}")
	if h := resp.Header; h.Get("X-Outside") != "1" || h.Get("X-Both") != "inside" || len(h["X-Both"]) != 1 || h.Get("X-First") != "1" {
		t.Error(h)
	}
	if seen.Load() != "somebody" {
		t.Error("values set inside must be seen outside")
	}
	c.send("GET /g/in/7?stop HTTP/1.1\r\nHost: a\r\n\r\n")
	c.want(403, "stopped\n")
	c.send("GET /g/fails HTTP/1.1\r\nHost: a\r\n\r\n")
	if resp, _ := c.respond("GET"); resp.StatusCode != 409 || resp.Header.Get("X-Outside") != "1" {
		t.Error(resp)
	}
	c.send("GET /g/panics HTTP/1.1\r\nHost: a\r\n\r\n")
	if resp, _ := c.respond("GET"); resp.StatusCode != 500 {
		t.Error(resp)
	}
}

func TestTimeoutHandlerLeavesHandlerBehind(t *testing.T) {
	release, ended := make(chan struct{}), make(chan error, 1)
	at, _ := serve(t, nano.Config{}, func(app *nano.App) {
		app.Get("/slow", func(c nano.Ctx) error {
			<-release
			err := c.Text(200, string(c.Path())) // the Ctx is still its own
			ended <- err
			return err
		}, nano.With(nano.FromHTTPMiddleware(func(next http.Handler) http.Handler {
			return http.TimeoutHandler(next, 5*time.Millisecond, "too slow")
		})))
	})
	c := dial(t, at)
	c.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
	c.want(503, "too slow")
	c.send(get)
	c.want(200, "hello")
	close(release)
	if err := <-ended; !errors.Is(err, http.ErrHandlerTimeout) {
		t.Error(err)
	}
}

var quiet = slog.New(slog.DiscardHandler)
