package house

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// goIn runs the go command in dir, without network, and returns what it prints. The
// workspace is "off", or "" for the one around dir.
func goIn(t *testing.T, dir, workspace string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK="+workspace, "GOFLAGS=-mod=readonly", "GOPROXY=off")
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s in %s: %v\n%s", strings.Join(args, " "), dir, err, &problems)
	}
	return string(out)
}

// TestGraphsOfPrograms makes programs as users write them and looks at all that they
// resolve: an importer of nano must not be given what only its neighbours need.
func TestGraphsOfPrograms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		imports string
		modules []string // of this repository, the last one's go.sum has all sums
		want    []string // beside the program
	}{
		{"nano", "dyno.example/nano", []string{"nano"}, []string{"dyno.example/nano", "golang.org/x/sys"}},
		{"middleware", "dyno.example/nano/middleware", []string{"nano"}, []string{"dyno.example/nano", "golang.org/x/sys"}},
		{"jwt", "dyno.example/nano/jwt", []string{"nano", "nano/jwt"},
			[]string{"dyno.example/nano", "dyno.example/nano/jwt", "github.com/golang-jwt/jwt/v5", "golang.org/x/sys"}},
		{"ws", "dyno.example/nano/ws", []string{"nano", "nano/ws"},
			[]string{"dyno.example/nano", "dyno.example/nano/ws", "github.com/coder/websocket", "golang.org/x/sys"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := program(t, tt.imports, tt.modules)
			got := strings.Fields(goIn(t, dir, "off", "list", "-m", "-f", "{{.Path}}", "all"))
			slices.Sort(got)
			if want := append(tt.want, "program"); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
				t.Errorf("a program that imports %s resolves %q, want %q", tt.imports, got, want)
			}
			goIn(t, dir, "off", "list", "-deps", "./...") // all of it can be imported
		})
	}
}

