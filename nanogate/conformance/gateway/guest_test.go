//go:build linux

package gateway_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"dyno.example/nanogate/docs"
)

// The documentation's plug-in, built as it says, does what it says.
func TestPluginInGo(t *testing.T) {
	if raceDetector {
		t.Skip("compiling the code of a Go program takes the runtime ten times as long then, and small modules are tested in the same way")
	}
	page := []byte(docs.All())
	source := regexp.MustCompile("(?s)# Plug-ins in WebAssembly\n.*?```go\n(.*?)```").FindSubmatch(page)
	if source == nil {
		t.Fatal("there is no example")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"main.go": string(source[1]), "go.mod": "module team\n\ngo 1.24\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", "team.wasm", ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off", "GOFLAGS=", "GOPROXY=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, at := plugged(t, saying(t), "team: {wasm: "+filepath.Join(dir, "team.wasm")+", config: {field: x-team}, "+unrushed+", memory: 16MiB}", "use: team")
	c := dial(t, at)
	c.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
	if resp, _ := c.response(t, "GET"); resp.StatusCode != 403 {
		t.Errorf("without its field: %s", resp.Status)
	}
	for range 3 {
		c.send("GET / HTTP/1.1\r\nHost: h\r\nX-Team: blue\r\n\r\n")
		if resp, _ := c.response(t, "GET"); resp.StatusCode != 200 || resp.Header.Get("X-Checked") != "yes" {
			t.Errorf("with it: %s %v", resp.Status, resp.Header)
		}
	}
}
