package nano_test

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"dyno.example/nano"
)

// TestSourceIsWhole: the patterns of source.go match each file of the packages they
// name, and no test.
func TestSourceIsWhole(t *testing.T) {
	source, dirs := nano.Source(), []string{"."}
	packages, err := fs.Glob(source, "*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range append(dirs, packages...) {
		here, err := fs.Glob(os.DirFS(dir), "*.go")
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(here, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
		got, err := fs.Glob(source, path.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range got {
			got[i] = path.Base(name)
		}
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("source.go doesn't embed %s: add a pattern", path.Join(dir, name))
			}
		}
		for _, name := range got {
			if !slices.Contains(want, name) {
				t.Errorf("source.go embeds %s", path.Join(dir, name))
			}
		}
	}
}