// program writes a module that imports a package, with what go mod tidy would have put
// into its files.
func program(t *testing.T, imports string, modules []string) (dir string) {
	dir = t.TempDir()
	mod := "module program\n\ngo 1.26.0\n"
	var sums []byte
	for _, module := range modules {
		path, err := filepath.Abs(filepath.Join(root, module))
		if err != nil {
			t.Fatal(err)
		}
		mod += "\nrequire " + home + module + " v0.0.0\n\nreplace " + home + module + " => " + path + "\n"
		for _, r := range requirements(t, path) {
			if !strings.HasPrefix(r.Path, home) {
				mod += "\nrequire " + r.Path + " " + r.Version + "\n"
			}
		}
		if sums, err = os.ReadFile(filepath.Join(path, "go.sum")); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{
		"go.mod":  mod,
		"go.sum":  string(sums),
		"main.go": "package main\n\nimport _ \"" + imports + "\"\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// home is what the paths of all modules begin with, as go.work has them: a name that
// nobody can own (RFC 2606) until they have a home. scripts/home gives them another one.
const home = "dyno.example/"

type requirement struct {
	Path, Version string
	Indirect      bool
}

// requirements are those of the go.mod in dir, indirect ones too.
func requirements(t *testing.T, dir string) []requirement {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil { // go test sees when it changes
		t.Fatal(err)
	}
	var mod struct{ Require []requirement }
	if err := json.Unmarshal([]byte(goIn(t, dir, "off", "mod", "edit", "-json")), &mod); err != nil {
		t.Fatal(err)
	}
	return mod.Require
}

// TestVersionsAgree: where two modules require a library, they require the same version,
// or what is tested in the workspace would not be what each builds with alone.
func TestVersionsAgree(t *testing.T) {
	type first struct{ version, module string }
	seen := make(map[string]first)
	for dir := range strings.Lines(goIn(t, root, "", "list", "-m", "-f", "{{.Dir}}")) {
		dir = strings.TrimSpace(dir)
		for _, r := range requirements(t, dir) {
			have, ok := seen[r.Path]
			if !ok {
				seen[r.Path] = first{r.Version, dir}
			} else if have.version != r.Version {
				t.Errorf("%s requires %s %s, %s requires %s: go get the newer one in both, then go mod tidy",
					dir, r.Path, r.Version, have.module, have.version)
			}
		}
	}
	if len(seen) == 0 {
		t.Error("no module requires anything")
	}
}

// TestLibrariesStandOnTheAPI: a module beside nano may be used with another version of
// nano than it was released with, so it keeps to what doesn't change with each.
func TestLibrariesStandOnTheAPI(t *testing.T) {
	t.Parallel()
	const form = "{{with .Module}}{{.Path}}{{end}} {{.ImportPath}} {{join .Imports \" \"}}"
	checked := 0
	for line := range strings.Lines(goIn(t, root, "", "list", "-f", form, "work")) {
		words := strings.Fields(line)
		module, path := words[0], words[1]
		if !strings.HasPrefix(module, home+"nano/") || module == home+"nano/bench" {
			continue
		}
		checked++
		for _, imported := range words[2:] {
			if imported == "dyno.example/nano/wire/grpc" && strings.HasPrefix(path, "dyno.example/nano/grpc") ||
				imported == "dyno.example/nano/wire/websocket" && path == "dyno.example/nano/ws" {
				continue // formats that specifications have fixed
			}
			if strings.HasPrefix(imported, "dyno.example/nano/wire/") || strings.HasPrefix(imported, "dyno.example/nano/internal/") {
				t.Errorf("%s imports %s, which may change with any version of nano", path, imported)
			}
		}
	}
	if checked == 0 {
		t.Error("go.work has no modules beside nano")
	}
}

// TestModulesAreWhole: a module's go.mod has all that its packages and their tests need,
// which the workspace would hide, and replaces nothing: whoever requires it has no use of
// its replacements.
func TestModulesAreWhole(t *testing.T) {
	t.Parallel()
	here := strings.Fields(goIn(t, root, "", "list", "-m", "-f", "{{.Path}}={{.Dir}}"))
	for _, one := range here {
		path, dir, _ := strings.Cut(one, "=")
		t.Run(path, func(t *testing.T) {
			scratch := t.TempDir()
			for _, name := range []string{"go.mod", "go.sum"} {
				text, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil && name == "go.mod" {
					t.Fatal(err)
				}
				if name == "go.mod" && bytes.Contains(text, []byte("replace ")) {
					t.Error("its go.mod replaces what it requires: go.work does that, and scripts/tidy keeps it so")
				}
				if err := os.WriteFile(filepath.Join(scratch, name), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			modfile := filepath.Join(scratch, "go.mod")
			edit := []string{"mod", "edit"}
			for _, other := range here {
				edit = append(edit, "-replace", other)
			}
			goIn(t, scratch, "off", append(edit, modfile)...)
			goIn(t, dir, "off", "list", "-modfile", modfile, "-deps", "-test", "./...")
		})
	}
}

// TestRequirements: what a module requires by itself is what its users take along.
func TestRequirements(t *testing.T) {
	for module, most := range map[string]int{"dyno": 30, "nanogate": 34, "nano": 1} {
		direct := 0
		for _, r := range requirements(t, filepath.Join(root, module)) {
			if !r.Indirect {
				direct++
			}
		}
		if direct == 0 || direct > most {
			t.Errorf("%s requires %d modules directly, want 1 to %d", module, direct, most)
		}
	}
}

// TestWorkspaceIsWhole: every module is in go.work, or nobody builds it.
func TestWorkspaceIsWhole(t *testing.T) {
	inWork := strings.Fields(goIn(t, root, "", "list", "-m"))
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			if dir, err := filepath.Rel(root, path); err != nil || slices.Contains(apart, filepath.ToSlash(dir)) || entry.Name() == "testdata" {
				return cmp.Or(err, filepath.SkipDir)
			}
		}
		if err != nil || entry.Name() != "go.mod" {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if module := home + filepath.ToSlash(dir); err == nil && !slices.Contains(inWork, module) {
			t.Errorf("%s is not in go.work: go work use ./%s", module, filepath.ToSlash(dir))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
