package nano_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"dyno.example/nano"
)

func TestFromHTTPClientGone(t *testing.T) {
	started, gone := make(chan struct{}), make(chan error)
	at, _ := serve(t, nano.Config{}, func(app *nano.App) {
		app.Get("/wait", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithTimeout(r.Context(), 30*time.Second)
			defer cancel()
			close(started)
			<-ctx.Done()
			gone <- context.Cause(ctx)
		})))
	})
	c := dial(t, at)
	c.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
	<-started
	c.Close()
	if err := <-gone; !errors.Is(err, nano.ErrClientGone) {
		t.Error(err)
	}
}
