package wasm

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	wt "dyno.example/nanogate/internal/wasm/wasmtest"
)

// statusOf is the status that a module responds with.
func statusOf(t *testing.T, m *module) int {
	t.Helper()
	turn, _, failure := ask(t, m, &Exchange{Method: "GET", URI: "/"})
	if failure != nil {
		t.Fatal(failure)
	}
	return turn.x.Status
}

func respondingWith(status int64) []byte {
	return wt.Guest{Imports: []string{"set_status_code"}, Request: wt.Code(wt.I32(status), wt.Call(0), wt.I64(0))}.Module()
}

// filesIn are the files in a folder and below.
func filesIn(t *testing.T, folder string) (all []string) {
	t.Helper()
	if err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			all = append(all, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

// Code that is kept is used; what is damaged, or can't be kept, is compiled.
func TestCodesAreKept(t *testing.T) {
	codes := &Codes{Dir: filepath.Join(t.TempDir(), "plugins")}
	read := func(binary []byte, kept bool) *module {
		t.Helper()
		m, err := compile(binary, nil, generous, codes, func(Level, string) {})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = m.runtime.Close(t.Context()) })
		if (m.unkept == nil) != kept {
			t.Errorf("its code isn't kept because of %v", m.unkept)
		}
		return m
	}
	one, two := read(respondingWith(201), true), read(respondingWith(202), true)
	if a, b := statusOf(t, one), statusOf(t, two); a != 201 || b != 202 {
		t.Fatalf("they respond with %d and %d", a, b)
	}
	if n := len(filesIn(t, codes.Dir)); n != 2 {
		t.Fatalf("%d files for two modules", n)
	}
	first, second := filesIn(t, codes.folder(one.sum)), filesIn(t, codes.folder(two.sum))
	other, err := os.ReadFile(second[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(first[0], other, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := statusOf(t, read(respondingWith(201), true)); got != 202 {
		t.Errorf("it responds with %d: what lies there, which was made another module's, isn't used", got)
	}
	if err := os.WriteFile(first[0], other[:len(other)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if got := statusOf(t, read(respondingWith(201), false)); got != 201 {
		t.Errorf("with damaged code it responds with %d", got)
	}
	if got := statusOf(t, read(respondingWith(201), true)); got != 201 {
		t.Errorf("after that it responds with %d", got)
	}
	if err := os.Chmod(codes.Dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if got := statusOf(t, read(respondingWith(202), false)); got != 202 {
		t.Errorf("in a folder that is everybody's it responds with %d", got)
	}
}

// Of what is kept there is never more than there may be: what was used longest ago goes, and
// nothing that isn't a module's.
func TestCodesAreBounded(t *testing.T) {
	codes := &Codes{Dir: filepath.Join(t.TempDir(), "plugins"), Most: 1}
	if err := os.Mkdir(codes.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	note := filepath.Join(codes.Dir, "README")
	if err := os.WriteFile(note, []byte("not a module's"), 0o600); err != nil {
		t.Fatal(err)
	}
	var last *module
	for status := range int64(3) {
		m, err := compile(respondingWith(200+status), nil, generous, codes, func(Level, string) {})
		if err != nil || m.unkept != nil {
			t.Fatal(err, m.unkept)
		}
		t.Cleanup(func() { _ = m.runtime.Close(t.Context()) })
		last = m
	}
	if all := filesIn(t, codes.Dir); len(all) != 2 || len(filesIn(t, codes.folder(last.sum))) != 1 {
		t.Errorf("there are %q", all)
	}
	codes.Most = 1 << 20
	for status := range int64(2) {
		m, err := compile(respondingWith(210+status), nil, generous, codes, func(Level, string) {})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = m.runtime.Close(t.Context()) })
		at := time.Now().Add(time.Duration(status-3) * time.Hour) // the one that is used last is the newest
		if err := os.Chtimes(codes.folder(m.sum), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(filesIn(t, codes.Dir)); n != 4 {
		t.Errorf("there is room for all, and %d files are left", n)
	}
	codes.Most = 1
	if err := codes.used(last.sum); err != nil {
		t.Error(err)
	}
	if len(filesIn(t, codes.folder(last.sum))) != 1 || len(filesIn(t, codes.Dir)) != 2 {
		t.Errorf("left are %q", filesIn(t, codes.Dir))
	}
}
