package pack

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// tree makes a folder of the named files, each with its name as content.
func tree(modified time.Time, names ...string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for _, name := range names {
		fsys[name] = &fstest.MapFile{Data: []byte(name), ModTime: modified, Mode: 0o600}
	}
	return fsys
}

func TestSources(t *testing.T) {
	got, err := Sources(tree(time.Time{},
		"pack.go", "pack_test.go", "subjects.zip", "README.md", "routes.yaml", "internal/pack/pack.go",
		"go/b/go.mod", "go/b/main.go", "go/a/subject.yaml", "go/a/go.sum", "go/a/deep/x.go",
		"go/a/main_test.go", "go/a/testdata/fuzz/FuzzParse/1", "go/a/.editorconfig", ".cache/x"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"README.md", "go/a/deep/x.go", "go/a/go.sum", "go/a/subject.yaml", "go/b/go.mod", "go/b/main.go", "routes.yaml"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestSourcesRefusesUnknownKinds(t *testing.T) {
	for _, name := range []string{"go/gin/server", "zig/http/main.zig", "go/gin/notgo.mod"} {
		_, err := Sources(tree(time.Time{}, "go/gin/main.go", name))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v does not name the file", name, err)
		}
		if _, err := Pack(tree(time.Time{}, name)); err == nil {
			t.Errorf("%s was packed", name)
		}
	}
}

func TestSourcesRefusesLinks(t *testing.T) {
	fsys := tree(time.Time{}, "go/gin/main.go")
	fsys["go/gin/link.go"] = &fstest.MapFile{Data: []byte("main.go"), Mode: fs.ModeSymlink}
	if _, err := Sources(fsys); err == nil || !strings.Contains(err.Error(), "go/gin/link.go") {
		t.Errorf("error %v does not name the link", err)
	}
}

func TestPackDependsOnContentOnly(t *testing.T) {
	names := []string{"routes.yaml", "go/a/main.go", "go/a/go.mod"}
	one, err := Pack(tree(time.Unix(1e9, 0), names...))
	if err != nil {
		t.Fatal(err)
	}
	same, err := Pack(tree(time.Now(), names...))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one, same) {
		t.Error("the same files at another time give other bytes")
	}
	changed := tree(time.Unix(1e9, 0), names...)
	changed["go/a/main.go"].Data = []byte("changed")
	if other, err := Pack(changed); err != nil || bytes.Equal(one, other) {
		t.Errorf("a changed file gives the same bytes (error %v)", err)
	}
}
