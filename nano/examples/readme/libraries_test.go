package readme

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/autocert"
	"dyno.example/nano/compress"
	"dyno.example/nano/json"
	"dyno.example/nano/nanotest"
	"dyno.example/nano/protobuf"
	"dyno.example/nano/proxy"
	"dyno.example/nano/session"
	"dyno.example/nano/validate"
	"dyno.example/nano/yaml"
)

var customer = nano.NewKey[string]("customer")

// count is what a service asks its store; it may take until the context ends.
func count(ctx context.Context, of string) (int, error) { return len(of), ctx.Err() }

// more is the pieces that need a backend, or other libraries than the service has.
func more(backend string) *nano.App {
	app := nano.New(nano.Config{
		Validator: validate.New().Func(),
		JSON:      json.Codec(), // a faster decoder for Bind
		Decoders:  map[string]nano.Decoder{yaml.MediaType: yaml.Decode, protobuf.MediaType: protobuf.Decode},
	})
	app.Use(
		compress.New(compress.Config{}),                  // responses
		compress.Decompress(compress.DecompressConfig{}), // requests
		session.New(session.Config{}),
	)

	app.Get("/stock/{id}", func(c nano.Ctx) error {
		customer.Set(c, "ann") // as middleware does: a value for who comes later

		// c.Context() ends with the client, the deadline, the app.
		ctx, cancel := context.WithTimeout(c.Context(), time.Second)
		defer cancel()
		n, err := count(ctx, c.Param("id").String()) // a copy: Views end with the handler
		if err != nil {
			return err // 503, if the request's own time was up
		}
		name, _ := customer.Get(c)
		return c.JSON(200, map[string]any{"for": name, "left": n})
	})

	app.Post("/cart/{item}", func(c nano.Ctx) error {
		cart := session.Of(c)
		cart.Set("items", strings.TrimPrefix(cart.Get("items")+","+c.Param("item").String(), ","))
		return c.Text(200, cart.Get("items")) // saved before that is sent
	})
	app.Any("/old/{rest...}", proxy.To(backend, proxy.Config{}))

	app.Post("/notes", func(c nano.Ctx) error {
		n, err := nano.Bind[note](c) // JSON or YAML, as Content-Type says
		if err != nil {
			return err
		}
		return c.Text(201, n.Text)
	})
	return app
}

type note struct {
	Text string `json:"text" yaml:"text" validate:"required"`
}

// TestMorePieces asks them.
func TestMorePieces(t *testing.T) {
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("old " + r.URL.Path)) }))
	defer backend.Close()
	client := nanotest.New(more(backend.URL))
	for _, c := range []struct {
		method, path, kind, body string
		status                   int
		says                     string
	}{
		{"GET", "/stock/abc", "", "", 200, `{"for":"ann","left":3}`},
		{"POST", "/cart/tea", "", "", 200, "tea"},
		{"GET", "/old/x", "", "", 200, "old /old/x"},
		{"POST", "/notes", "application/json", `{"text":"a"}`, 201, "a"},
		{"POST", "/notes", "application/json", `{"text":1}`, 400, "must be a string"},
		{"POST", "/notes", "application/yaml", "text: b\n", 201, "b"},
		{"POST", "/notes", "application/yaml", "text: ''\n", 422, "is missing"},
	} {
		r := client.Request(c.method, c.path)
		if c.body != "" {
			r = r.Body(c.kind, []byte(c.body))
		}
		if resp := r.Do(); resp.Status != c.status || !strings.Contains(resp.Text(), c.says) {
			t.Errorf("%s %s: %d %.200s, want %d %s", c.method, c.path, resp.Status, resp.Text(), c.status, c.says)
		}
	}
	if config := autocert.New(autocert.Config{Hosts: []string{"shop.example"}, Folder: t.TempDir()}); config.GetCertificate == nil {
		t.Error("no certificates")
	}
}
