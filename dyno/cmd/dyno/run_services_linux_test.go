package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dyno.example/dyno/service"
	"dyno.example/dyno/study"
)

// What happens to a whole run, by the built program, when something happens to what its
// subjects stand on. What each kind of service does by itself is tested in package service.

// requires skips a test of services that this machine lacks.
func requires(t *testing.T, kinds ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts servers")
	}
	for _, name := range kinds {
		kind, _ := service.KindOf(name)
		if lacks := kind.Lacks(); len(lacks) > 0 && os.Getenv("DYNO_TEST_SERVICES") == "required" {
			t.Fatalf("%s lacks %v", name, lacks)
		} else if len(lacks) > 0 {
			t.Skipf("%s lacks %v", name, lacks)
		}
		home, _ := os.UserHomeDir()
		if _, err := os.Stat(filepath.Join(home, ".m2/repository/org/apache/kafka")); name == study.Kafka && err != nil {
			t.Skip("Kafka was not downloaded yet: dyno services install kafka")
		}
	}
}

// stand is a run with services: a home, and a folder for temporary files that nothing may be
// left in.
type stand struct {
	home, temp string
	programs   string              // folder of dyno and of the subject
	as         *syscall.Credential // nil for oneself
}

func newStand(t *testing.T) stand {
	t.Helper()
	temp, err := os.MkdirTemp("", "stand-") // not t.TempDir: another account must get in
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	if err := os.Chmod(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	at := stand{home: t.TempDir(), temp: temp}
	// What services are built of is built once for all tests.
	builds := filepath.Join(filepath.Dir(dynoBinary), "builds")
	if err := os.MkdirAll(builds, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(builds, filepath.Join(at.home, "cache")); err != nil {
		t.Fatal(err)
	}
	return at
}

// program is where the stand has one of the tests' programs.
func (s stand) program(path string) string {
	if s.programs == "" {
		return path
	}
	return filepath.Join(s.programs, filepath.Base(path))
}

// userHome is the home of who runs dyno.
func (s stand) userHome() string {
	if s.as != nil {
		return s.home
	}
	home, _ := os.UserHomeDir()
	return home
}

// run starts dyno on a study with these services.
func (s stand) run(t *testing.T, blocks int, services string, args ...string) *process {
	t.Helper()
	const text = `study: stand
subjects: [{name: served, run: "echo $$ >>%s; exec %s child", ready: /ready, env: {PID_FILE: %q}}]
services: [%s]
requests: [{name: root, get: /}]
loads: [{name: steady, open: {rate: 200, connections: 2}}]
trial: {warmup: 0s, duration: 1s}
blocks: %d
`
	file := writeStudy(t, s.home, fmt.Sprintf(text, pidFile(s.home), s.program(serverBinary), pidFile(s.home), services, blocks))
	return s.dyno(t, append([]string{"run", file, "--keep-going"}, args...)...)
}

// dyno starts it in the stand.
func (s stand) dyno(t *testing.T, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, s.program(dynoBinary), args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	cmd.Dir = s.home
	cmd.Env = append(os.Environ(), "DYNO_HOME="+s.home, "HOME="+s.userHome(), "DYNO_ARCHIVE=", "TMPDIR="+s.temp)
	return begin(t, cmd)
}

// clean waits until no process of the run is left, and no folder of a service.
func (s stand) clean(t *testing.T) {
	t.Helper()
	allEnded(t, s.home)
	eventually(t, "the end of the services' processes", func() bool { return len(s.processes()) == 0 })
	eventually(t, "the services' folders to go", func() bool { return len(s.folders()) == 0 })
}

// folders are what there is below the folder for temporary files of services: those of
// programs that dyno compiles are the compiler's.
func (s stand) folders() (left []string) {
	all, _ := filepath.Glob(filepath.Join(s.temp, "*"))
	for _, path := range all {
		if !strings.HasPrefix(filepath.Base(path), "go-") {
			left = append(left, path)
		}
	}
	return left
}

// processes are those with a working folder below the stand's: databases leave the
// environment behind.
func (s stand) processes() (ids []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, path := range all {
		if at, err := os.Readlink(path); err == nil && strings.HasPrefix(at, s.temp) {
			ids = append(ids, filepath.Base(filepath.Dir(path)))
		}
	}
	return ids
}

func inTrials(p *process) func() bool {
	return func() bool { return strings.Contains(p.stderr.String(), "\n  1/100") }
}

const both = "{name: db, use: postgres, replica: true, ready_within: 60s}, {use: redis, ready_within: 60s}"

// However a run is ended: no server of its services is left running, and no data.
func TestRunWithServicesEnded(t *testing.T) {
	requires(t, study.Postgres, study.Redis)
	for _, c := range []struct {
		name   string
		signal os.Signal
		trial  bool // in one, rather than while a server starts
	}{
		{"Ctrl-C in a trial", os.Interrupt, true}, {"Ctrl-C at the start", os.Interrupt, false},
		{"kill in a trial", os.Kill, true}, {"kill at the start", os.Kill, false}, {"hangup in a trial", syscall.SIGHUP, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			at := newStand(t)
			s := at.run(t, 100, both)
			if c.trial {
				s.comesTo(t, "the first trial's end", inTrials(s))
			} else {
				// A dyno killed before it has handed the folder to a keeper leaves it to the next one.
				eventually(t, "a server in its folder", func() bool { return len(at.folders()) > 0 && len(at.processes()) > 0 })
			}
			s.signal(t, c.signal)
			o := s.wait(t)
			if c.signal != os.Kill {
				o.want(t, 130, o.stderr, "dyno: interrupted")
			}
			at.clean(t)
		})
	}
}

// A service that dies fails the trial it dies in, if it is in one, of which the subject is not
// accused; the run goes on with a new one, and says so. How a broker starts again is in package
// service's TestKafka.
func TestServiceThatDiesInARun(t *testing.T) {
	requires(t, study.Redis)
	t.Parallel()
	at := newStand(t)
	s := at.run(t, 100, "{use: redis, ready_within: 60s}")
	s.comesTo(t, "the first trial's end", inTrials(s))
	at.kill(t, "redis-server")
	s.comesTo(t, "what is said of it", func() bool { return strings.Contains(s.stderr.String(), "service redis died") })
	said := len(s.stderr.String())
	s.comesTo(t, "a trial after it", func() bool { return strings.Count(s.stderr.String()[said:], "  block ") > 2 })
	s.signal(t, os.Interrupt)
	o := s.wait(t)
	o.want(t, 130, o.stdout)
	if strings.Contains(o.stdout, "subject served failed") {
		t.Errorf("the subject is accused:\n%s", o.stdout)
	}
	at.clean(t)
}

// kill kills a server of the stand's by its program's name.
func (s stand) kill(t *testing.T, program string) {
	t.Helper()
	killed := false
	eventually(t, "a server to kill", func() bool {
		for _, id := range s.processes() {
			var pid int
			if comm, _ := os.ReadFile("/proc/" + id + "/comm"); strings.TrimSpace(string(comm)) != program {
				continue
			}
			if _, err := fmt.Sscan(id, &pid); err != nil {
				t.Fatal(err)
			}
			killed = syscall.Kill(pid, syscall.SIGKILL) == nil || killed
		}
		return killed
	})
}
