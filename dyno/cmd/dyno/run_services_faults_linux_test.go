package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/study"
)

// startRedis starts a server with a password, and returns its address and port.
func startRedis(t *testing.T) (address string, port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port = l.Addr().(*net.TCPAddr).Port
	l.Close()
	cmd := exec.Command("redis-server", "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--requirepass", "right-word", "--save", "", "--dir", t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	eventually(t, "a server", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return address, port
}

// What can't be started, or isn't there, ends the run before anything is measured.
func TestRunWhoseServiceIsNotThere(t *testing.T) {
	requires(t, study.Postgres, study.Redis)
	redis, taken := startRedis(t)
	old := t.TempDir()
	if err := os.WriteFile(filepath.Join(old, "PG_VERSION"), []byte("9\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ services, want string }{
		"wrong password":  {fmt.Sprintf("{name: cache, use: redis, url: 'redis://:no-such-word@%s/0'}", redis), "service cache: url: it is not there, or doesn't let dyno in: WRONGPASS"},
		"port taken":      {fmt.Sprintf("{use: redis, port: %d}", taken), fmt.Sprintf("service redis can't have port %d: ", taken)},
		"another version": {fmt.Sprintf("redis, {use: postgres, data: %q}", old), "is a folder of PostgreSQL 9, and what is installed is"},
		"gone":            {"{name: queue, use: kafka, url: 'kafka://127.0.0.1:1'}", "service queue: url: it is not there"},
		"second fails":    {"redis, {name: db, use: postgres, settings: {no_such: 1}}", `unrecognized configuration parameter "no_such"`},
		"nobody there":    {"redis, {name: other, use: postgres, url: 'postgres://dyno:wrong@127.0.0.1:1/x'}", "service other: url:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := newStand(t)
			o := at.run(t, 1, c.services).wait(t)
			o.want(t, 1, o.stderr, c.want)
			if strings.Contains(o.stderr+o.stdout, "no-such-word") {
				t.Error("the password is shown")
			}
			if strings.Contains(o.stderr, "1/1") {
				t.Error("something was measured")
			}
			at.clean(t)
		})
	}
}

// A disk without room for a database ends the run, and gets all back.
func TestRunWithServicesOnAFullDisk(t *testing.T) {
	requires(t, study.Postgres, study.Redis)
	t.Parallel()
	at := newStand(t)
	if err := unix.Mount("tmpfs", at.temp, "tmpfs", 0, "size=8m,mode=755"); err != nil {
		t.Skipf("can't mount a tiny file system here: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(at.temp, unix.MNT_DETACH) })
	o := at.run(t, 1, "{name: cache, url: 'redis://127.0.0.1:1'}").wait(t) // what is built is built, in this folder too
	o.want(t, 1, o.stderr, "service cache")
	o = at.run(t, 1, "redis, {name: db, use: postgres}").wait(t)
	o.want(t, 1, o.stderr, "service db", "No space left on device")
	at.clean(t)
}

// Who isn't root runs databases as oneself.
func TestRunWithServicesNotAsRoot(t *testing.T) {
	requires(t, study.Postgres, study.Redis)
	if os.Getuid() != 0 {
		t.Skip("all tests of services are run as somebody else")
	}
	t.Parallel()
	at := newStand(t)
	// What is built is built before, as root: somebody else has no cache of the compiler's.
	o := at.run(t, 1, "{name: cache, url: 'redis://127.0.0.1:1'}").wait(t)
	o.want(t, 1, o.stderr, "service cache")
	const nobody = 65534
	own, err := os.MkdirTemp("", "nobody-") // not t.TempDir: nobody must get in
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(own) })
	copied := exec.Command("cp", "-RL", dynoBinary, serverBinary, filepath.Join(at.home, "cache"), own)
	if said, err := copied.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for _, folder := range []string{own, at.temp} {
		if said, err := exec.Command("chown", "-R", strconv.Itoa(nobody), folder).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	at.home, at.programs, at.as = own, own, &syscall.Credential{Uid: nobody, Gid: nobody}
	s := at.run(t, 100, both)
	s.comesTo(t, "the first trial's end", inTrials(s))
	s.signal(t, os.Interrupt)
	o = s.wait(t)
	o.want(t, 130, o.stderr, "db 1", "redis 7", "dyno: interrupted")
	at.clean(t)
}

// Killed with all its keepers, a run leaves folders and logs behind; whatever is measured or checked
// next removes them.
func TestRunKilledWithItsKeepers(t *testing.T) {
	requires(t, study.Redis)
	for name, next := range map[string][]string{
		"services check": {"services", "check", study.Redis}, "subjects check": {"subjects", "check", "go/nethttp"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := newStand(t)
			s := at.run(t, 100, "{use: redis, ready_within: 60s}")
			s.comesTo(t, "the first trial's end", inTrials(s))
			s.signal(t, syscall.SIGSTOP) // it must not see its keepers die
			keepers := keepersOf(t, s.cmd.Process.Pid)
			for _, pid := range append(keepers, s.cmd.Process.Pid) {
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Error(err)
				}
			}
			s.wait(t)
			if len(keepers) < 1 || len(at.folders()) == 0 {
				t.Fatalf("%d keepers were killed, and %q is left: nothing to remove", len(keepers), at.folders())
			}
			o := at.dyno(t, next...).wait(t)
			o.want(t, 0, o.stdout)
			at.clean(t)
		})
	}
}

// A subject that is up ends when what it stands on does: it would only fail from then on.
func TestUpWhoseServiceDies(t *testing.T) {
	requires(t, study.Redis)
	t.Parallel()
	at := newStand(t)
	s := at.dyno(t, "up", "go/keyvalue")
	s.comesTo(t, "a subject that is up", func() bool { return strings.Contains(s.stdout.String(), "is up on") })
	at.kill(t, "redis-server")
	o := s.wait(t)
	o.want(t, 1, o.stderr, "service redis died")
	at.clean(t)
}

// keepersOf are the keepers of a dyno.
func keepersOf(t *testing.T, dyno int) (pids []int) {
	t.Helper()
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", dyno))
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for _, id := range strings.Fields(string(children)) {
			line, _ := os.ReadFile("/proc/" + id + "/cmdline")
			if pid, err := strconv.Atoi(id); err == nil && strings.Contains(string(line), "__keeper") {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
