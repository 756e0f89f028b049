package subject

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
)

// shellSubject is a catalog with one subject, built by a shell command.
func shellSubject(t *testing.T, command string, change ...func(fstest.MapFS)) (*Catalog, Manifest) {
	t.Helper()
	fsys := fstest.MapFS{
		"sh/x/subject.yaml": {Data: []byte(`name: sh/x
language: sh
framework: none
version: 1
role: engine
build:
  command: ` + strconv.Quote(command) + `
  inputs: [".", "../shared"]
run: $OUT/x
ready: /
routes: ../../routes.yaml
needs: [{command: sh, check: echo sh 1.0, min: "1.0", install: it is always there}]
`)},
		"sh/x/main.sh":        {Data: []byte("#!/bin/sh\necho hello\n")},
		"sh/x/.git/HEAD":      {Data: []byte("x")},
		"sh/shared/shared.sh": {Data: []byte("# shared\n")},
	}
	for _, c := range change {
		c(fsys)
	}
	c, err := NewCatalog(fsys)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.Get("sh/x")
	if err != nil {
		t.Fatal(err)
	}
	return c, m
}

func TestBuildRealProgram(t *testing.T) {
	a, err := theServer()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(a.Out, "server")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("no program was built: %v", err)
	}
	if len(a.Toolchain) != 1 || !strings.HasPrefix(a.Toolchain[0], "go version go1.") {
		t.Errorf("toolchain is %q", a.Toolchain)
	}
}

func TestBuildIsCached(t *testing.T) {
	var lines []string
	b := &Builder{Dir: t.TempDir(), Progress: func(line string) { lines = append(lines, line) }}
	c, m := shellSubject(t, "echo one; echo two >&2; cp main.sh $OUT/x; test -e ../shared/shared.sh; test ! -e .git")
	first, err := b.Build(t.Context(), c, m)
	if err != nil {
		t.Fatal(err)
	}
	if first.Cached || !slices.Equal(lines, []string{"one", "two"}) {
		t.Errorf("cached %v, printed %q", first.Cached, lines)
	}
	if log, _ := os.ReadFile(first.Log); string(log) != "one\ntwo\n" {
		t.Errorf("log is %q", log)
	}
	if info, err := os.Stat(filepath.Join(first.Source, "main.sh")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("the script was not unpacked as a program: %v", err)
	}
	second, err := b.Build(t.Context(), c, m)
	if err != nil {
		t.Fatal(err)
	}
	if !second.Cached || second.Hash != first.Hash || second.Out != first.Out || len(lines) != 2 {
		t.Errorf("built again: %+v", second)
	}
	entries, err := os.ReadDir(filepath.Join(b.Dir, "builds"))
	if err != nil || len(entries) != 2 { // the build and its lock
		t.Errorf("cache holds %v, %v", entries, err)
	}
}

func TestBuildKey(t *testing.T) {
	key := func(toolchain string, change ...func(fstest.MapFS)) string {
		c, m := shellSubject(t, "true", change...)
		files, err := inputFiles(c.fsys, m.Build.Inputs)
		if err != nil {
			t.Fatal(err)
		}
		k, err := buildKey(c.fsys, files, m, []string{toolchain})
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	base := key("1")
	if key("1") != base {
		t.Error("the same inputs give two keys")
	}
	set := func(name, data string) func(fstest.MapFS) {
		return func(f fstest.MapFS) { f[name] = &fstest.MapFile{Data: []byte(data)} }
	}
	differ := map[string]string{
		"toolchain":    key("2"),
		"content":      key("1", set("sh/x/main.sh", "other")),
		"second input": key("1", set("sh/shared/shared.sh", "other")),
		"new file":     key("1", set("sh/x/empty", "")),
	}
	for what, k := range differ {
		if k == base {
			t.Errorf("another %s gives the same key", what)
		}
	}
	if key("1", set("other/file", "x"), set("sh/x/.hidden", "x")) != base {
		t.Error("a file that is no input changes the key")
	}
	t.Setenv("GOFLAGS", "-race")
	if key("1") == base {
		t.Error("GOFLAGS does not change the key")
	}
}

func TestBuildFails(t *testing.T) {
	b := &Builder{Dir: t.TempDir()}
	c, m := shellSubject(t, "for i in $(seq 50); do echo line $i; done; exit 7")
	for range 2 { // a failure is not cached
		_, err := b.Build(t.Context(), c, m)
		var failure *BuildError
		if !errors.As(err, &failure) {
			t.Fatalf("got %v", err)
		}
		if failure.Exit != 7 || len(failure.Last) != 30 || failure.Last[29] != "line 50" {
			t.Errorf("exit %d, last lines %q", failure.Exit, failure.Last)
		}
		for _, want := range []string{"subject sh/x could not be built", "exit 7", "exit status 7", "  line 21\n", failure.Log} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error lacks %q:\n%v", want, err)
			}
		}
		if log, err := os.ReadFile(failure.Log); err != nil || !strings.HasPrefix(string(log), "line 1\n") {
			t.Errorf("log: %q, %v", log, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(b.Dir, "builds", ".tmp*")); len(left) != 0 {
		t.Errorf("left behind %v", left)
	}
}

func TestBuildIsKilledWithItsChildren(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var child int
	b := &Builder{Dir: t.TempDir(), Progress: func(line string) {
		child, _ = strconv.Atoi(line)
		cancel()
	}}
	c, m := shellSubject(t, "sleep 1000 & echo $!; wait")
	if _, err := b.Build(ctx, c, m); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if child <= 1 {
		t.Fatal("the build told no PID")
	}
	eventually(t, "the build's child ends", func() bool { return processGone(child) })
}

// processGone reports whether no process has the PID, or only a corpse.
func processGone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	data, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return strings.Contains(string(data), ") Z ")
}

