package subject

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"dyno.example/dyno/subject/link"
)

func TestStartAndStop(t *testing.T) {
	s := serverSpec(t, "good")
	in := startServer(t, s)
	if !alive(in.identity(t)) {
		t.Fatal("the subject does not run")
	}
	if got := get(t, in.URL()+"/plaintext"); got != "200 Hello, World!" {
		t.Errorf("got %q: the manifest's environment is not in the subject's", got)
	}
	if in.StartUp() <= 0 || in.Port() == 0 || in.Err() != nil {
		t.Errorf("start-up %v, port %d, error %v", in.StartUp(), in.Port(), in.Err())
	}
	if entries := journalFiles(t, s.StateDir); len(entries) != 1 || entries[0] != strconv.Itoa(in.PID())+".json" {
		t.Errorf("journal has %v, want the subject %d", entries, in.PID())
	}
	id := in.identity(t)
	for range 2 { // Stop is idempotent
		stopServer(t, in)
	}
	<-in.Done()
	if in.Err() != nil {
		t.Errorf("a stopped subject has the error %v", in.Err())
	}
	if alive(id) {
		t.Error("the subject still runs")
	}
	if entries := journalFiles(t, s.StateDir); len(entries) != 0 {
		t.Errorf("journal still has %v", entries)
	}
	if _, err := os.Stat(in.Cgroup()); in.Cgroup() != "" && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the cgroup %s is still there", in.Cgroup())
	}
}

// identity names the subject's process.
func (in *Instance) identity(t *testing.T) identity {
	t.Helper()
	start, err := startTime(in.PID())
	if err != nil {
		t.Fatal(err)
	}
	return identity{PID: in.PID(), Start: start}
}

func journalFiles(t *testing.T, stateDir string) []string {
	t.Helper()
	entries, err := os.ReadDir(journalDir(stateDir))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestStartFailures(t *testing.T) {
	const briefly = 500 * time.Millisecond
	missing := serverSpec(t, "good")
	missing.Command[0] = "$OUT/nothing"
	absent := serverSpec(t, "good")
	absent.Command[0] = "dyno-no-such-program"
	never := serverSpec(t, "never")
	never.Timeout = briefly
	unwell := serverSpec(t, "unwell")
	unwell.Timeout = briefly
	nowhere := serverSpec(t, "good") // which responds 404 there
	nowhere.Ready, nowhere.Timeout = "/no-such-path", briefly
	unset := serverSpec(t, "good")
	unset.Env = map[string]string{"A": "{{env DYNO_NOT_SET}}"}
	both := serverSpec(t, "good")
	both.Shell = "true"
	long := serverSpec(t, "good")
	long.Timeout = time.Hour
	tests := []struct {
		name string
		spec StartSpec
		want []string
	}{
		{"exits at once", serverSpec(t, "exit"), []string{"subject go/exit exited before it was ready (exit status 1)", "no licence found", "subject.log"}},
		{"never ready", never, []string{"subject go/never was not ready within ", "mode never"}},
		{"responds 503", unwell, []string{"was not ready within ", "503 Service Unavailable"}},
		{"responds 404 where it says ready", nowhere, []string{"was not ready within ", "404 Not Found"}},
		{"environment", unset, []string{"env A: the environment variable DYNO_NOT_SET is not set"}},
		{"program is missing", missing, []string{"start subject go/good", "no such file"}},
		{"program is not in PATH", absent, []string{`"dyno-no-such-program" is not in PATH`}},
		{"two commands", both, []string{"either a command or a shell command"}},
		{"too patient", long, []string{"at most 1m0s"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for {
				in, err := Start(t.Context(), tt.spec)
				if err == nil {
					stopServer(t, in)
					t.Fatal("started")
				}
				lacks := slices.DeleteFunc(slices.Clone(tt.want), func(want string) bool { return strings.Contains(err.Error(), want) })
				if len(lacks) == 0 {
					if tt.spec.Timeout < time.Hour && tt.spec.Timeout > 0 && !strings.Contains(err.Error(), tt.spec.Timeout.String()) {
						t.Errorf("it doesn't say that it had %v:\n%v", tt.spec.Timeout, err)
					}
					return
				}
				// On a busy machine it may not have got to run within a short time.
				if tt.spec.Timeout == 0 || tt.spec.Timeout > 20*time.Second {
					t.Fatalf("error lacks %q:\n%v", lacks, err)
				}
				tt.spec.Timeout *= 3
			}
		})
	}
}

// On a path that is only guessed any response but a failure will do, and variables
// of dyno's own environment come into that of the subject.
func TestStartGuessesAndFills(t *testing.T) {
	t.Setenv("DYNO_TEST_VALUE", "of dyno")
	s := serverSpec(t, "good")
	s.Ready, s.Poll = "", "/no-such-path"
	s.Env["FILLED"] = "<{{env DYNO_TEST_VALUE}}>"
	in, err := Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer stopServer(t, in)
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", in.PID()))
	if err != nil || !strings.Contains(string(environment), "FILLED=<of dyno>") {
		t.Errorf("the environment is %q, %v", environment, err)
	}
}

func TestStartEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serverSpec(t, "never")
	s.Timeout = time.Minute
	go func() {
		eventuallyRuns(s.StateDir)
		cancel()
	}()
	if _, err := Start(ctx, s); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if entries := journalFiles(t, s.StateDir); len(entries) != 0 {
		t.Errorf("journal still has %v", entries)
	}
}

