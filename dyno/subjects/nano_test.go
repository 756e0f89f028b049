package subjects

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

// TestNanoIsWhole looks for every package of nano's module that the packed nano
// imports: what nano/source.go forgets to embed can't be built.
func TestNanoIsWhole(t *testing.T) {
	fsys, err := FS()
	if err != nil {
		t.Fatal(err)
	}
	sources := 0
	err = fs.WalkDir(fsys, nanoDir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".go" {
			return err
		}
		if strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s is a test", name)
		}
		sources++
		for _, dir := range importedHere(t, fsys, name) {
			if found, err := fs.Glob(fsys, path.Join(nanoDir, dir, "*.go")); err != nil || len(found) == 0 {
				t.Errorf("%s imports dyno.example/nano/%s, which nano/source.go does not embed", name, dir)
			}
		}
		return nil
	})
	if err != nil || sources == 0 {
		t.Errorf("%d sources, %v", sources, err)
	}
}

// TestNanogateIsWhole looks for every package of this repository that the packed nanogate
// imports: what nanogate/source.go, internal/source.go or dyno/subjects/pack.go forget can't be built. A module of nano's
// that is new there needs a Source, a line in pack.go, and a -replace in
// go/nanogate/subject.yaml.
func TestNanogateIsWhole(t *testing.T) {
	fsys, err := FS()
	if err != nil {
		t.Fatal(err)
	}
	sources := 0
	err = fs.WalkDir(fsys, nanogateDir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".go" {
			return err
		}
		if strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s is a test", name)
		}
		sources++
		for _, target := range imported(t, fsys, name) {
			dir, ok := strings.CutPrefix(target, "dyno.example/")
			if found, err := fs.Glob(fsys, path.Join(dir, "*.go")); ok && (err != nil || len(found) == 0) {
				t.Errorf("%s imports %s, which is not packed", name, target)
			}
		}
		return nil
	})
	if err != nil || sources == 0 {
		t.Errorf("%d sources, %v", sources, err)
	}
}

// importedHere returns the folders of nano's module that a file imports.
func importedHere(t *testing.T, fsys fs.FS, name string) (dirs []string) {
	for _, target := range imported(t, fsys, name) {
		if dir, ok := strings.CutPrefix(target, "dyno.example/nano/"); ok {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// imported returns what a file imports.
func imported(t *testing.T, fsys fs.FS, name string) (targets []string) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range file.Imports {
		target, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, target)
	}
	return targets
}

// TestSubjectsRequireWhatNanoDoes: a subject's requirements are pinned, so they must
// be raised with nano's.
func TestSubjectsRequireWhatNanoDoes(t *testing.T) {
	const system = "golang.org/x/sys v"
	want := requirement(t, "../../nano/go.mod", system)
	for _, dir := range []string{"go/nano", "go/nano-grpc", "go/nano-mounted", "go/upstream"} {
		if got := requirement(t, path.Join(dir, "go.mod"), system); got != want {
			t.Errorf("%s/go.mod requires %s, nano %s: run go mod tidy there", dir, got, want)
		}
	}
}

func requirement(t *testing.T, file, prefix string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimPrefix(strings.TrimSpace(line), "require "); strings.HasPrefix(line, prefix) {
			version, _, _ := strings.Cut(line, " // indirect")
			return version
		}
	}
	t.Fatalf("%s does not require %s", file, prefix)
	return ""
}
