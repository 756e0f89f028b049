//go:build linux

package command

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/internal/freeport"
	"dyno.example/nanogate/internal/commandtest"
)

// asUpstream makes the test binary an upstream that listens there and responds with "OK".
const asUpstream = "NANOGATE_TEST_UPSTREAM"

func serveUpstream(at string) {
	fmt.Fprintln(os.Stderr, http.ListenAndServe(at, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(time.Millisecond) // so that there are always some under way
		io.WriteString(w, "OK")
	})))
	os.Exit(1)
}

// launch starts a process of the test's until it ends, and waits until it listens.
func launch(t *testing.T, cmd *exec.Cmd, at string) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		c, err := net.Dial("tcp", at)
		if err == nil {
			c.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not listen", at)
		}
	}
}

func launchUpstream(t *testing.T) (at string, cmd *exec.Cmd) {
	t.Helper()
	at = freeport.Address(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), asUpstream+"="+at)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	launch(t, cmd, at)
	return at, cmd
}

// kill -9 of an endpoint under load: every request that another one could serve is served.
func TestKillUpstream(t *testing.T) {
	one, victim := launchUpstream(t)
	two, _ := launchUpstream(t)
	file := filepath.Join(t.TempDir(), "nanogate.yaml")
	commandtest.Write(t, file, "listen: 127.0.0.1:0\nroutes: [{to: u, retry: {attempts: 3, on: [connect, reset], budget: 100%}}]\nupstreams: {u: {endpoints: [\""+one+"\", \""+two+"\"], balance: round-robin}}\n")
	g := commandtest.Start(t, "run", "-c", file)
	var served, failed atomic.Int64
	var last atomic.Value
	stop := make(chan bool)
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for {
				select {
				case <-stop:
					return
				default:
				}
				resp, err := client.Get("http://" + g.Address + "/")
				if err == nil {
					var body []byte
					if body, err = io.ReadAll(resp.Body); err == nil && string(body) != "OK" {
						err = fmt.Errorf("%d %s", resp.StatusCode, body)
					}
					resp.Body.Close()
				}
				if err != nil {
					failed.Add(1)
					last.Store(err.Error())
					continue
				}
				served.Add(1)
			}
		})
	}
	until := func(n int64) {
		for deadline := time.Now().Add(2 * time.Minute); served.Load() < n && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
	}
	until(200)
	victim.Process.Kill()
	before := served.Load()
	until(before + 500)
	close(stop)
	clients.Wait()
	if failed.Load() > 0 || served.Load() < before+500 {
		t.Errorf("%d failed of %d; the last: %v", failed.Load(), served.Load(), last.Load())
	}
}

// When it has no file left to open, the clients it has are served, others are told or wait,
// and it takes clients again when there is room.
func TestOpenFilesRunOut(t *testing.T) {
	upstream, _ := launchUpstream(t)
	g := commandtest.Start(t, "run", "--listen", "127.0.0.1:0", "--to", "http://"+upstream, "--loops", "1")
	get := func(c net.Conn) error {
		c.SetDeadline(time.Now().Add(30 * time.Second))
		io.WriteString(c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		buf := make([]byte, 4096)
		n, err := c.Read(buf)
		if err == nil && !strings.HasPrefix(string(buf[:n]), "HTTP/1.1 200") {
			err = errors.New(string(buf[:n]))
		}
		return err
	}
	first, err := net.Dial("tcp", g.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if err := get(first); err != nil {
		t.Fatal(err)
	}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", g.Cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	limit := uint64(len(open) + 20)
	if err := unix.Prlimit(g.Cmd.Process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: limit, Max: limit}, nil); err != nil {
		t.Fatal(err)
	}
	var others []net.Conn
	for range 60 {
		c, err := net.Dial("tcp", g.Address)
		if err != nil {
			t.Fatal(err)
		}
		others = append(others, c)
	}
	for i := range 10 { // it has its upstream's connection
		if err := get(first); err != nil {
			t.Fatalf("request %d of a client it has: %v", i, err)
		}
	}
	for _, c := range others {
		c.Close()
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("tcp", g.Address)
		if err != nil {
			t.Fatal(err)
		}
		err = get(c)
		c.Close()
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("with room again: %v", err)
		}
	}
}
