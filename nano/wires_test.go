package nano_test

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"dyno.example/nano"
)

// wire is a way by which requests come to an app.
type wire struct {
	name    string
	address string // host and port
	url     string
	client  *http.Client
	http2   bool
}

// get asks for a path and reads the whole response; status 0: it is cut, or there is none.
func (w *wire) get(path string) (status int, body string, err error) {
	resp, err := w.client.Get(w.url + path)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, string(b), err
	}
	return resp.StatusCode, string(b), nil
}

// onWires serves an app, until the test ends, in each way there is: on the loops (where
// the system has them) over HTTP/1.1 and HTTP/2, with TLS and without, and below
// net/http's server. Afterwards everything that came has had its response.
func onWires(t *testing.T, config nano.Config, routes func(*nano.App)) ([]*wire, *nano.App) {
	t.Helper()
	config.H2C = true
	if config.Logger == nil {
		config.Logger = quiet
	}
	app := nano.New(config)
	app.Get("/", hello)
	routes(app)
	plain, secure := serveApp(t, app), serveTLS(t, app, nil)
	below := httptest.NewUnstartedServer(app)
	below.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	below.EnableHTTP2 = true
	below.StartTLS()
	t.Cleanup(below.Close)
	var all []*wire
	for _, one := range []struct{ name, address, scheme string }{
		{"loop", plain, "http"}, {"loop, TLS", secure, "https"}, {"net/http", below.Listener.Addr().String(), "https"},
	} {
		for _, two := range []bool{false, true} {
			w := &wire{name: one.name + ", HTTP/1.1", address: one.address, url: one.scheme + "://" + one.address, http2: two}
			var protocols http.Protocols
			protocols.SetHTTP1(!two)
			protocols.SetHTTP2(two && one.scheme == "https")
			protocols.SetUnencryptedHTTP2(two && one.scheme == "http")
			transport := &http.Transport{Protocols: &protocols, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DialContext: (&net.Dialer{}).DialContext}
			if two {
				w.name = one.name + ", HTTP/2"
			}
			w.client = &http.Client{Transport: transport, Timeout: 30 * time.Second}
			t.Cleanup(transport.CloseIdleConnections)
			all = append(all, w)
		}
	}
	return all, app
}
