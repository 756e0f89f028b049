//go:build linux

package command

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"testing"

	"dyno.example/nanogate/internal/commandtest"
	wt "dyno.example/nanogate/internal/wasm/wasmtest"
)

// The code of plug-ins is kept in a state directory that somebody has named. In the one that
// is there by default it isn't: what lies there is executed, and nobody has said that it may be.
func TestStateHasPlugins(t *testing.T) {
	dir := t.TempDir()
	commandtest.Write(t, filepath.Join(dir, "p.wasm"), string(wt.Guest{}.Module()))
	path := filepath.Join(dir, "nanogate.yaml")
	commandtest.Write(t, path, "listen: 127.0.0.1:0\nplugins: {p: {wasm: "+filepath.Join(dir, "p.wasm")+", time: 10s, queue: {wait: 30s}}}\nroutes: [{use: p, respond: {body: hi}}]\n")
	for name, one := range map[string]struct {
		args []string
		env  string
		kept string // where there is code; "": nowhere
	}{
		"named":       {[]string{"--state", filepath.Join(dir, "a")}, "STATE_DIRECTORY=" + filepath.Join(dir, "b"), "a/plugins"},
		"by systemd":  {nil, "STATE_DIRECTORY=" + filepath.Join(dir, "c") + ":" + filepath.Join(dir, "d"), "c/plugins"},
		"the default": {nil, "XDG_STATE_HOME=" + filepath.Join(dir, "e"), ""},
	} {
		before := files(t, dir)
		g := commandtest.StartAs(t, func(c *exec.Cmd) { c.Env = append(c.Environ(), one.env) }, append([]string{"run", "-c", path}, one.args...)...)
		if got := g.Get(t, "/"); got != "200 hi" {
			t.Errorf("%s: %s", name, got)
		}
		if one.kept != "" && files(t, filepath.Join(dir, one.kept)) != 1 || one.kept == "" && files(t, dir) != before {
			t.Errorf("%s: there are %d files, and were %d", name, files(t, dir), before)
		}
	}
}

// files is how many there are in a directory and below.
func files(t *testing.T, dir string) (n int) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			n++
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	return n
}
