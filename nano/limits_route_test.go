package nano_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno.example/nano"
)

// limited is an app whose routes have limits of their own, above and below the
// app's.
func limited(app *nano.App) {
	size := func(c nano.Ctx) error {
		b, err := c.Body()
		if err != nil {
			return err
		}
		return c.Text(200, strconv.Itoa(len(b)))
	}
	wait := func(c nano.Ctx) error {
		select {
		case <-c.Done():
			if errors.Is(c.Err(), context.DeadlineExceeded) {
				return c.Text(200, "late")
			}
			return nil
		case <-time.After(30 * time.Second):
			return c.Text(200, "no deadline")
		}
	}
	app.Post("/usual", size)
	app.Post("/more", size, nano.WithLimits(nano.RouteLimits{Body: 300 << 10}))
	app.Post("/less", size, nano.WithLimits(nano.RouteLimits{Body: 10}))
	app.Post("/any", size, nano.WithLimits(nano.RouteLimits{Body: -1}))
	uploads := app.Group("/group").Default(nano.WithLimits(nano.RouteLimits{Body: 5 << 10, Handler: time.Hour}))
	uploads.Post("/size", size)
	app.Group("/brief").Default(nano.WithLimits(nano.RouteLimits{Handler: time.Millisecond})).Get("/wait", wait)
	uploads.Post("/less", size, nano.WithLimits(nano.RouteLimits{Body: 10}))
	app.Post("/mounted", nano.FromHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			w.WriteHeader(413)
			_, _ = io.WriteString(w, strconv.FormatInt(large.Limit, 10))
			return
		}
		_, _ = io.WriteString(w, strconv.Itoa(len(b)))
	})), nano.WithLimits(nano.RouteLimits{Body: 2 << 10}))
}

// TestLimitsOfARoute: on HTTP/1.1 with and without a length, in memory, and on
// HTTP/2, whole bodies and those the handler reads from the wire.
func TestLimitsOfARoute(t *testing.T) {
	config := nano.Config{Limits: nano.Limits{Body: 1 << 10, BufferBody: 512}, H2C: true, Logger: quiet}
	at, app := serve(t, config, limited)
	only := func(set func(*http.Protocols)) *http.Client {
		var p http.Protocols
		set(&p)
		return &http.Client{Transport: &http.Transport{Protocols: &p, DialContext: (&net.Dialer{}).DialContext}}
	}
	clients := map[string]*http.Client{
		"HTTP/1.1": only(func(p *http.Protocols) { p.SetHTTP1(true) }),
		"HTTP/2":   only(func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }),
	}
	for _, c := range []struct {
		path   string
		size   int
		status int
	}{
		{"/usual", 1 << 10, 200}, {"/usual", 1<<10 + 1, 413},
		{"/more", 300 << 10, 200}, {"/more", 300<<10 + 1, 413},
		{"/less", 10, 200}, {"/less", 11, 413},
		{"/any", 1 << 20, 200},
		{"/group/size", 5 << 10, 200}, {"/group/size", 5<<10 + 1, 413},
		{"/group/less", 11, 413},
		{"/mounted", 2 << 10, 200}, {"/mounted", 2<<10 + 1, 413},
	} {
		for name, client := range clients {
			for _, chunked := range []bool{false, true} {
				var body io.Reader = strings.NewReader(strings.Repeat("x", c.size))
				if chunked {
					body = io.MultiReader(body) // hides the length
				}
				resp, err := client.Post("http://"+at+c.path, "text/plain", body)
				if err != nil {
					t.Errorf("%s %s of %d, chunked %v: %v", name, c.path, c.size, chunked, err)
					continue
				}
				got, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				if resp.StatusCode != c.status || c.status == 200 && string(got) != strconv.Itoa(c.size) {
					t.Errorf("%s %s of %d, chunked %v: %d %s, want %d", name, c.path, c.size, chunked, resp.StatusCode, got, c.status)
				}
			}
		}
		request := "POST " + c.path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + strconv.Itoa(c.size) + "\r\n\r\n" + strings.Repeat("x", c.size)
		var response strings.Builder
		if err := app.ServeBytes(t.Context(), netip.AddrPort{}, []byte(request), &response); err != nil || !strings.HasPrefix(response.String(), "HTTP/1.1 "+strconv.Itoa(c.status)) {
			t.Errorf("memory %s of %d: %v %.40s, want %d", c.path, c.size, err, response.String(), c.status)
		}
	}
	for name, client := range clients {
		resp, err := client.Get("http://" + at + "/brief/wait")
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(got) != "late" {
			t.Errorf("%s: the route's deadline: %d %s", name, resp.StatusCode, got)
		}
		client.CloseIdleConnections()
	}
}

// TestLimitsOfAMountedApp: they come along, over those of the group.
func TestLimitsOfAMountedApp(t *testing.T) {
	sub := nano.New(nano.Config{})
	limited(sub)
	app := nano.New(nano.Config{})
	app.MountApp("/sub", sub)
	for _, r := range app.Routes() {
		if r.Pattern() == "/sub/group/less" {
			if got, want := r.Limits(), (nano.RouteLimits{Body: 10, Handler: time.Hour}); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
			return
		}
	}
	t.Error("no such route")
}