func TestBuildOnceAtATime(t *testing.T) {
	dir, note := t.TempDir(), filepath.Join(t.TempDir(), "note")
	c, m := shellSubject(t, "echo built >> "+note+"; sleep 0.1; cp main.sh $OUT/x")
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			b := &Builder{Dir: dir}
			if _, err := b.Build(t.Context(), c, m); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if data, _ := os.ReadFile(note); string(data) != "built\n" {
		t.Errorf("built %d times", strings.Count(string(data), "built"))
	}
}

func TestLockIsGivenUpWithContext(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	unlock, err := lockFile(t.Context(), name, func() { t.Error("waited for nobody") })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := lockFile(ctx, name, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	unlock()
	unlock, err = lockFile(t.Context(), name, func() {})
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestNeeds(t *testing.T) {
	tests := []struct {
		name string
		need Need
		want []string // in the error; none means there is no error
	}{
		{"met", Need{Command: "sh", Check: "echo sh version 5.2.1", Min: "5.2"}, nil},
		{"any version", Need{Command: "sh", Check: "echo yes"}, nil},
		{"too old", Need{Command: "sh", Check: "echo sh 5.9", Min: "5.10", Install: "apt-get install sh"}, []string{"needs sh 5.10 or newer, but found version 5.9", "To install it: apt-get install sh"}},
		{"missing", Need{Command: "dyno-no-such", Check: "true", Install: "buy one"}, []string{"dyno-no-such is not in PATH", "buy one"}},
		{"broken", Need{Command: "sh", Check: "echo oh no; exit 3"}, []string{"exit status 3", "oh no"}},
		{"no version", Need{Command: "sh", Check: "echo none", Min: "1"}, []string{"printed no version"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := Manifest{Name: "sh/x", Needs: []Need{tt.need}}
			_, err := m.CheckNeeds(t.Context(), t.TempDir())
			if (err == nil) != (tt.want == nil) {
				t.Fatalf("got %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error lacks %q: %v", want, err)
				}
			}
		})
	}
}

func TestOwnIsPrepared(t *testing.T) {
	var lines []string
	progress := func(line string) { lines = append(lines, line) }
	own := Own{Name: "mine", Build: "pwd; echo $WHO", Dir: t.TempDir(), Env: map[string]string{"WHO": "me"}}
	if err := own.Prepare(t.Context(), "", progress); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 2 || filepath.Base(lines[0]) != filepath.Base(own.Dir) || lines[1] != "me" {
		t.Errorf("printed %q", lines)
	}
	own.Build = "exit 1"
	var failure *BuildError
	if err := own.Prepare(t.Context(), "", progress); !errors.As(err, &failure) {
		t.Errorf("got %v", err)
	}
	own.Build = ""
	if err := own.Prepare(t.Context(), "", progress); err != nil {
		t.Error(err)
	}
	if _, err := own.StartSpec(); err == nil {
		t.Error("no error without a command to run")
	}
}
