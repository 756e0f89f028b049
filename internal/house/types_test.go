package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// methodsMost is how many methods a type has at most: one with more is what everything
// hangs on, and whoever changes a part of it has to know all of it.
const methodsMost = 60

// larger are the types that have more, each with how many it may have: nobody adds to them.
// Those of nano are its interface, a method for each thing that a handler or a program asks
// for. The loops are to be taken apart.
var larger = map[string]int{
	"nano.App": 65,
	"nano.Ctx": 83,
}

func TestTypesAreSmall(t *testing.T) {
	methods := map[string]int{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains(apart, name) || entry.Name() == "testdata" || name != "." && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[path.Dir(name)+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(methods) < 500 {
		t.Fatalf("only %d types were found", len(methods))
	}
	for name, n := range methods {
		most, exception := larger[name]
		switch {
		case exception && n < most:
			t.Errorf("%s has %d methods by now: lower its bound of %d in internal/house/types_test.go", name, n, most)
		case n > max(most, methodsMost):
			t.Errorf("%s has %d methods, want at most %d: give a part of it a type of its own", name, n, max(most, methodsMost))
		}
	}
	for name := range larger {
		if methods[name] == 0 {
			t.Errorf("there is no type %s", name)
		}
	}
}

// receiver is the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
