package check

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"dyno.example/dyno/probe"
	"dyno.example/dyno/subject"
)

// TestMain is also the keeper of subjects, and the subject of these tests.
func TestMain(m *testing.M) {
	if subject.IsKeeper(os.Args) {
		subject.KeeperMain()
		return
	}
	if len(os.Args) == 4 && os.Args[1] == "serve" {
		serve(os.Args[2], os.Args[3])
		return
	}
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	os.Setenv("CHECK_TEST_SERVER", exe)
	os.Exit(m.Run())
}

// serve is a subject with a habit.
func serve(habit, port string) {
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	http.HandleFunc("GET /plaintext", func(w http.ResponseWriter, r *http.Request) {
		if habit == "chatty" {
			fmt.Println("a request came")
		}
		if habit == "wrong" {
			fmt.Fprint(w, "Hello, Wrold!")
			return
		}
		fmt.Fprint(w, "Hello, World!")
	})
	if habit == "leaves" { // a process of another group, which hears no signal
		child := exec.Command("sleep", "60")
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := child.Start(); err != nil {
			panic(err)
		}
	}
	if habit == "tells" { // as a JVM does
		if err := os.WriteFile(os.Getenv("DYNO_GC_LOG"), []byte("[1s] GC(0) Pause Young (Normal) 24M->3M(256M) 1.000ms\n"), 0o600); err != nil {
			panic(err)
		}
	}
	go http.ListenAndServe("127.0.0.1:"+port, nil)
	<-end
}

// catalog has a subject of each habit, and one that lacks a tool.
func catalog(t *testing.T, habits ...string) *subject.Catalog {
	t.Helper()
	fsys := fstest.MapFS{"routes.yaml": {Data: []byte("- {name: plaintext, path: /plaintext, expect: {text: \"Hello, World!\"}}\n")}}
	for _, habit := range habits {
		build, need, probed := "cp subject.yaml $OUT/", "sh", ""
		switch habit {
		case "tells":
			probed = "probe: gc-log\n"
		case "broken":
			build = "echo no such header; exit 3"
		case "lacks":
			need = "dyno-no-such-tool"
		}
		fsys["test/"+habit+"/subject.yaml"] = &fstest.MapFile{Data: []byte(`name: test/` + habit + `
language: go
framework: none
version: 1
role: engine
build: {command: "` + build + `", inputs: ["."], disk: 2 MB}
run: $CHECK_TEST_SERVER serve ` + habit + ` $PORT
ready: /plaintext
routes: ../../routes.yaml
` + probed + `needs: [{command: ` + need + `, check: echo 1.0, install: it is there, debian: [some-package]}]
`)}
	}
	c, err := subject.NewCatalog(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCheck(t *testing.T) {
	tests := []struct {
		habit   string
		status  Status
		problem string
	}{
		{"good", OK, ""},
		{"tells", OK, ""},
		{"wrong", Failed, "Hello, Wrold!"},
		{"chatty", Failed, "it prints while it runs well:\n  a request came"},
		{"leaves", Failed, "SIGTERM did not end it: 1 of its processes had to be killed"},
		{"broken", Failed, "no such header"},
		{"lacks", Lacks, "dyno-no-such-tool"},
	}
	var habits []string
	for _, tt := range tests {
		habits = append(habits, tt.habit)
	}
	c := catalog(t, habits...)
	home := t.TempDir()
	var told []string
	checker := &Checker{
		Catalog: c, Builder: &subject.Builder{Dir: filepath.Join(home, "cache")}, StateDir: home,
		OnBuild: func(m subject.Manifest, _ time.Duration, err error) { told = append(told, m.Name) },
	}
	items, err := Plan(t.Context(), checker.Builder, c, c.List())
	if err != nil {
		t.Fatal(err)
	}
	if n, bytes := Disk(items); n != 6 || bytes != 12_000_000 {
		t.Errorf("%d builds of %d bytes", n, bytes)
	}
	if tools := Tools(items); len(tools) != 1 || tools[0].Debian[0] != "some-package" {
		t.Errorf("missing: %+v", tools)
	}
	builds := checker.Build(t.Context(), items, 2)
	if len(told) != 6 {
		t.Errorf("told of %q", told)
	}
	results := map[string]Result{}
	for i := range items {
		r, err := checker.Try(t.Context(), &items[i], builds)
		if err != nil {
			t.Fatal(err)
		}
		results[strings.TrimPrefix(r.Name, "test/")] = r
	}
	for _, tt := range tests {
		r := results[tt.habit]
		if r.Status != tt.status || !strings.Contains(r.Problem, tt.problem) || (r.Problem == "") != (tt.problem == "") {
			t.Errorf("%s: %s: %s", tt.habit, r.Status, r.Problem)
		}
	}
	if r := results["good"]; r.Cached || r.Size == 0 || r.StartUp <= 0 || r.Processes != 1 || r.Threads == 0 || r.RSS == 0 {
		t.Errorf("figures are missing: %+v", r)
	}
	if r := results["tells"]; !slices.Equal(r.Tells, []string{"gc_cycles", "gc_pause", "gc_pause_max", "heap"}) {
		t.Errorf("it tells %q", r.Tells)
	}
	again, err := Plan(t.Context(), checker.Builder, c, c.List())
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := Disk(again); n != 1 { // the broken one
		t.Errorf("%d builds the second time", n)
	}
}

func TestCheckEndsWithItsContext(t *testing.T) {
	c := catalog(t, "good")
	b := &subject.Builder{Dir: t.TempDir()}
	items, err := Plan(t.Context(), b, c, c.List())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	checker := &Checker{Catalog: c, Builder: b, StateDir: t.TempDir()}
	if _, err := checker.Try(ctx, &items[0], checker.Build(ctx, items, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestPlanFailsForWhatIsNoMissingTool(t *testing.T) {
	fsys := fstest.MapFS{
		"routes.yaml": {},
		"test/x/subject.yaml": {Data: []byte(`name: test/x
language: go
framework: none
version: 1
role: engine
build: {command: "true", inputs: [../nowhere]}
run: $OUT/x
ready: /
routes: ../../routes.yaml
`)},
	}
	c, err := subject.NewCatalog(fsys)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Plan(t.Context(), &subject.Builder{Dir: t.TempDir()}, c, c.List()); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("got %v", err)
	}
}

// A subject whose manifest says that its runtime tells must keep that, too.
func TestRuntimeThatDoesNotTell(t *testing.T) {
	l, remove, err := probe.ListenForRuntime(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nobody waits for it here
	if _, err := reported(ctx, l); err == nil || !strings.Contains(err.Error(), "though its manifest says so") {
		t.Errorf("got %v", err)
	}
}
