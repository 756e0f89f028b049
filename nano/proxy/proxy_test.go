package proxy

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/nanotest"
)

func TestTo(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Origin", "yes")
		w.WriteHeader(201)
		fmt.Fprintf(w, "%s %s %s from %s by %s, connection %q", r.Method, r.URL, body, r.Header.Get("X-Forwarded-For"), r.Header.Get("X-Forwarded-Proto"), r.Header.Get("X-Secret"))
	}))
	defer origin.Close()
	app := nano.New(nano.Config{})
	app.Any("/old/{rest...}", To(origin.URL+"/base", Config{}))
	got := nanotest.New(app).Post("/old/a?b=c").Header("X-Forwarded-For", "6.6.6.6").Header("Connection", "X-Secret").Header("X-Secret", "s").Text("hello").Do()
	want := `POST /base/old/a?b=c hello from 192.0.2.1 by http, connection ""`
	if got.Status != 201 || got.Text() != want || got.Header.Get("X-Origin") != "yes" {
		t.Errorf("%d %q, want %q", got.Status, got.Text(), want)
	}
}

func TestAServerThatIsAway(t *testing.T) {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	app := nano.New(nano.Config{})
	app.Get("/mute", To("http://"+ln.Addr().String(), Config{Timeout: 20 * time.Millisecond, Logger: quiet}))
	if got := nanotest.New(app).Get("/mute").Do(); got.Status != 504 {
		t.Errorf("one that doesn't respond: %d", got.Status)
	}
	ln.Close()
	app = nano.New(nano.Config{})
	app.Get("/gone", To("http://127.0.0.1:1", Config{Logger: quiet})) // no connection is given that port
	if got := nanotest.New(app).Get("/gone").Do(); got.Status != 502 {
		t.Errorf("one that isn't there: %d", got.Status)
	}
	for _, base := range []string{"", "127.0.0.1:9000", "ftp://a", "http://"} {
		func() {
			defer func() {
				if p := fmt.Sprint(recover()); !strings.Contains(p, "base URL") {
					t.Errorf("%q: %s", base, p)
				}
			}()
			To(base, Config{})
		}()
	}
}