func eventuallyRuns(stateDir string) {
	for range 2000 {
		if files, _ := filepath.Glob(filepath.Join(journalDir(stateDir), "*.json")); len(files) > 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestStartTriesOtherPorts(t *testing.T) {
	note := filepath.Join(t.TempDir(), "note")
	in := startServer(t, serverSpec(t, "taken", "-file", note))
	if got := get(t, in.URL()+"/plaintext"); !strings.HasPrefix(got, "200") {
		t.Errorf("got %q", got)
	}
	if seen, _ := os.ReadFile(note); string(seen) != ".." {
		t.Errorf("complained %d times, want 2", len(seen))
	}
}

func TestStartRefusesTakenPort(t *testing.T) {
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := serverSpec(t, "good")
	s.Port = l.Addr().(*net.TCPAddr).Port
	_, err = Start(t.Context(), s)
	if err == nil || !strings.Contains(err.Error(), "can't have port "+strconv.Itoa(s.Port)) {
		t.Errorf("got %v", err)
	}
}

func TestStartPins(t *testing.T) {
	online, err := OnlineCPUs()
	if err != nil {
		t.Fatal(err)
	}
	s := serverSpec(t, "good")
	s.CPUs = online[len(online)-1:]
	in := startServer(t, s)
	want := "200 " + strconv.Itoa(s.CPUs[0]) + " 1"
	if got := get(t, in.URL()+"/cpus"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStartShell(t *testing.T) {
	a, err := theServer()
	if err != nil {
		t.Fatal(err)
	}
	own := Own{Name: "mine", Run: `cd / && "$BIN" -port $PORT; echo "server ended"`, Env: map[string]string{"BIN": a.Out + "/server"}, Ready: "/plaintext"}
	s, err := own.StartSpec()
	if err != nil {
		t.Fatal(err)
	}
	in := startServer(t, s)
	children := descendants(in.PID())
	if len(children) != 1 {
		t.Fatalf("shell %d has the descendants %v, want one", in.PID(), children)
	}
	server := identities(children)
	stopServer(t, in)
	if len(server) != 1 || alive(server[0]) {
		t.Errorf("the shell's child %v still runs", server)
	}
	if _, err := os.Stat(in.log); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary log %s is still there", in.log)
	}
}

func TestDeath(t *testing.T) {
	in := startServer(t, serverSpec(t, "good"))
	resp, err := http.Get(in.URL() + "/die")
	if err == nil {
		resp.Body.Close()
	}
	<-in.Done()
	err = in.Err()
	if err == nil || !strings.Contains(err.Error(), "died: exit status 3") || !strings.Contains(err.Error(), "out of luck") {
		t.Errorf("got %v", err)
	}
	stopServer(t, in)
	if in.Err() == nil {
		t.Error("stopping a dead subject made its death forgotten")
	}
}

// A subject that never stops printing fills neither the disk nor the archive.
func TestAFloodOfOutputIsBounded(t *testing.T) {
	s := serverSpec(t, "flood")
	s.LogLimit = 1 << 20
	in := startServer(t, s)
	log := func() string {
		content, err := os.ReadFile(s.Log)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	eventually(t, "the log is cut", func() bool { return strings.Contains(log(), "bytes of this log are left out here") })
	stopServer(t, in)
	text := log()
	end := text[max(0, len(text)-100):]
	if len(text) > 1<<20 || !strings.HasPrefix(text, "mode flood\n") || !strings.Contains(end, "flooding") {
		t.Errorf("%d bytes from %.20q to %q", len(text), text, end)
	}
}

func TestDeathBySignal(t *testing.T) {
	in := startServer(t, serverSpec(t, "good"))
	if err := syscall.Kill(in.PID(), syscall.SIGSEGV); err != nil {
		t.Fatal(err)
	}
	<-in.Done()
	if err := in.Err(); err == nil {
		t.Error("no error")
	}
}

func TestStopKillsTheDeaf(t *testing.T) {
	s := serverSpec(t, "deaf")
	s.Grace = 50 * time.Millisecond
	in := startServer(t, s)
	id := in.identity(t)
	stopServer(t, in)
	if alive(id) {
		t.Error("a subject that ignores SIGTERM still runs")
	}
}

func TestStopKillsAtOnceWhenContextEnds(t *testing.T) {
	s := serverSpec(t, "deaf")
	s.Grace = time.Hour
	in := startServer(t, s)
	id := in.identity(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := in.Stop(ctx); err != nil {
		t.Error(err)
	}
	if alive(id) {
		t.Error("the subject still runs")
	}
}

func TestStopEndsChildrenThatLeft(t *testing.T) {
	note := filepath.Join(t.TempDir(), "pid")
	in := startServer(t, serverSpec(t, "parent", "-file", note))
	child := notedChild(t, note)
	if !alive(child) {
		t.Fatal("the child does not run")
	}
	stopServer(t, in)
	if alive(child) {
		t.Error("a child that left the session still runs")
	}
}

// notedChild names the process whose PID is in a file.
func notedChild(t *testing.T, file string) identity {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	start, err := startTime(pid)
	if err != nil {
		t.Fatal(err)
	}
	return identity{PID: pid, Start: start}
}

// A subject behind a link listens on loopback as ever, is reached by the link's address, and
// leaves neither its namespace nor a device.
func TestStartBehindALink(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("a network for a subject takes root")
	}
	if _, err := os.Stat("/dev/net/tun"); err != nil {
		t.Skip("no TUN devices here: ", err)
	}
	const rtt = 30 * time.Millisecond
	s := serverSpec(t, "good")
	s.Link = &link.Link{RTT: rtt}
	in := startServer(t, s)
	began := time.Now()
	r, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Get(in.URL() + "/plaintext")
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if took := time.Since(began); took < 2*rtt {
		t.Errorf("a handshake and a request took %v over a link of %v", took, rtt)
	}
	if c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(in.Port()))); err == nil {
		c.Close()
		t.Error("it is on this namespace's loopback too")
	}
	host := strings.TrimSuffix(strings.TrimPrefix(in.URL(), "http://"), ":"+strconv.Itoa(in.Port()))
	stopServer(t, in)
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	at := netip.MustParseAddr(host).Prev().String()
	for _, a := range interfaces {
		if strings.HasPrefix(a.String(), at+"/") {
			t.Errorf("the link's address %s is left", a)
		}
	}
}
