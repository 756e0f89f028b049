package nano

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// writeOld writes a file whose time is a while ago, n seconds after a fixed one.
func writeOld(t *testing.T, name, content string, n int) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2020, 1, 1, 0, 0, n, 0, time.UTC)
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
}

// What is kept of a file is never sent after the file has changed, gone, or been
// replaced by a way out of the directory.
func TestKeptFilesChange(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	writeOld(t, outside, "one", 1) // the same size and time
	for _, c := range []struct {
		name   string
		change func(t *testing.T, file string)
		want   string
	}{
		{"not at all", func(*testing.T, string) {}, "200 one"},
		{"newer", func(t *testing.T, file string) { writeOld(t, file, "two", 2) }, "200 two"},
		{"longer", func(t *testing.T, file string) { writeOld(t, file, "three", 1) }, "200 three"},
		{"another file of the same size and time", func(t *testing.T, file string) {
			writeOld(t, file+".new", "six", 1)
			if err := os.Rename(file+".new", file); err != nil {
				t.Fatal(err)
			}
		}, "200 six"},
		{"rewritten at its own time", func(t *testing.T, file string) { writeOld(t, file, "six", 1) }, "200 six"},
		{"gone", func(t *testing.T, file string) { os.Remove(file) }, "404"},
		{"a directory", func(t *testing.T, file string) { os.Remove(file); os.Mkdir(file, 0o700) }, "404"},
		{"a link to the outside", func(t *testing.T, file string) {
			os.Remove(file)
			if err := os.Symlink(outside, file); err != nil {
				t.Skip(err)
			}
		}, "404"},
		{"the directory above is a link to the outside", func(t *testing.T, file string) {
			os.RemoveAll(filepath.Dir(file))
			to := t.TempDir()
			writeOld(t, filepath.Join(to, "f.txt"), "one", 1)
			if err := os.Symlink(to, filepath.Dir(file)); err != nil {
				t.Skip(err)
			}
		}, "404"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "sub", "f.txt")
			os.Mkdir(filepath.Dir(file), 0o700)
			writeOld(t, file, "one", 1)
			app, kept := keeping(t, dir)
			for range 2 { // read, and from memory
				if r := get(app, "/sub/f.txt"); r.Code != 200 || r.Body.String() != "one" {
					t.Fatalf("before: %d %q", r.Code, r.Body)
				}
			}
			if len(kept.files) != 1 {
				t.Fatalf("%d files are kept", len(kept.files))
			}
			time.Sleep(20 * time.Millisecond) // beyond the grain of the file system's clock
			c.change(t, file)
			r := get(app, "/sub/f.txt")
			got := fmt.Sprint(r.Code)
			if r.Code == 200 {
				got += " " + r.Body.String()
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// Ranges and conditions hold for what is kept as for files.
func TestKeptFileIsLikeAFile(t *testing.T) {
	dir := t.TempDir()
	writeOld(t, filepath.Join(dir, "f.txt"), "0123456789", 1)
	app, kept := keeping(t, dir)
	first := get(app, "/f.txt")
	for range 3 {
		next := get(app, "/f.txt")
		for _, name := range []string{"ETag", "Last-Modified", "Content-Type", "Accept-Ranges", "Cache-Control"} {
			if a, b := first.Header().Get(name), next.Header().Get(name); a == "" || a != b {
				t.Errorf("%s was %q, is %q", name, a, b)
			}
		}
	}
	if len(kept.files) != 1 {
		t.Errorf("%d files are kept", len(kept.files))
	}
}

// keeping returns an app that serves a directory, and what it keeps of it, new as
// it may be.
func keeping(t *testing.T, dir string) (*App, *keptFiles) {
	t.Helper()
	app := New(Config{Logger: slog.New(slog.DiscardHandler)})
	s := newStatic(os.DirFS(dir), StaticOptions{})
	kept := s.fsys.(*keptFiles)
	kept.age = 0
	app.Get("/", s.serve)
	return app, kept
}

// What was written just now may be written again at the same time: it isn't kept.
// What is large isn't either, and all of it has a bound.
func TestKeptFilesAreFewAndOld(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	k := newKeptFiles(root.FS(), dir)
	if err := os.WriteFile(filepath.Join(dir, "new"), []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	writeOld(t, filepath.Join(dir, "large"), string(make([]byte, keptFileSize+1)), 1)
	for _, name := range []string{"new", "large"} {
		f, err := k.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if len(k.files) != 0 {
			t.Errorf("%s is kept", name)
		}
	}
	k.age = 0
	var all sync.WaitGroup
	for i := range 4 { // at once
		all.Go(func() {
			for n := range 300 {
				name := fmt.Sprintf("%d-%d", i, n)
				writeOld(t, filepath.Join(dir, name), string(make([]byte, keptFileSize)), n)
				if f, err := k.Open(name); err == nil {
					f.Close()
				}
			}
		})
	}
	all.Wait()
	total := 0
	for name, kept := range k.files {
		total += kept.cost(name)
	}
	if total != k.bytes || total > keptBytes || total < keptBytes/2 {
		t.Errorf("%d files of %d bytes are kept, %d counted, limit %d", len(k.files), total, k.bytes, keptBytes)
	}
}
