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

// larger are the types that have more, each with how many it may have: nobody adds to them
// without a look at docs/architecture.md, which says why these may.
var larger = map[string]int{
	"nano.Ctx": 83,
}

// linesOfFunction is how long a function is at most, from its first line to its last,
// without tests: more are several steps, each of which has a name.
const linesOfFunction = 60

// longer are the functions that have more lines, each with how many it may have, in tens:
// nobody adds to them. They are lists, whose items stand beside each other with what belongs
// to each: cases, fields of a file, states, what must hold. A name for the first and one for
// the second half would say nothing.
var longer = map[string]int{
	"dyno/bench/truth.studyCases":        130, // cases, each with what is injected and how it is judged
	"dyno/bench/truth.misleadingStudies": 70,

	"nanogate/internal/config.readOIDC": 90, // fields, which docs/fields.md is made from, and what they need together

	"nanogate/internal/proxy.deadlines.expired": 70, // what each state of a client means when its time is over
	"nanogate/internal/proxy.unsound":           80, // what must hold of a loop

	// The simulator's and the storm's peers: what each does at each point of an exchange,
	// faults included; and what is drawn for one, in the order of the seed.
	"nanogate/internal/simulator.client1.take":    70,
	"nanogate/internal/simulator.client2.event":   70,
	"nanogate/internal/simulator.drawing.request": 70,
	"nanogate/internal/simulator.server2.request": 70,
	"nanogate/internal/simulator.serving2.more":   70,
	"nanogate/internal/storm.Storm.planRoute":     70,
	"nanogate/internal/storm.Storm.roundTripWS":   70,
}

func TestTypesAreSmall(t *testing.T) {
	methods := map[string]int{}
	files := token.NewFileSet()
	functions := map[string]bool{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains(apart, name) || entry.Name() == "testdata" || name != "." && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, filepath.Join(root, name), nil, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			what, of := path.Dir(name)+".", ""
			if f.Recv != nil {
				of = what + receiver(f.Recv.List[0].Type)
				what = of + "."
			}
			what += f.Name.Name
			if of != "" && !functions[what] { // a method that each system has of its own is one
				methods[of]++
			}
			functions[what] = true
			if ast.IsGenerated(file) {
				continue
			}
			lines := files.Position(f.End()).Line - files.Position(f.Pos()).Line + 1
			if most := max(longer[what], linesOfFunction); lines > most {
				t.Errorf("%s has %d lines, want at most %d: give a step of it a name", what, lines, most)
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
	for name := range longer {
		if !functions[name] {
			t.Errorf("there is no function %s", name)
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
