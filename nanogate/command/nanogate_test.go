//go:build linux

package command

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno.example/internal/build"
	"dyno.example/internal/freeport"
	"dyno.example/nanogate"
	"dyno.example/nanogate/internal/commandtest"
)

func TestMain(m *testing.M) {
	if os.Getenv(asOwn) != "" {
		runOwn()
	}
	if os.Getenv(commandtest.AsCommand) != "" {
		Main(nanogate.New())
		return
	}
	if at := os.Getenv(asUpstream); at != "" {
		serveUpstream(at)
	}
	os.Exit(m.Run())
}

// output does the same within this process, as Main does: a program of its own takes a
// second to begin under the race detector.
func output(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	p := programOf(nanogate.New(), nil, "nanogate")
	root := p.root()
	var o, e bytes.Buffer
	root.SetArgs(args)
	root.SetOut(&o)
	root.SetErr(&e)
	err := root.ExecuteContext(t.Context())
	if err != nil {
		fmt.Fprintf(&e, "%s: %v\n", p.name, err)
	}
	return o.String(), e.String(), exitCode(err)
}

func TestRunTo(t *testing.T) {
	g := commandtest.Start(t, "run", "--listen", freeport.Address(t), "--to", commandtest.Named(t, "one"))
	if got := g.Get(t, "/a"); got != "200 one/a" {
		t.Error(got)
	}
	g.Cmd.Process.Signal(syscall.SIGTERM)
	g.Says(t, "msg=draining")
	if err := g.Cmd.Wait(); err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", g.Address); err == nil {
		t.Error("it still listens")
	}
}

// A file that changes is served from after SIGHUP; one that is wrong changes nothing.
// TestVersion: what goes into a report of a fault, asked for in the two usual ways.
func TestVersion(t *testing.T) {
	for _, arg := range []string{"version", "--version"} {
		out, errs, code := commandtest.Ended(t, arg)
		if want := "nanogate " + build.Read().String() + "\n"; out != want || code != 0 || !strings.Contains(out, runtime.Version()) {
			t.Errorf("%s: %q %q, exit %d, want %q", arg, out, errs, code, want)
		}
	}
}

func TestRunFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nanogate.yaml")
	one, two := commandtest.Named(t, "one"), commandtest.Named(t, "two")
	text := func(to string) string {
		return "listen: 127.0.0.1:0\nroutes: [{match: {path: \"/a/*\"}, to: " + to + "}, {match: {path: \"/b\"}, respond: {body: fixed}}]\n"
	}
	commandtest.Write(t, path, text(one))
	g := commandtest.Start(t, "run", "-c", path)
	for path, want := range map[string]string{"/a/x": "200 one/a/x", "/b": "200 fixed"} {
		if got := g.Get(t, path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := g.Get(t, "/c"); !strings.HasPrefix(got, "404 ") {
		t.Errorf("/c: %s", got)
	}
	commandtest.Write(t, path, text(two))
	g.Cmd.Process.Signal(syscall.SIGHUP)
	g.Says(t, "configuration applied")
	if got := g.Get(t, "/a/x"); got != "200 two/a/x" {
		t.Errorf("after the change: %s", got)
	}
	commandtest.Write(t, path, "listen: 127.0.0.1:0\nrouts: []\n")
	g.Cmd.Process.Signal(syscall.SIGHUP)
	g.Says(t, "did you mean")
	if got := g.Get(t, "/a/x"); got != "200 two/a/x" {
		t.Errorf("after a wrong file: %s", got)
	}
}

// A running gateway is changed and changed back, over TCP with a token and over a unix
// socket; its log's file is opened again.
func TestDiffApplyRollback(t *testing.T) {
	dir := t.TempDir()
	path, other, token, log := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "b.yaml"), filepath.Join(dir, "token"), filepath.Join(dir, "log")
	text := func(body string) string {
		return "listen: 127.0.0.1:0\naccess-log: " + log + "\nroutes: [{name: a, respond: {body: " + body + "}}]\n"
	}
	commandtest.Write(t, path, text("one"))
	commandtest.Write(t, other, text("two"))
	commandtest.Write(t, token, "0123456789abcdef0123456789abcdef\n")
	socket := "unix:" + filepath.Join(dir, "admin")
	for _, name := range []string{"socket", "token"} {
		flags := []string{"--admin", socket}
		args := []string{"run", "-c", path, "--admin", socket}
		if name == "token" {
			commandtest.Write(t, path, text("one")+"admin: {address: \"127.0.0.1:0\", token: ./token}\n")
			args = args[:3]
		}
		g := commandtest.Start(t, args...)
		if said := g.Says(t, "msg=admin"); name == "token" {
			flags = []string{"--admin", strings.TrimPrefix(adminListens.FindStringSubmatch(said)[1], "http://"), "--token", token}
		}
		tell := func(want int, part string, args ...string) {
			t.Helper()
			if out, errs, code := output(t, append(args, flags...)...); code != want || !strings.Contains(out+errs, part) {
				t.Errorf("%s, %q: %d %q %q, want %d and %q", name, args, code, out, errs, want, part)
			}
		}
		tell(0, "+ route a: {name: a, respond: {body: two}}", "diff", other)
		if got := g.Get(t, "/"); got != "200 one" {
			t.Errorf("%s: after diff %s", name, got)
		}
		tell(0, "version 2 is served", "apply", other)
		if got := g.Get(t, "/"); got != "200 two" {
			t.Errorf("%s: after apply %s", name, got)
		}
		tell(0, "no changes", "diff", other)
		tell(exitFailed, "and 2 is served", "apply", "--version", "1", other)
		tell(0, "admin (served)", "rollback", "--list")
		tell(0, "version 3 is served", "rollback")
		if got := g.Get(t, "/"); got != "200 one" {
			t.Errorf("%s: after rollback %s", name, got)
		}
		tell(exitFailed, "there is no such version", "rollback", "7")
		tell(0, "a", "top", "--once", "--every", "100ms")
		if name == "token" {
			if _, errs, code := output(t, "apply", other, "--admin", flags[1]); code != exitFailed || !strings.Contains(errs, "token") {
				t.Errorf("without the token: %d %q", code, errs)
			}
		}
		if err := os.Rename(log, log+"."+name); err != nil {
			t.Fatal(err)
		}
		g.Cmd.Process.Signal(syscall.SIGUSR1)
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(log); err == nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the log isn't opened again")
			}
		}
		g.Cmd.Process.Signal(syscall.SIGTERM)
		if err := g.Cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}

