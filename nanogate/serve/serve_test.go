//go:build linux

package serve_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate"
	"dyno.example/nanogate/serve"
)

func upstream(t testing.TB) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", "secret")
		io.WriteString(w, r.Header.Get("X-Who"))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// quiet is a gateway that logs nothing.
func quiet() *nanogate.Gateway {
	return nanogate.New().Log(slog.New(slog.DiscardHandler)).Loops(1)
}

// A program is a gateway with its own middleware: for all routes, for those that ask for it,
// and made by their settings.
func TestGateway(t *testing.T) {
	text := `listen: 127.0.0.1:0
routes:
  - {match: {path: /plain}, to: URL}
  - {match: {path: /who}, use: [who], to: URL}
  - {match: {path: /closed}, use: [{closed: {why: "until noon"}}], to: URL}
`
	c, err := serve.Parse("test.yaml", []byte(strings.ReplaceAll(text, "URL", upstream(t))))
	if err != nil {
		t.Fatal(err)
	}
	g := quiet().Use("hide", nanogate.Middleware{
		Response: func(_ *nanogate.Request, p *nanogate.Response) *nanogate.Reply {
			p.Drop("server")
			return nil
		},
	}).Offer("who", nanogate.Middleware{
		Within: time.Minute, // it may ask somebody
		Request: func(r *nanogate.Request) *nanogate.Reply {
			if r.Context().Err() != nil {
				return nanogate.Refuse(503, "too late")
			}
			r.Forward("x-who", []byte("ann"))
			return nil
		},
	}).OfferFunc("closed", func(settings []byte) (nanogate.Middleware, error) {
		reply := nanogate.Respond(410, "application/json", settings)
		return nanogate.Middleware{Request: func(*nanogate.Request) *nanogate.Reply { return reply }}, nil
	})
	running, err := serve.Start(g, c)
	if err != nil {
		t.Fatal(err)
	}
	defer running.Shutdown(context.Background())
	for path, want := range map[string]string{"/plain": "200 ", "/who": "200 ann", "/closed": `410 {"why":"until noon"}`} {
		resp, err := http.Get("http://" + running.Addresses()[0].String() + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if got := resp.Status[:4] + string(body); err != nil || got != want || resp.Header.Get("Server") != "" {
			t.Errorf("%s: %q, %v, %v; want %q", path, got, resp.Header, err, want)
		}
	}
	wrong, err := serve.Parse("test.yaml", []byte("listen: 127.0.0.1:0\nroutes: [{use: [whom], to: http://127.0.0.1:1}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := running.Apply(wrong); err == nil || !strings.Contains(err.Error(), `there is no middleware "whom" (did you mean who?)`) {
		t.Errorf("a middleware that there is not: %v", err)
	}
}

// Run serves until its context ends.
func TestRun(t *testing.T) {
	c, err := serve.To("127.0.0.1:0", upstream(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := serve.Run(ctx, quiet(), c); err != nil {
		t.Error(err)
	}
	if err := serve.Run(ctx, quiet(), nil); err == nil {
		t.Error("a gateway without a configuration runs")
	}
}

// Names are one middleware's.
func TestNamesAreUnique(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two of a name are taken")
		}
	}()
	nanogate.New().Use("a", nanogate.Middleware{}).Offer("a", nanogate.Middleware{})
}
