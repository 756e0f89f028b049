//go:build linux

package gateway_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/http-wasm/http-wasm-host-go/tck"
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
	_, at := plugged(t, backend.URL, "tck: {wasm: "+file+", "+unrushed+"}", "use: tck")
	for version, name := range map[int]string{1: "HTTP/1.1", 2: "HTTP/2"} {
		t.Run(name, func(t *testing.T) { tck.Run(t, clientOver(t, version), "http://"+at) })
	}
}
