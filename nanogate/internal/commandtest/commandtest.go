//go:build linux

// Package commandtest runs a test binary as the program nanogate, for tests of the command and
// of the programs that link it. Its TestMain runs the program where [AsCommand] is set.
package commandtest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// AsCommand is set in the environment of a test binary that is to be nanogate itself.
const AsCommand = "NANOGATE_TEST_COMMAND"

// Command is nanogate with arguments.
func Command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Args[0] = "nanogate" // what it calls itself
	cmd.Env = append(os.Environ(), AsCommand+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// Ended runs it to its end.
func Ended(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	cmd := Command(t, args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// Gateway is nanogate as a process, which is killed when the test ends.
type Gateway struct {
	Cmd     *exec.Cmd
	Address string
	Lines   chan string // what it logs
}

// Listening finds the address in the line that says it.
var Listening = regexp.MustCompile(`msg=listening .*\baddress=(\S+)`)

// Start starts it and waits until it listens.
func Start(t *testing.T, args ...string) *Gateway {
	t.Helper()
	return StartAs(t, func(*exec.Cmd) {}, args...)
}

// StartAs does it with a command that is changed before.
func StartAs(t *testing.T, change func(*exec.Cmd), args ...string) *Gateway {
	t.Helper()
	g := &Gateway{Cmd: Command(t, args...), Lines: make(chan string, 1000)}
	change(g.Cmd)
	errs, err := g.Cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Cmd.Process.Kill(); g.Cmd.Wait() })
	go func() {
		defer close(g.Lines)
		for s := bufio.NewScanner(errs); s.Scan(); {
			g.Lines <- s.Text()
		}
	}()
	g.Address = Listening.FindStringSubmatch(g.Says(t, "msg=listening"))[1]
	return g
}

// Says waits for a line of its log.
func (g *Gateway) Says(t *testing.T, part string) string {
	t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case line, ok := <-g.Lines:
			if strings.Contains(line, part) {
				return line
			}
			if !ok {
				t.Fatalf("it ended without saying %q", part)
			}
		case <-late:
			t.Fatalf("it doesn't say %q", part)
		}
	}
}

// Get is the status and the body of the response for a path.
func (g *Gateway) Get(t *testing.T, path string) string {
	t.Helper()
	resp, err := http.Get("http://" + g.Address + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(resp.StatusCode, " ", string(b))
}

// Named is an upstream that says its name and the path it was asked for.
func Named(t *testing.T, name string) (url string) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, name, r.URL.Path) }))
	t.Cleanup(s.Close)
	return s.URL
}

// Write writes a file that only its owner reads.
func Write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
