//go:build linux

package storm

import (
	"os"
	"path/filepath"
	"strings"

	wt "dyno.example/nanogate/internal/wasm/wasmtest"
)

// pluginNames are those of the plug-ins that routes may use: one that sees heads, and those
// that have requests, responses, or both wait until their bodies are whole.
var pluginNames = []string{"heads", "request", "response", "both"}

// waits is whether a plug-in has responses wait until they are whole, which brings them without
// their trailers.
func (r *route) waits() bool { return r.plugin == "response" || r.plugin == "both" }

// writePlugins writes them. All of them mark the responses that they have seen; they are
// called on threads of their own, and what they look at waits meanwhile, whatever happens to
// its client and its upstream.
func writePlugins(folder string) error {
	const data = "x-plugin|yes"
	at := func(text string) []byte {
		return wt.Code(wt.I32(int64(strings.Index(data, text))), wt.I32(int64(len(text))))
	}
	for i, name := range pluginNames {
		g := wt.Guest{
			Imports: []string{"set_header_value", "enable_features"}, Data: data,
			Request: wt.I64(1), Response: wt.Code(wt.I32(1), at("x-plugin"), at("yes"), wt.Call(0)),
		}
		if i > 0 {
			g.Begin = wt.Code(wt.I32(int64(i)), wt.Call(1), wt.Drop) // 1: requests, 2: responses
		}
		if err := os.WriteFile(filepath.Join(folder, name+".wasm"), g.Module(), 0o600); err != nil {
			return err
		}
	}
	return nil
}