func TestCheckAndRoutes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.yaml")
	commandtest.Write(t, path, "listen: 127.0.0.1:0\nroutes:\n  - {name: api, match: {path: \"/api/*\", methods: [GET], headers: {X-A: \"1*\"}}, to: {u: 3, v: 1}}\n  - {name: first, priority: 2, match: {host: a.b}, redirect: https://c.d/}\nupstreams: {u: [\"127.0.0.1:1\"], v: [\"127.0.0.1:2\"]}\n")
	out, errs, code := commandtest.Ended(t, "check", path)
	if code != 0 || !strings.Contains(out, "OK: 2 routes, 2 upstreams") || errs != "" {
		t.Errorf("%d %q %q", code, out, errs)
	}
	out, _, code = output(t, "routes", "-c", path)
	want := "ROUTE  PRIORITY  HOST  PATH    METHODS  IF       TO\nfirst  2         a.b   /*      *        -        redirect 308\napi    0         *     /api/*  GET      x-a:1*   u×3,v×1\n"
	if code != 0 || strings.ReplaceAll(out, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("%d\n%s", code, out)
	}
	commandtest.Write(t, path, "listen: 127.0.0.1:0\nroutes:\n  - {to: u, limit: {rate: 5/s}}\n")
	_, errs, code = commandtest.Ended(t, "check", path)
	if code != exitConfig || !strings.Contains(errs, path+`:3:10: routes[0].to: there is no upstream "u"`) {
		t.Errorf("%d %q", code, errs)
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"run"}, exitUsage, "nothing to serve"},
		{[]string{"run", "a.yaml", "b.yaml"}, exitUsage, "expected one file"},
		{[]string{"check", "a.yaml", "-c", "b.yaml"}, exitUsage, "expected one file, got -c b.yaml and a.yaml"},
		{[]string{"route", "GET", "http://h/"}, exitUsage, "no configuration file is named"},
		{[]string{"route", "-c", "x"}, exitUsage, "expected [METHOD] URL"},
		{[]string{"route", "-c", "x", "/path"}, exitUsage, "expected a URL"},
		{[]string{"route", "-c", "x", "http://h/", "-H", "x"}, exitUsage, "expected 'name: value'"},
		{[]string{"route", "-c", "x", "http://h/a b"}, exitUsage, "would refuse the request"},
		{[]string{"run", "--to", "http://127.0.0.1:1", "-c", "x"}, exitUsage, "don't go together"},
		{[]string{"run", "--to", "nowhere"}, exitUsage, `expected host:port, got "nowhere"`},
		{[]string{"run", "--listen", "x", "--to", "http://127.0.0.1:1"}, exitUsage, `expected an address to listen on, got "x"`},
		{[]string{"run", "--loops", "-1", "--to", "http://127.0.0.1:1"}, exitUsage, "--loops"},
		{[]string{"run", "-c", "/no/such/file"}, exitFailed, "no such file"},
		{[]string{"run", "--nonsense"}, exitUsage, "unknown flag: --nonsense; see nanogate run --help"},
		{[]string{"check"}, exitUsage, "no configuration file is named"},
		{[]string{"routes"}, exitUsage, "no configuration file is named"},
		{[]string{"diff"}, exitUsage, "no configuration file is named"},
		{[]string{"apply", "x", "--admin", "nowhere"}, exitUsage, `--admin: expected an address to listen on, got "nowhere"`},
		{[]string{"rollback", "x"}, exitUsage, `expected a version such as 3, got "x"`},
		{[]string{"rollback", "1", "--admin", "127.0.0.1:1"}, exitFailed, "no gateway responds at 127.0.0.1:1"},
		{[]string{"nonsense"}, exitUsage, `there is no command "nonsense"`},
	} {
		if _, errs, code := output(t, c.args...); code != c.code || !strings.Contains(errs, c.says) {
			t.Errorf("%q: %d, %q", c.args, code, errs)
		}
	}
	if _, errs, code := commandtest.Ended(t, "run"); code != exitUsage || !strings.HasPrefix(errs, "nanogate: nothing to serve") {
		t.Errorf("the program: %d, %q", code, errs)
	}
	if out, _, code := output(t); code != 0 || !strings.Contains(out, "nanogate run") {
		t.Errorf("without arguments: %d, %q", code, out)
	}
}

// An address that is taken is said, and ends it.
func TestAddressTaken(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	_, errs, code := commandtest.Ended(t, "run", "--listen", ln.Addr().String(), "--to", "http://127.0.0.1:1")
	if code != exitFailed || !strings.Contains(errs, "address already in use") {
		t.Errorf("%d %q", code, errs)
	}
}

// Nothing that stands in a file sets the terminal's title or colours, or rewrites a line.
func TestTerminalsAreNotTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nanogate.yaml")
	const hostile = `\e]0;title\a\e[31m\u009b2J\u202e\b\r`
	for _, text := range []string{
		"\"" + hostile + "\": 1\nroutes: [{respond: {}}]\n",
		"routes: [{\"" + hostile + "\": 1, respond: {}}]\n",
		"routes: [{name: \"" + hostile + "\", to: \"" + hostile + "\"}]\nupstreams: {\"" + hostile + "\": [\"" + hostile + "\"]}\n",
		"routes: [{respond: {}, use: {\"" + hostile + "\": 1}}]\nplugins: {\"" + hostile + "\": {}}\n",
	} {
		commandtest.Write(t, path, "listen: 127.0.0.1:1\n"+text)
		for _, args := range [][]string{{"check", path}, {"routes", path}, {"run", "-c", path}} {
			out, errs, code := commandtest.Ended(t, args...)
			if code != exitConfig || strings.ContainsAny(out+errs, "\x1b\a\b\r\u009b\u202e\x9b") || !strings.Contains(errs, "2:") && !strings.Contains(errs, "3:") {
				t.Errorf("%q of\n%s: %d, %q, %q", args, text, code, out, errs)
			}
		}
	}
}
