//go:build linux

package command

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"dyno.example/internal/freeport"
	"dyno.example/nanogate/internal/commandtest"
)

var tookOver = regexp.MustCompile(`msg="another process has taken over" pid=(\d+)`)

// While another process takes over no request fails, whether its connection is kept or
// new; the file is read again by it, and an address that it has no more is given up.
func TestUpgradeUnderTraffic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nanogate.yaml")
	text := func(listen, body string) string {
		return "listen: " + listen + "\nadmin: 127.0.0.1:0\nroutes: [{match: {path: /pid}, respond: {body: " + body + "}}, {to: " + commandtest.Named(t, "up") + "}]\n"
	}
	commandtest.Write(t, path, text("[127.0.0.1:0, 127.0.0.2:0]", "old"))
	g := commandtest.Start(t, "run", "-c", path)
	second := commandtest.Listening.FindStringSubmatch(g.Says(t, "address=127.0.0.2"))[1]
	commandtest.Write(t, path, text("127.0.0.1:0", "new"))
	var stop atomic.Bool
	var asked, fresh atomic.Int64
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() {
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			client := &http.Client{Transport: transport, Timeout: time.Minute}
			for n := i; !stop.Load(); n++ {
				req, err := http.NewRequest("GET", "http://"+g.Address+[]string{"/pid", "/x"}[n%2], nil)
				if err != nil {
					t.Error(err)
					return
				}
				req.Close = i%2 == 0
				resp, err := client.Do(req)
				if err != nil {
					t.Error(err)
					return
				}
				b, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if body := string(b); err != nil || resp.StatusCode != 200 || body != "up/x" && body != "old" && body != "new" {
					t.Errorf("%d %q, %v", resp.StatusCode, body, err)
					return
				} else if body == "new" {
					fresh.Add(1)
				}
				asked.Add(1)
			}
		})
	}
	more := func(n *atomic.Int64) {
		t.Helper()
		for before := n.Load(); n.Load() < before+50; time.Sleep(time.Millisecond) {
			if t.Failed() {
				t.FailNow()
			}
		}
	}
	more(&asked)
	g.Cmd.Process.Signal(syscall.SIGUSR2)
	pid, err := strconv.Atoi(tookOver.FindStringSubmatch(g.Says(t, "taken over"))[1])
	if err != nil {
		t.Fatal(err)
	}
	next, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { next.Kill() })
	more(&fresh)
	if err := g.Cmd.Wait(); err != nil && !strings.Contains(err.Error(), "file already closed") {
		t.Error("the old process:", err)
	}
	more(&fresh)
	stop.Store(true)
	clients.Wait()
	if c, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", second); err == nil {
		c.Close()
		t.Error("the address that isn't configured any more is listened on")
	}
	if err := next.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}

// A new process that can't serve changes nothing.
func TestUpgradeFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nanogate.yaml")
	commandtest.Write(t, path, "listen: 127.0.0.1:0\nroutes: [{respond: {body: old}}]\n")
	g := commandtest.Start(t, "run", "-c", path)
	commandtest.Write(t, path, "listen: 127.0.0.1:0\nroots: []\n")
	g.Cmd.Process.Signal(syscall.SIGUSR2)
	g.Says(t, "upgrade failed")
	if got := g.Get(t, "/"); got != "200 old" {
		t.Error(got)
	}
	g.Cmd.Process.Signal(syscall.SIGTERM)
	if err := g.Cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// A second process on an address is refused, one that takes over may have an address that
// overlaps it.
func TestAddressOfAnother(t *testing.T) {
	_, port, _ := net.SplitHostPort(freeport.Address(t))
	path := filepath.Join(t.TempDir(), "nanogate.yaml")
	text := func(host, body string) string {
		return "listen: \"" + host + ":" + port + "\"\nroutes: [{respond: {body: " + body + "}}]\n"
	}
	commandtest.Write(t, path, text("127.0.0.1", "old"))
	g := commandtest.Start(t, "run", "-c", path)
	for _, listen := range []string{"127.0.0.1:" + port, "0.0.0.0:" + port} {
		if _, errs, code := output(t, "run", "--listen", listen, "--to", "http://127.0.0.1:1"); code == 0 || !strings.Contains(errs, "address already in use") || !strings.Contains(errs, "reuse-port: true") {
			t.Errorf("%s: %d %s", listen, code, errs)
		}
	}
	commandtest.Write(t, path, text("0.0.0.0", "new"))
	g.Cmd.Process.Signal(syscall.SIGUSR2)
	pid, err := strconv.Atoi(tookOver.FindStringSubmatch(g.Says(t, "taken over"))[1])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
	// The old address is given up: whose connection is made between the last look into its
	// queue and its end the kernel resets.
	for range 3 {
		resp, err := http.Get("http://" + g.Address + "/")
		if err == nil {
			resp.Body.Close()
		}
		if !errors.Is(err, syscall.ECONNRESET) {
			break
		}
	}
	got := g.Get(t, "/")
	if got != "200 new" && got != "200 old" {
		t.Error(got)
	}
}
