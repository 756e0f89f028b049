package nano_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno.example/nano"
)

// earlyVar has the directory that TestRestartEndsEarlyProgram has its sockets in.
const earlyVar = "NANO_TEST_RESTART_EARLY"

// TestRestartEndsEarlyProgram serves on two unix sockets and restarts. The process
// that this starts serves on one of them only, and ends. Each says so in a line.
func TestRestartEndsEarlyProgram(t *testing.T) {
	dir := os.Getenv(earlyVar)
	if dir == "" {
		t.Skip("this is a program for TestRestartEndsEarly")
	}
	second := os.Getenv("NANO_LISTENERS") != ""
	app := nano.New(nano.Config{})
	app.Get("/", func(c nano.Ctx) error { return c.Text(200, strconv.Itoa(os.Getpid())) })
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	listened := make(chan error, 2)
	go func() { listened <- app.Listen("unix:" + filepath.Join(dir, "a")) }()
	if second {
		for askUnix(t, filepath.Join(dir, "a")) != strconv.Itoa(os.Getpid()) { // the first one responds too
			time.Sleep(time.Millisecond)
		}
		fmt.Println("second ends:", app.Shutdown(ctx), <-listened)
		return
	}
	go func() { listened <- app.Listen("unix:" + filepath.Join(dir, "b")) }()
	askUnix(t, filepath.Join(dir, "a"))
	askUnix(t, filepath.Join(dir, "b"))
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	fmt.Println("first goes on:", app.Restart(ctx))
	select {
	case <-end:
	case <-ctx.Done():
	}
}

// askUnix asks for "/" at a unix socket until there is a response.
func askUnix(t *testing.T, path string) string {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	for end := time.Now().Add(time.Minute); ; {
		resp, err := client.Get("http://app/")
		if err == nil {
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err == nil {
				return string(body)
			}
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestRestartEndsEarly: when the new process ends before it serves everywhere, the
// old one goes on, and its unix sockets still have their files.
func TestRestartEndsEarly(t *testing.T) {
	t.Parallel() // it waits for processes, most of its time
	dir := t.TempDir()
	program := exec.Command(os.Args[0], "-test.run=^TestRestartEndsEarlyProgram$")
	program.Env = append(os.Environ(), earlyVar+"="+dir)
	program.Stderr = os.Stderr
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Process.Kill(); program.Wait() })
	lines := bufio.NewScanner(out)
	for _, want := range []string{"second ends: <nil> <nil>", "first goes on: nano: restart: "} {
		for lines.Scan() && !strings.HasPrefix(lines.Text(), want) {
		}
		if !strings.HasPrefix(lines.Text(), want) {
			t.Fatalf("no line that begins with %q", want)
		}
	}
	for _, name := range []string{"a", "b"} {
		if pid := askUnix(t, filepath.Join(dir, name)); pid != strconv.Itoa(program.Process.Pid) {
			t.Errorf("%s: process %s responds, want %d", name, pid, program.Process.Pid)
		}
	}
}
