package study

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/dyno/studies"
	"dyno.example/dyno/subjects"
)

func subjectNames(t *testing.T) []string {
	t.Helper()
	names, err := subjects.Names()
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestOpenBuiltIn(t *testing.T) {
	for _, name := range studies.Names() {
		s, err := Open(name, subjectNames(t))
		if err != nil {
			t.Fatal(err)
		}
		if s.Name != name || s.Path != "builtin:"+name || s.Question == "" {
			t.Errorf("%s: got the study %q of %s, which asks %q", name, s.Name, s.Path, s.Question)
		}
	}
}

func TestOpenFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, path := range []string{"s.yaml", "noending", filepath.Join(dir, "t.yaml")} {
		if err := os.WriteFile(path, []byte(minimal), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path, shipped)
		if err != nil {
			t.Fatal(err)
		}
		if s.Path != path {
			t.Errorf("got the path %q, want %q", s.Path, path)
		}
	}
}

func TestOpenBuiltInWinsOverFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("routes", []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("routes", subjectNames(t)); err != nil {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, src := range map[string]string{"wrong.yaml": "study: s\n", "large.yaml": strings.Repeat("#", maxSource+1)} {
		if err := os.WriteFile(name, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("folder", 0o700); err != nil {
		t.Fatal(err)
	}
	const list = "; dyno studies lists them, and a file is named with its ending, such as my-study.yaml"
	names := studies.Names()
	valid := fmt.Sprintf("%s and %d more", strings.Join(names[:12], ", "), len(names)-12)
	tests := []struct{ name, want string }{
		{"go-framworks", `there is no built-in study "go-framworks" (did you mean "go-frameworks"?)` + list},
		{"zzz", `there is no built-in study "zzz" (valid: ` + valid + ")" + list},
		{"", `there is no built-in study "" (valid: ` + valid + ")" + list},
		{"absent.yaml", "reading the study: open absent.yaml: no such file or directory"},
		{"folder", "reading the study: read folder: is a directory"},
		{"./folder", "reading the study: read ./folder: is a directory"},
		{"wrong.yaml", "wrong.yaml:1:1: the study has no subjects (add: subjects: [go/nethttp])"},
		{"large.yaml", "large.yaml: expected a study of at most 1048576 bytes, got more"},
	}
	for _, c := range tests {
		if _, err := Open(c.name, shipped); err == nil || err.Error() != c.want {
			t.Errorf("%q: got\n%v\nwant\n%s", c.name, err, c.want)
		}
	}
}

func TestOpenUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	path := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(path, []byte(minimal), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, shipped); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}

func TestOpenEndlessFile(t *testing.T) {
	const zero = "/dev/zero"
	if _, err := os.Stat(zero); err != nil {
		t.Skip(err)
	}
	if _, err := Open(zero, shipped); err == nil || !strings.Contains(err.Error(), "at most 1048576 bytes") {
		t.Errorf("got %v", err)
	}
}

func TestStarterIsTheCallers(t *testing.T) {
	Starter()[0] = 'x'
	if _, err := Parse("study.yaml", Starter(), subjectNames(t)); err != nil {
		t.Error(err)
	}
}
