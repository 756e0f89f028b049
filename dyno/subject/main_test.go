package subject

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if IsKeeper(os.Args) {
		KeeperMain()
	}
	if os.Getenv(victimVariable) != "" {
		victimMain()
	}
	// Under the race detector a program sleeps for a second before it exits,
	// and keepers are this program.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	code := m.Run()
	os.RemoveAll(sharedCache())
	os.Exit(code)
}

// victimVariable holds the StartSpec, in JSON, of a process that starts a
// subject only to be killed.
const victimVariable = "DYNO_TEST_VICTIM"

// victimMain is dyno as it is when somebody kills it: it starts a subject and
// never stops it.
func victimMain() {
	var s StartSpec
	if err := json.Unmarshal([]byte(os.Getenv(victimVariable)), &s); err != nil {
		panic(err)
	}
	in, err := Start(context.Background(), s)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(in.PID())
	time.Sleep(time.Hour)
}

// sharedCache is the build cache of this test run.
var sharedCache = sync.OnceValue(func() string {
	dir, err := os.MkdirTemp("", "dyno-subject-test-*")
	if err != nil {
		panic(err)
	}
	return dir
})

// testSubjects is a catalog as it ships with dyno.
var testSubjects = os.DirFS("testdata/subjects")

// theServer builds testdata's server, once in a test run.
var theServer = sync.OnceValues(func() (*Artifact, error) {
	c, err := NewCatalog(testSubjects)
	if err != nil {
		return nil, err
	}
	m, err := c.Get("go/server")
	if err != nil {
		return nil, err
	}
	b := &Builder{Dir: sharedCache()}
	return b.Build(context.Background(), c, m)
})

// serverSpec says how to start testdata's server in a mode. What it leaves
// behind goes to folders of the test.
func serverSpec(t *testing.T, mode string, args ...string) StartSpec {
	t.Helper()
	a, err := theServer()
	if err != nil {
		t.Fatal(err)
	}
	s := a.StartSpec()
	s.Name = "go/" + mode
	s.Command = append(append(s.Command, "-mode", mode), args...)
	s.Log = filepath.Join(t.TempDir(), "subject.log")
	s.StateDir = t.TempDir()
	return s
}

// startServer starts it, and stops it when the test ends.
func startServer(t *testing.T, s StartSpec) *Instance {
	t.Helper()
	in, err := Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopServer(t, in) })
	return in
}

func stopServer(t *testing.T, in *Instance) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := in.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// eventually waits for a condition that must become true.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("not within a minute: " + what)
		}
	}
}

// get asks a server and returns status and body as one string.
func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := pollingClient(nil).Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var body [512]byte
	n, _ := resp.Body.Read(body[:])
	return fmt.Sprintf("%d %s", resp.StatusCode, body[:n])
}
