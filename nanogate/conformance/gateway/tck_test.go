//go:build linux

package gateway_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/http-wasm/http-wasm-host-go/tck"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/gateway"
)

// The compatibility kit of http-wasm, whose guest is compiled by TinyGo, finds nothing over
// either version.
func TestHTTPWasmCompatibility(t *testing.T) {
	backend := httptest.NewServer(tck.BackendHandler())
	t.Cleanup(backend.Close) // the kit's tests run beside others
	file := filepath.Join(t.TempDir(), "tck.wasm")
	if err := os.WriteFile(file, tck.GuestWASM, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse("test.yaml", []byte("listen: 127.0.0.1:0\nplugins: {tck: {wasm: "+file+", time: 10s, queue: {wait: 30s}}}\nroutes: [{use: tck, to: "+backend.URL+"}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.Start(c, gateway.Options{Loops: 1, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		_ = g.Shutdown(ctx)
	})
	for _, name := range []string{"HTTP/1.1", "HTTP/2"} {
		var only http.Protocols
		only.SetHTTP1(name == "HTTP/1.1")
		only.SetUnencryptedHTTP2(name == "HTTP/2")
		transport := &http.Transport{Protocols: &only, DisableCompression: true}
		t.Cleanup(transport.CloseIdleConnections)
		t.Run(name, func(t *testing.T) {
			asIs := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			tck.Run(t, &http.Client{Transport: transport, CheckRedirect: asIs}, "http://"+g.Addresses()[0].String())
		})
	}
}
