//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno.example/nanogate/docs"
)

// asProgram makes the test binary the program itself.
const asProgram = "STAMP_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// The documentation shows the example as it is.
func TestDocumented(t *testing.T) {
	page := docs.All()
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if _, program, ok := strings.Cut(string(source), "package main\n"); !ok || !strings.Contains(page, "```go\npackage main\n"+program+"```") {
		t.Errorf("nanogate/docs doesn't show\n%s", source)
	}
}

// program is the example with arguments, as a process.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Args[0] = "stamp"
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// said is what it prints until it ends.
func said(t *testing.T, args ...string) string {
	t.Helper()
	out, err := program(t, args...).CombinedOutput()
	if err != nil {
		t.Errorf("stamp %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
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

var addressIn = regexp.MustCompile(`address=(?:http://)?([0-9.:]+)`)

// The example is all that nanogate is, and stamps what it sends on: its file is checked with
// its middleware, read again by SIGHUP, shown by the admin address; it ends by SIGTERM.
func TestStamp(t *testing.T) {
	named := func(name string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, name+" was sent "+r.Header.Get("X-Gateway"))
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	file := filepath.Join(t.TempDir(), "nanogate.yaml")
	write := func(route string) {
		t.Helper()
		if err := os.WriteFile(file, []byte("listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nroutes: [{name: all, "+route+"}]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("to: " + named("one"))
	if out := said(t, "check", file); !strings.Contains(out, "OK: 1 route") {
		t.Error(out)
	}
	if out := said(t, "routes", "-c", file); !strings.Contains(out, "all ") {
		t.Error(out)
	}
	if out := said(t, "--help"); !strings.Contains(out, "stamp run -c") || strings.Contains(out, "nanogate run") {
		t.Error(out)
	}

	run := program(t, "run", "-c", file)
	errs, err := run.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(5*time.Minute, func() { run.Process.Kill() })
	defer late.Stop()
	log := bufio.NewScanner(errs)
	until := func(part string) string {
		t.Helper()
		for log.Scan() {
			if strings.Contains(log.Text(), part) {
				return log.Text()
			}
		}
		t.Fatalf("it ended without saying %q", part)
		return ""
	}
	address := addressIn.FindStringSubmatch(until("msg=listening"))[1]
	admin := addressIn.FindStringSubmatch(until("msg=admin"))[1]
	if got := fetch(t, "http://"+address); got != "200 one was sent stamp" {
		t.Error(got)
	}
	write("to: " + named("two"))
	if err := run.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	until("configuration applied")
	if got := fetch(t, "http://"+address); got != "200 two was sent stamp" {
		t.Errorf("after a reload: %s", got)
	}
	for path, want := range map[string]string{"/": "<html", "/metrics": `nanogate_middleware_failures_total{middleware="stamp"`, "/routes": `"name":"all"`} {
		if got := fetch(t, "http://"+admin+path); !strings.HasPrefix(got, "200 ") || !strings.Contains(got, want) {
			t.Errorf("%s of the admin address lacks %s: %.2000s", path, want, got)
		}
	}
	if out := said(t, "top", "--once", "--every", "100ms", "--admin", admin); !strings.Contains(out, "all") {
		t.Error(out)
	}
	http.DefaultClient.CloseIdleConnections()
	if err := run.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	until("draining")
	for log.Scan() { // so that what it says last has somewhere to go
	}
	if err := run.Wait(); err != nil {
		t.Error(err)
	}
}
