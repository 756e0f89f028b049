package config

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// described is a field as the source says it: a row of a table of [known] fields with the comment
// on it, what its reader expects, and what what it sets is without it.
type described struct {
	name    string
	at      token.Pos
	meaning string
	kinds   []string    // what is expected, of several one
	list    bool        // of one or several
	named   bool        // by names that the file gives
	nested  []described // fields of its own
	table   token.Pos   // where those stand, which tells them from others
	byField string      // "" if no fields, else the default, "" without one
}

// source is this package's text.
type source struct {
	set      *token.FileSet
	info     *types.Info
	bodies   map[types.Object]*ast.BlockStmt // of functions, and of those in variables
	values   map[types.Object]ast.Expr       // of variables
	rows     map[token.Pos]string            // comments on rows of tables
	defaults map[types.Object][]constant.Value
}

// standIn imports packages without a look at them: of time its durations, of others nothing.
type standIn struct{}

func (standIn) Import(path string) (*types.Package, error) {
	made := types.NewPackage(path, filepath.Base(strings.TrimSuffix(path, "/v3")))
	if path == "time" {
		name := types.NewTypeName(token.NoPos, made, "Duration", nil)
		of := types.NewNamed(name, types.Typ[types.Int64], nil)
		made.Scope().Insert(name)
		for unit, d := range map[string]time.Duration{"Nanosecond": 1, "Microsecond": time.Microsecond, "Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour} {
			made.Scope().Insert(types.NewConst(token.NoPos, made, unit, of, constant.MakeInt64(int64(d))))
		}
	}
	made.MarkComplete()
	return made, nil
}

// readSource reads the package's text. What other packages it needs isn't there, which is no
// matter: what is looked for is its own.
func readSource(t testing.TB) *source {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	s := &source{
		set: token.NewFileSet(), bodies: map[types.Object]*ast.BlockStmt{}, values: map[types.Object]ast.Expr{}, rows: map[token.Pos]string{}, defaults: map[types.Object][]constant.Value{},
		info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}},
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(s.set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	check := types.Config{Importer: standIn{}, Error: func(error) {}}
	_, _ = check.Check("config", s.set, files, s.info) // much of it is missing
	for _, file := range files {
		s.look(file)
	}
	return s
}

// look notes what a file says.
func (s *source) look(file *ast.File) {
	comments := s.comments(file)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			s.bodies[s.info.Defs[n.Name]] = n.Body
		case *ast.ValueSpec:
			for i := range min(len(n.Names), len(n.Values)) {
				s.values[s.info.Defs[n.Names[i]]] = n.Values[i]
			}
		case *ast.AssignStmt:
			for i := range min(len(n.Lhs), len(n.Rhs)) {
				if name, ok := n.Lhs[i].(*ast.Ident); ok && n.Tok == token.DEFINE {
					if f, ok := n.Rhs[i].(*ast.FuncLit); ok {
						s.bodies[s.info.Defs[name]] = f.Body
					}
					s.values[s.info.Defs[name]] = n.Rhs[i]
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && s.info.Types[n.Value].Value != nil {
				field := s.info.Uses[key]
				s.defaults[field] = append(s.defaults[field], s.info.Types[n.Value].Value)
			}
		case *ast.CompositeLit:
			if s.isRow(n) {
				s.rows[n.Pos()] = comments(n)
			}
		}
		return true
	})
}

// comments finds the comment above a row, or behind it.
func (s *source) comments(file *ast.File) func(ast.Node) string {
	line := func(p token.Pos) int { return s.set.Position(p).Line }
	ends := map[int]bool{} // lines that a row ends on
	ast.Inspect(file, func(n ast.Node) bool {
		if c, ok := n.(*ast.CompositeLit); ok && s.isRow(c) {
			ends[line(c.End())] = true
		}
		return true
	})
	return func(n ast.Node) string {
		for _, c := range file.Comments {
			above := line(c.End()) == line(n.Pos())-1 && !ends[line(c.Pos())]
			behind := line(c.Pos()) == line(n.End()) && c.Pos() > n.End()
			if above || behind {
				return sentence(c.Text())
			}
		}
		return ""
	}
}

