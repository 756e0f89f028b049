package house

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// What compiles in places where no test runs is found by the types of its source, which
// takes seconds: to compile everything that it stands on takes minutes.

// forLinux are packages that don't have to compile anywhere else.
var forLinux = regexp.MustCompile(`/bench(/|$)|/nanogate(/|$)`)

// TestCompilesOnMacOS: all of the repository and its tests but what is for Linux alone.
func TestCompilesOnMacOS(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("CI does")
	}
	var names []string
	env := append(os.Environ(), "GOOS=darwin", "CGO_ENABLED=0")
	for _, name := range strings.Fields(goIn(t, root, "", "list", "work")) {
		if !forLinux.MatchString(name) {
			names = append(names, name)
		}
	}
	if len(names) < 100 {
		t.Fatalf("only %d packages", len(names))
	}
	typeCheck(t, root, env, names...)
}

// TestConformanceCompiles: nanogate's tests of conformance with the Gateway API are run by
// hand, beside an API server, and are a module of their own.
func TestConformanceCompiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("CI does")
	}
	dir := filepath.Join(root, "nanogate/internal/kubernetes/conformance")
	typeCheck(t, dir, append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0"), "./...")
}

// TestTypeCheckFinds what is wrong on one system only, in a package and in its tests.
func TestTypeCheckFinds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module dyno.example/wrong\n\ngo 1.26.0\n",
		"fine.go":          "package wrong\n\nimport \"strings\"\n\nfunc f() string { return strings.ToUpper(g()) }\n",
		"g_linux.go":       "package wrong\n\nfunc g() string { return \"\" }\n",
		"g_darwin.go":      "package wrong\n\nfunc g() int { return 0 }\n",
		"x_darwin_test.go": "package wrong_test\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Nothing() }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for system, want := range map[string][]string{"linux": nil, "darwin": {"fine.go:5:", "x_darwin_test.go:5:"}} {
		all, err := listed(dir, append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0", "GOOS="+system), "./...")
		if err != nil {
			t.Fatal(err)
		}
		found := check(all)
		if len(found) != len(want) {
			t.Errorf("%s: %v, want %v", system, found, want)
		}
		for i := range min(len(found), len(want)) {
			if !strings.Contains(found[i].Error(), want[i]) {
				t.Errorf("%s: %v, want %v", system, found[i], want[i])
			}
		}
	}
}

// typeCheck fails where packages, their tests or what these import don't fit together.
func typeCheck(t *testing.T, dir string, env []string, names ...string) {
	t.Helper()
	all, err := listed(dir, env, names...)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range check(all) {
		t.Error(err)
	}
}

// checked is a package as go list has it, and what came of it.
type checked struct {
	ImportPath, Dir string
	GoFiles         []string
	Imports         []string
	ImportMap       map[string]string
	Module          *struct{ Path, GoVersion string }

	done     chan struct{} // closed when the rest is known
	types    *types.Package
	failures []error
}

// own reports whether a package is of this repository.
func (p *checked) own() bool {
	return p.Module != nil && strings.HasPrefix(p.Module.Path+"/", home)
}

// listed are packages, their tests and all that these import.
func listed(dir string, env []string, names ...string) (all []*checked, err error) {
	args := append([]string{"list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,Imports,ImportMap,Module"}, names...)
	cmd := exec.Command("go", args...)
	var stderr strings.Builder
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for packages := json.NewDecoder(out); ; {
		p := &checked{done: make(chan struct{})}
		if err = packages.Decode(p); err != nil {
			break
		}
		if !strings.HasSuffix(p.ImportPath, ".test") { // which go test makes
			all = append(all, p)
		}
	}
	if err == io.EOF {
		err = nil
	}
	if failed := errors.Join(err, cmd.Wait()); failed != nil {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], failed, stderr.String())
	}
	return all, nil
}

// check finds the types of all packages, of others' without the bodies of functions, as
// many at a time as there are CPUs.
func check(all []*checked) (failures []error) {
	by := map[string]*checked{}
	for _, p := range all {
		by[p.ImportPath] = p
	}
	files := token.NewFileSet()
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	var checking sync.WaitGroup
	for _, p := range all {
		checking.Go(func() {
			defer close(p.done)
			for _, path := range p.Imports {
				if q := by[path]; q != nil {
					<-q.done
				}
			}
			turns <- struct{}{}
			defer func() { <-turns }()
			p.check(files, by)
		})
	}
	checking.Wait()
	for _, p := range all {
		failures = append(failures, p.failures...)
	}
	slices.SortFunc(failures, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return failures
}

func (p *checked) check(files *token.FileSet, by map[string]*checked) {
	fail := func(err error) { p.failures = append(p.failures, err) }
	var syntax []*ast.File
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			fail(err)
			return
		}
		syntax = append(syntax, file)
	}
	config := types.Config{
		Importer: importing{p, by}, IgnoreFuncBodies: !p.own(), Sizes: types.SizesFor("gc", runtime.GOARCH), Error: fail,
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	name, _, _ := strings.Cut(p.ImportPath, " ") // of a package with its tests: PATH [PATH.test]
	p.types, _ = config.Check(name, files, syntax, nil)
}

// importing gives a package those that it imports, which have been checked.
type importing struct {
	p  *checked
	by map[string]*checked
}

func (i importing) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	q := i.by[cmp.Or(i.p.ImportMap[path], path)]
	if q == nil || q.types == nil {
		return nil, fmt.Errorf("%s is not there", path)
	}
	return q.types, nil
}
