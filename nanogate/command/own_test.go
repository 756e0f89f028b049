//go:build linux

package command

import (
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"

	"dyno.example/nanogate"
	"dyno.example/nanogate/internal/commandtest"
	"dyno.example/nanogate/serve"
)

// asOwn makes the test binary a program that brings a configuration, and a log.
const asOwn = "NANOGATE_TEST_OWN"

func runOwn() {
	c, err := serve.Parse("own.yaml", []byte("listen: 127.0.0.1:0\nroutes: [{respond: {body: own}}]\n"))
	if err != nil {
		panic(err)
	}
	MainWith(nanogate.New().Log(slog.New(slog.NewTextHandler(os.Stderr, nil)).With("program", "own")), c)
}

// What a program brings is served and used where its arguments say nothing.
func TestProgramsOwn(t *testing.T) {
	own := func(cmd *exec.Cmd) { cmd.Env = append(cmd.Env, asOwn+"=1") }
	g := commandtest.StartAs(t, own, "run", "--admin", "127.0.0.1:0")
	if line := g.Says(t, "msg=admin"); !strings.Contains(line, "program=own") {
		t.Error(line)
	}
	if got := g.Get(t, "/"); got != "200 own" {
		t.Error(got)
	}
	g = commandtest.StartAs(t, own, "run", "--listen", "127.0.0.1:0", "--to", commandtest.Named(t, "one"))
	if got := g.Get(t, "/"); got != "200 one/" {
		t.Errorf("with --to: %s", got)
	}
	cmd := commandtest.Command(t, "run", "--log-level", "DEBUG")
	own(cmd)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "unknown flag: --log-level") {
		t.Errorf("--log-level: %s, %v", out, err)
	}
}
