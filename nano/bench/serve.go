//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"dyno.example/nano"
	"dyno.example/nano/json"
)

// serve is this program as a server, for loads that subjects have no routes or
// certificates for: a handler that sleeps, a large response, the everyday campaigns, and TLS with HTTP/2.
func serve(args []string) error {
	flags := flag.NewFlagSet("serve", flag.ExitOnError)
	kind := flags.String("kind", "nano", "nano, nano-json (which reads JSON by nano/json) or nethttp")
	address := flags.String("address", "127.0.0.1:0", "where to listen")
	secure := flags.Bool("tls", false, "serve TLS, with HTTP/2 for those who want it")
	files := flags.String("files", ".", "folder of /files/")
	certificate := flags.String("certificate", "", "PEM file with certificate and key")
	flags.Parse(args)
	ln, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	var config *tls.Config
	if *secure {
		if config, err = secured(*certificate); err != nil {
			return err
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	switch *kind {
	case "nano":
		return serveNano(ctx, ln, config, *files)
	case "nano-json":
		return serveNanoJSON(ctx, ln, config, *files)
	case "nethttp":
		return serveNetHTTP(ctx, ln, config, *files)
	}
	return fmt.Errorf("there is no server %q", *kind)
}

func secured(certificate string) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(certificate, certificate)
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13, NextProtos: []string{"h2", "http/1.1"}}, nil
}

// maxSleep bounds what a client may ask for, in ms.
const maxSleep = 10_000

// serveNano serves until ctx ends; without TLS if there is no config.
func serveNano(ctx context.Context, ln net.Listener, config *tls.Config, files string) error {
	return serveApp(ctx, ln, config, files, nano.Config{Validator: validated()})
}

// serveNanoJSON does so with nano/json.
func serveNanoJSON(ctx context.Context, ln net.Listener, config *tls.Config, files string) error {
	return serveApp(ctx, ln, config, files, nano.Config{Validator: validated(), JSON: json.Codec()})
}

func serveApp(ctx context.Context, ln net.Listener, config *tls.Config, files string, settings nano.Config) error {
	settings.H2C = true
	app := nano.New(settings)
	everydayOfNano(app, files)
	app.Get("/plaintext", func(c nano.Ctx) error { return c.Text(200, "Hello, World!") })
	app.Get("/sleep/{ms}", func(c nano.Ctx) error {
		if !sleep(c.Param("ms").String()) {
			return c.Text(400, "ms: 0 to 10000")
		}
		return c.Text(200, "Hello, World!")
	})
	app.Get(sharedPath, func(c nano.Ctx) error { return c.Bytes(200, "application/octet-stream", shared()) })
	ended := make(chan error, 1)
	go func() {
		if config != nil {
			ended <- app.ServeTLS(ln, config)
			return
		}
		ended <- app.Serve(ln)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return app.Shutdown(grace)
}

// serveNetHTTP serves until ctx ends; without TLS if there is no config.
func serveNetHTTP(ctx context.Context, ln net.Listener, config *tls.Config, files string) error {
	if config != nil {
		ln = tls.NewListener(ln, config)
	}
	mux := http.NewServeMux()
	hello := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "Hello, World!")
	}
	mux.HandleFunc("GET /plaintext", func(w http.ResponseWriter, _ *http.Request) { hello(w) })
	mux.HandleFunc("GET /sleep/{ms}", func(w http.ResponseWriter, r *http.Request) {
		if !sleep(r.PathValue("ms")) {
			http.Error(w, "ms: 0 to 10000", http.StatusBadRequest)
			return
		}
		hello(w)
	})
	mux.HandleFunc("GET "+sharedPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", strconv.Itoa(sharedBytes))
		_, _ = w.Write(shared()) // an error is the client's going
	})
	everydayOfNetHTTP(mux, files)
	s := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, Protocols: new(http.Protocols)}
	s.Protocols.SetHTTP1(true)
	s.Protocols.SetHTTP2(true)
	s.Protocols.SetUnencryptedHTTP2(true)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ln) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return s.Close()
	}
}

// sleep sleeps so many milliseconds; not ok if that is no time to sleep.
func sleep(ms string) (ok bool) {
	n, err := strconv.Atoi(ms)
	if err != nil || n < 0 || n > maxSleep {
		return false
	}
	if n > 0 {
		time.Sleep(time.Duration(n) * time.Millisecond)
	}
	return true
}
