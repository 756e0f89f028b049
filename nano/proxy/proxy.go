// Package proxy passes requests on to another server, for the odd route that a service
// doesn't handle itself. It is net/http's reverse proxy with safe settings; a gateway
// needs more than this.
//
//	app.Any("/old/{rest...}", proxy.To("http://127.0.0.1:9000", proxy.Config{}))
package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"dyno.example/nano"
)

// Config is how requests are passed on.
type Config struct {
	// Timeout is how long the other server may take until its head is there; default 30 s,
	// then 504.
	Timeout time.Duration
	// Connect is how long connecting may take; default 5 s, then 502.
	Connect time.Duration
	// Idle is how many connections are kept open; default 64.
	Idle int
	// KeepHost sends the Host of the client's request instead of the other server's.
	KeepHost bool
	// Logger gets the reason why a request could not be passed on; default
	// slog.Default().
	Logger *slog.Logger
}

// To passes requests on to the server at base, an http or https URL whose path stands
// before that of each request. Fields that are for one connection only are left out,
// X-Forwarded-For, -Host and -Proto are set from what nano knows of the client, not from
// what the client says. Bodies are streamed both ways; protocols can be switched
// (WebSocket). It panics if base is not such a URL.
func To(base string, config Config) nano.Handler {
	target, err := url.Parse(base)
	if err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Host == "" {
		panic(fmt.Sprintf("proxy: %q is no base URL; expected one such as http://127.0.0.1:9000", base))
	}
	if config.Timeout == 0 {
		config.Timeout = 30 * time.Second
	}
	if config.Connect == 0 {
		config.Connect = 5 * time.Second
	}
	if config.Idle == 0 {
		config.Idle = 64
	}
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	return nano.FromHTTP(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.SetXForwarded()
			if config.KeepHost {
				r.Out.Host = r.In.Host
			}
		},
		Transport: &http.Transport{
			DialContext:           (&net.Dialer{Timeout: config.Connect}).DialContext,
			TLSHandshakeTimeout:   config.Connect,
			ResponseHeaderTimeout: config.Timeout,
			MaxIdleConns:          config.Idle,
			MaxIdleConnsPerHost:   config.Idle,
			IdleConnTimeout:       90 * time.Second,
			ForceAttemptHTTP2:     true,
		},
		ErrorHandler: config.failed,
		ErrorLog:     slog.NewLogLogger(config.Logger.Handler(), slog.LevelWarn),
	})
}

// failed sends a 502 for a server that doesn't respond.
func (config *Config) failed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client has gone
	}
	config.Logger.Warn("a request could not be passed on", "method", r.Method, "path", r.URL.Path, "error", err)
	status := http.StatusBadGateway
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		status = http.StatusGatewayTimeout
	}
	http.Error(w, http.StatusText(status), status)
}
