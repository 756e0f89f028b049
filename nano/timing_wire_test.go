package nano_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"dyno.example/nano"
)

// TestTimingFollowsTheHandler: the figures are whole wherever the handler runs,
// and if it changes its goroutine under way.
func TestTimingFollowsTheHandler(t *testing.T) {
	pass := func(next nano.Handler) nano.Handler {
		return func(c nano.Ctx) error { return next(c) }
	}
	const nap = 20 * time.Millisecond // longer than a handler keeps its loop
	address, app := serve(t, nano.Config{}, func(app *nano.App) {
		for path, options := range map[string][]nano.Option{
			"/loop/{id}": {nano.OnLoop}, "/spawned/{id}": {nano.OnGoroutine}, "/auto/{id}": nil,
		} {
			app.Group("", pass, pass).Get(path, func(c nano.Ctx) error {
				time.Sleep(nap)
				return c.Text(200, c.Param("id").String())
			}, options...)
		}
	})
	app.Timing(true)
	const requests = 4
	for _, path := range []string{"/loop/", "/spawned/", "/auto/"} {
		for range requests {
			r, err := http.Get("http://" + address + path + "a%2Fb")
			if err != nil {
				t.Fatal(err)
			}
			b, _ := io.ReadAll(r.Body)
			r.Body.Close()
			if string(b) != "a/b" {
				t.Errorf("%s: %q", path, b)
			}
		}
	}
	app.Timing(false)
	for _, r := range app.Timings() {
		if r.Route == "GET /" {
			continue
		}
		if r.Handler.Mean < nap {
			t.Errorf("%s: the handler took %v, want at least %v", r.Route, r.Handler.Mean, nap)
		}
		for _, times := range []nano.Times{r.Handler, r.Layers[0].In, r.Layers[0].Out, r.Layers[1].In, r.Layers[1].Out} {
			if times.Count > requests || times.Count < requests-1 { // the last may still be on its way out
				t.Errorf("%s: %d requests timed, want %d", r.Route, times.Count, requests)
			}
		}
	}
}

// TestKeptDecodedParameterShows: Config.Debug also poisons what was decoded.
func TestKeptDecodedParameterShows(t *testing.T) {
	app := nano.New(nano.Config{Debug: true})
	var kept nano.View
	app.Get("/{a}", func(c nano.Ctx) error { kept = c.Param("a"); return nil })
	ask(app, "GET", "/x%2Fy")
	if string(kept) == "x/y" {
		t.Error("a decoded parameter outlived its request")
	}
}
