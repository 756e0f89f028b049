//go:build linux

package main

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

// asCommand makes the test binary nanogate itself.
const asCommand = "NANOGATE_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program is nanogate with arguments.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Args[0] = "nanogate" // what it calls itself
	cmd.Env = append(os.Environ(), asCommand+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// ended runs it to its end.
func ended(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	cmd := program(t, args...)
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// runningGateway is nanogate as a process.
type runningGateway struct {
	cmd     *exec.Cmd
	address string
	lines   chan string // what it logs
}

var listening = regexp.MustCompile(`msg=listening .*\baddress=(\S+)`)

// start starts it and waits until it listens.
func start(t *testing.T, args ...string) *runningGateway {
	t.Helper()
	g := &runningGateway{cmd: program(t, args...), lines: make(chan string, 1000)}
	errs, err := g.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := g.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.cmd.Process.Kill(); g.cmd.Wait() })
	go func() {
		defer close(g.lines)
		for s := bufio.NewScanner(errs); s.Scan(); {
			g.lines <- s.Text()
		}
	}()
	g.address = listening.FindStringSubmatch(g.says(t, "msg=listening"))[1]
	return g
}

// says waits for a line of its log.
func (g *runningGateway) says(t *testing.T, part string) string {
	t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case line, ok := <-g.lines:
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

func (g *runningGateway) get(t *testing.T, path string) string {
	t.Helper()
	resp, err := http.Get("http://" + g.address + path)
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

// named is an upstream that says its name and the path it was asked for.
func named(t *testing.T, name string) (url string) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, name, r.URL.Path) }))
	t.Cleanup(s.Close)
	return s.URL
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
