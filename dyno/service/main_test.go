package service

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
)

// cache is where tests build the kit, once for all of them.
var cache string

// TestMain is also the keeper of services, and a dyno that is killed.
func TestMain(m *testing.M) {
	if subject.IsKeeper(os.Args) {
		subject.KeeperMain()
		return
	}
	if dir := os.Getenv("TEST_SERVE"); dir != "" {
		serveUntilKilled(dir)
	}
	var err error
	if cache, err = os.MkdirTemp("", "service-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(cache)
	os.Exit(code)
}

// newTestHost is a host whose services have their folders in one that is returned, and
// that must be empty in the end.
func newTestHost(t *testing.T) *Host {
	t.Helper()
	temp, err := os.MkdirTemp("", "services-") // not t.TempDir: another account must get in
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		left, _ := filepath.Glob(filepath.Join(temp, "*"))
		if len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		os.RemoveAll(temp)
	})
	return hostAt(t, temp)
}

func hostAt(t *testing.T, temp string) *Host {
	catalog, err := subject.NewCatalog(os.DirFS("../subjects"))
	if err != nil {
		t.Fatal(err)
	}
	return &Host{Catalog: catalog, Builder: &subject.Builder{Dir: cache}, StateDir: t.TempDir(), Temp: temp, Base: "testdata"}
}

// start starts a service that the test stops.
func start(t *testing.T, h *Host, def study.Service) *Instance {
	t.Helper()
	in, err := Start(t.Context(), h, def)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return in
}

// needs skips a test of a kind that this machine has not, unless it must not be skipped.
func needs(t *testing.T, kind string) {
	t.Helper()
	k, _ := KindOf(kind)
	lacks := k.Lacks()
	switch {
	case len(lacks) == 0 && testing.Short():
		t.Skip("short")
	case len(lacks) == 0 && !fetched(kind) && os.Getenv("DYNO_TEST_SERVICES") != "required":
		t.Skipf("what %s is built of was not downloaded yet: dyno services install %s", kind, kind)
	case len(lacks) == 0:
	case os.Getenv("DYNO_TEST_SERVICES") == "required":
		t.Fatalf("lacks %v", lacks)
	default:
		t.Skipf("lacks %v", lacks)
	}
}

// fetched reports whether what a kind is built of is on this machine, as far as that is no
// test's to download.
func fetched(kind string) bool {
	var pattern string
	home, _ := os.UserHomeDir()
	modules, _ := exec.Command("go", "env", "GOMODCACHE").Output()
	switch kind {
	case study.Kafka:
		pattern = filepath.Join(home, ".m2/repository/org/apache/kafka/kafka_2.13/*/*.jar")
	case study.S3:
		pattern = filepath.Join(strings.TrimSpace(string(modules)), "github.com/versity/versitygw@*")
	case study.Etcd:
		pattern = filepath.Join(strings.TrimSpace(string(modules)), "go.etcd.io/etcd/server/v3@*")
	default:
		return true
	}
	found, _ := filepath.Glob(pattern)
	return len(found) > 0
}

// own is a kit for the database at an address that subjects get.
func own(t *testing.T, h *Host, kind, address string) *kit {
	t.Helper()
	k, err := openKit(t.Context(), h, kind, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.close)
	return k
}

// serveUntilKilled starts a service and waits to be killed.
func serveUntilKilled(dir string) {
	catalog, err := subject.NewCatalog(os.DirFS("../subjects"))
	if err != nil {
		panic(err)
	}
	h := &Host{Catalog: catalog, Builder: &subject.Builder{Dir: os.Getenv("TEST_CACHE")}, StateDir: filepath.Join(dir, "state"), Temp: filepath.Join(dir, "temp")}
	if _, err := Start(context.Background(), h, study.Service{Name: "db", Use: os.Getenv("TEST_KIND"), As: "URL", Replica: replicaOf(os.Getenv("TEST_KIND")), ReadyWithin: long}); err != nil {
		panic(err)
	}
	fmt.Println("ready")
	time.Sleep(time.Hour)
}

func replicaOf(kind string) *study.Replica {
	if kind == study.Postgres {
		return &study.Replica{}
	}
	return nil
}

// command is this test program, started again as something else.
func command(env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), env...)
	return cmd
}
