package nano_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

// TestErrorsEchoLittle: what a client sent comes back as a sample at most.
func TestErrorsEchoLittle(t *testing.T) {
	app := nano.New(nano.Config{StrictJSON: true})
	app.Post("/json", func(c nano.Ctx) error {
		_, err := nano.Bind[struct {
			N int `json:"n"`
			A struct{ B map[string]int }
		}](c)
		return err
	})
	app.Post("/form", func(c nano.Ctx) error { _, err := c.Form(); return err })
	long := strings.Repeat("7", 100_000)
	for body, path := range map[string]string{
		`{"n":` + long + `}`:                   "/json",
		`{"` + long + `":1}`:                   "/json",
		`{"` + long + `":1,"` + long + `":1}`:  "/json",
		`{"A":{"B":{"` + long + `":"x"}}}`:     "/json",
		`{"n":"` + strings.Repeat("é", 90_000): "/json",
		"x":                                    "/form",
	} {
		r := nanotest.New(app).Post(path).Body("application/json", []byte(body))
		if path == "/form" {
			r = nanotest.New(app).Post(path).Body("text/"+long[:3000], []byte(body))
		}
		if got := r.Do(); got.Status/100 != 4 || len(got.Body) > 500 || !strings.HasPrefix(got.Text(), "{") {
			t.Errorf("%.40q: %d, %d bytes: %.300s", body, got.Status, len(got.Body), got.Body)
		}
	}
}

// TestHTTP2HasTheLimits: what comes through net/http meets the limits and checks of
// what comes to a loop.
func TestHTTP2HasTheLimits(t *testing.T) {
	app := nano.New(nano.Config{})
	app.Get("/{rest...}", func(c nano.Ctx) error { return c.NoContent(204) })
	server := httptest.NewUnstartedServer(app)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	loop, _ := serve(t, nano.Config{NotFound: func(c nano.Ctx) error { return c.NoContent(204) }}, nil)
	for _, tt := range []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"plain", func(*http.Request) {}, 204},
		{"long target", func(r *http.Request) { r.URL.Path = "/" + strings.Repeat("a", 9<<10) }, 414},
		{"many fields", func(r *http.Request) {
			for i := range 150 {
				r.Header.Set(fmt.Sprint("X-", i), "v")
			}
		}, 431},
		{"of one name", func(r *http.Request) { r.Header["X-Many"] = make([]string, 150) }, 431},
	} {
		for _, url := range []string{server.URL, "http://" + loop} {
			r, _ := http.NewRequest("GET", url+"/x", nil)
			tt.change(r)
			resp, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != tt.status && (tt.status >= 400 || resp.StatusCode >= 400) || tt.status >= 400 && !strings.Contains(string(body), "limit") || (resp.ProtoMajor == 2) != (url == server.URL) {
				t.Errorf("%s %s: %s %d %s", tt.name, url, resp.Proto, resp.StatusCode, body)
			}
		}
	}
	for host, status := range map[string]int{"a": 204, "a:80": 204, "[::1]:8": 204, "x/y": 400, "a b": 400, "u@a": 400, "a:b": 400} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host, r.ProtoMajor = host, 2
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		if w.Code != status {
			t.Errorf("host %q: %d, want %d", host, w.Code, status)
		}
	}
	refused := map[int]uint64{}
	for status, n := range app.Refused() {
		refused[status] = n
	}
	if refused[414] != 1 || refused[431] != 2 || refused[400] != 4 {
		t.Errorf("counted: %v", refused)
	}
}

// TestRefusalsAreTold: the client learns why, the log at its level Debug, and they
// are counted.
func TestRefusalsAreTold(t *testing.T) {
	log := &logLines{}
	at, app := serve(t, nano.Config{Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))}, nil)
	c := dial(t, at)
	c.send("GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n")
	resp, body := c.respond("GET")
	if resp.StatusCode != 400 || !strings.Contains(body, "percent-encoded") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	n := uint64(0)
	for status, of := range app.Refused() {
		if status == 400 {
			n = of
		}
	}
	if n != 1 || !strings.Contains(log.String(), "percent-encoded") || !strings.Contains(log.String(), "127.0.0.1") {
		t.Errorf("%d counted; %s", n, log)
	}
}

// TestWrongKindsAreNamed: what a value of JSON must be, and is.
func TestWrongKindsAreNamed(t *testing.T) {
	type body struct {
		Age    int8              `json:"age"`
		Count  uint16            `json:"count"`
		ID     int64             `json:"id"`
		Price  float32           `json:"price"`
		On     bool              `json:"on"`
		Name   string            `json:"name"`
		At     netip.Addr        `json:"at"`
		List   []struct{ N int } `json:"list"`
		ByName map[string]int    `json:"by_name"`
	}
	app := nano.New(nano.Config{})
	app.Post("/", func(c nano.Ctx) error { _, err := nano.Bind[body](c); return err })
	for text, want := range map[string]string{
		`{"age":300}`:                  "age: must be a whole number from -128 to 127, is 300",
		`{"age":1.5}`:                  "age: must be a whole number, is 1.5",
		`{"age":"12"}`:                 "age: must be a whole number, is a string",
		`{"age":true}`:                 "age: must be a whole number, is true or false",
		`{"count":-1}`:                 "count: must be a whole number from 0 to 65535, is -1",
		`{"count":[]}`:                 "count: must be a whole number that isn't negative, is an array",
		`{"id":9223372036854775808}`:   "id: must be a whole number from -9223372036854775808 to 9223372036854775807, is 9223372036854775808",
		`{"price":1e99}`:               "price: must be a number that fits float32, is 1e99",
		`{"price":"1"}`:                "price: must be a number, is a string",
		`{"on":1}`:                     "on: must be true or false, is a number",
		`{"name":1}`:                   "name: must be a string, is a number",
		`{"at":1}`:                     "at: must be a string, is a number",
		`{"list":[{"N":1},{"N":"x"}]}`: "list.N: must be a whole number, is a string",
		`{"list":{}}`:                  "list: must be an array, is an object",
		`{"by_name":{"a":"x"}}`:        "by_name: must be a whole number, is a string",
		`[]`:                           ": must be an object, is an array",
	} {
		var p struct {
			Errors []nano.FieldError `json:"errors"`
		}
		resp := nanotest.New(app).Post("/").Body("application/json", []byte(text)).Do()
		if err := resp.JSON(&p); err != nil || resp.Status != 400 || len(p.Errors) != 1 {
			t.Errorf("%s: %d %s", text, resp.Status, resp.Body)
		} else if got := p.Errors[0].Name + ": " + p.Errors[0].Detail; got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