// isRow reports whether a literal is a row of a table of fields: a name, and what reads it.
func (s *source) isRow(c *ast.CompositeLit) bool {
	if len(c.Elts) != 2 {
		return false
	}
	name, ok := c.Elts[0].(*ast.BasicLit)
	if !ok || name.Kind != token.STRING {
		return false
	}
	switch f := c.Elts[1].(type) {
	case *ast.FuncLit:
		return len(f.Type.Params.List) > 0
	case *ast.ParenExpr, *ast.SelectorExpr: // (*Route).readTo
		return true
	case *ast.Ident:
		return s.bodies[s.info.Uses[f]] != nil || f.Obj != nil && f.Obj.Kind == ast.Var
	}
	return false
}

// sentence is a comment on one line.
func sentence(text string) string { return strings.Join(strings.Fields(text), " ") }

// table is what the fields of a table are.
func (s *source) table(e ast.Expr, within []types.Object) (all []described) {
	switch e := e.(type) {
	case *ast.Ident:
		if v := s.values[s.info.Uses[e]]; v != nil {
			return s.table(v, within)
		}
	case *ast.CallExpr:
		if name := calledName(e); name == "append" || name == "Clone" {
			for _, arg := range e.Args {
				all = append(all, s.table(arg, within)...)
			}
			return all
		}
		if body := s.bodies[s.called(e)]; body != nil { // a function that makes a table
			ast.Inspect(body, func(n ast.Node) bool {
				if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 1 {
					all = append(all, s.table(r.Results[0], within)...)
				}
				return true
			})
		}
	case *ast.CompositeLit:
		for _, one := range e.Elts {
			if row, ok := one.(*ast.CompositeLit); ok && s.isRow(row) {
				all = append(all, s.row(row, within))
			}
		}
	}
	return all
}

// row is what a field is.
func (s *source) row(row *ast.CompositeLit, within []types.Object) described {
	d := described{at: row.Pos(), name: strings.Trim(row.Elts[0].(*ast.BasicLit).Value, `"`), meaning: s.rows[row.Pos()]}
	var body *ast.BlockStmt
	switch f := row.Elts[1].(type) {
	case *ast.FuncLit:
		body = f.Body
	case *ast.SelectorExpr:
		body = s.bodies[s.info.Uses[f.Sel]]
	case *ast.Ident:
		body = s.bodies[s.info.Uses[f]]
	}
	if body == nil {
		return d
	}
	s.expects(body, &d, within)
	field := s.sets(body)
	if all := slices.Compact(slices.Clone(s.defaults[field])); len(all) == 1 && d.nested == nil {
		d.byField = d.shown(all[0])
	}
	return d
}

// variable is the value of a variable of the package; nil: there is none.
func (s *source) variable(name string) ast.Expr {
	for object, v := range s.values {
		if object != nil && object.Name() == name {
			return v
		}
	}
	return nil
}

// sets is the field of a struct that a reader sets first.
func (s *source) sets(body *ast.BlockStmt) (field types.Object) {
	ast.Inspect(body, func(n ast.Node) bool {
		var e ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			e = n.Lhs[0]
		case *ast.UnaryExpr:
			e = n.X
		}
		if sel, ok := e.(*ast.SelectorExpr); ok && field == nil && s.info.Selections[sel] != nil {
			field = s.info.Selections[sel].Obj()
		}
		return field == nil
	})
	return field
}

// calledName is the name of what is called.
func calledName(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// called is the function or method that is called.
func (s *source) called(c *ast.CallExpr) types.Object {
	f := c.Fun
	if generic, ok := f.(*ast.IndexExpr); ok {
		f = generic.X
	}
	switch f := f.(type) {
	case *ast.Ident:
		return s.info.Uses[f]
	case *ast.SelectorExpr:
		return s.info.Uses[f.Sel]
	}
	return nil
}
