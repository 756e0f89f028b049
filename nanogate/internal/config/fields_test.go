package config

import (
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"dyno.example/nanogate/internal/filters"
)

var update = flag.Bool("update", false, "write the tables of fields into nanogate/docs")

// expects notes what a reader's body reads: values by the methods of [place], fields by
// readFields, and what other readers do to which it hands its place.
func (s *source) expects(body *ast.BlockStmt, d *described, within []types.Object) {
	ast.Inspect(body, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		f := s.called(c)
		name := ""
		switch fun := c.Fun.(type) {
		case *ast.Ident:
			name = fun.Name
		case *ast.SelectorExpr:
			if name = fun.Sel.Name; s.isPlace(fun.X) && s.value(name, c, d) {
				return true
			}
		}
		switch {
		case name == "readFields":
			if nested := s.table(c.Args[2], within); len(nested) > len(d.nested) {
				d.nested, d.table = nested, s.tableOf(c.Args[2])
			}
			return false
		case f == nil || s.bodies[f] == nil || slices.Contains(within, f) || !slices.ContainsFunc(append(c.Args, receiver(c)), s.isPlace):
		default:
			s.expects(s.bodies[f], d, append(within, f))
		}
		return true
	})
}

// tableOf is where a table stands.
func (s *source) tableOf(e ast.Expr) token.Pos {
	switch e := e.(type) {
	case *ast.Ident:
		if v := s.values[s.info.Uses[e]]; v != nil {
			return s.tableOf(v)
		}
	case *ast.CallExpr:
		if len(e.Args) > 0 { // append, or a copy
			return s.tableOf(e.Args[0])
		}
	}
	return e.Pos()
}

func receiver(c *ast.CallExpr) ast.Expr {
	if sel, ok := c.Fun.(*ast.SelectorExpr); ok {
		return sel.X
	}
	return nil
}

// isPlace reports whether an expression is a place of a file.
func (s *source) isPlace(e ast.Expr) bool {
	if e == nil {
		return false
	}
	named, ok := s.info.Types[e].Type.(*types.Named)
	return ok && named.Obj().Name() == "place"
}

// value notes a value that a method of a place reads; false: it is none of those.
func (s *source) value(method string, c *ast.CallExpr, d *described) bool {
	kind := map[string]string{
		"Boolean": "`true` or `false`", "share": "share, as 5% or 0.05", "text": "text", "expression": "text", "token": "name", "label": "name", "consulName": "name",
		"path": "file", "secretFile": "file", "logFile": "file", "pathOrURL": "file or URL", "webURL": "URL", "collector": "URL",
		"prefix": "address or network", "listenAddress": "host:port", "nameServer": "host:port", "Scalar": "text", "times": "number", "secret": "`{file}` or `{env}`",
	}[method]
	switch method {
	case "list", "bounded", "Items":
		d.list = true
		return true
	case "fields", "Entries":
		d.named = true
		return true
	case "Duration", "duration":
		low, high := s.span(c.Args)
		kind = fmt.Sprintf("time, %s to %s", brief(low), brief(high))
	case "size":
		kind = "size, " + s.bounds(c.Args, size)
	case "Integer", "status":
		kind = "number, " + s.bounds(c.Args, func(n int64) string { return strconv.FormatInt(n, 10) })
	case "word":
		for _, word := range s.words(c.Args) {
			d.add("`" + word + "`")
		}
		return true
	case "":
		return false
	}
	if kind == "" {
		return false
	}
	d.add(kind)
	return true
}

func (d *described) add(kind string) {
	if !slices.Contains(d.kinds, kind) {
		d.kinds = append(d.kinds, kind)
	}
}

// words are the choices that a call names, one by one or in a variable.
func (s *source) words(args []ast.Expr) (all []string) {
	for _, arg := range args {
		if slice, ok := arg.(*ast.SliceExpr); ok {
			all = append(all, s.words([]ast.Expr{slice.X})[:s.number(slice.High)]...)
			continue
		}
		if name, ok := arg.(*ast.Ident); ok && s.info.Types[arg].Value == nil {
			if list, ok := s.values[s.info.Uses[name]].(*ast.CompositeLit); ok {
				all = append(all, s.words(list.Elts)...)
			}
			continue
		}
		if v := s.info.Types[arg].Value; v != nil && v.Kind() == constant.String {
			all = append(all, constant.StringVal(v))
		}
	}
	return all
}

func (s *source) number(e ast.Expr) int64 {
	n, _ := constant.Int64Val(constant.ToInt(s.info.Types[e].Value))
	return n
}

func (s *source) span(args []ast.Expr) (low, high time.Duration) {
	if name, ok := args[0].(*ast.Ident); ok && len(args) == 1 {
		args = s.values[s.info.Uses[name]].(*ast.CompositeLit).Elts
	}
	return time.Duration(s.number(args[0])), time.Duration(s.number(args[1]))
}

func (s *source) bounds(args []ast.Expr, show func(int64) string) string {
	return show(s.number(args[0])) + " to " + show(s.number(args[1]))
}

// brief is a duration without zeros.
func brief(d time.Duration) string {
	text := d.String()
	if d >= time.Hour && d%(24*time.Hour) == 0 && d > 24*time.Hour {
		return strconv.Itoa(int(d/(24*time.Hour))) + "d"
	}
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// size is a number of bytes with its unit.
func size(n int64) string {
	for _, unit := range []struct {
		shift uint
		name  string
	}{{50, "PiB"}, {40, "TiB"}, {30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if n >= 1<<unit.shift && n%(1<<unit.shift) == 0 {
			return strconv.FormatInt(n>>unit.shift, 10) + unit.name
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}

// shown is a default as a file would say it; "": it says nothing.
func (d *described) shown(v constant.Value) string {
	is := func(kind string) bool {
		return slices.ContainsFunc(d.kinds, func(k string) bool { return strings.HasPrefix(k, kind) })
	}
	switch v.Kind() {
	case constant.String:
		return "`" + constant.StringVal(v) + "`"
	case constant.Bool:
		return "`" + v.String() + "`"
	}
	if is("share") {
		x, _ := constant.Float64Val(v)
		return "`" + strconv.FormatFloat(100*x, 'g', 4, 64) + "%`"
	}
	n, _ := constant.Int64Val(constant.ToInt(v))
	switch {
	case is("time"):
		return "`" + brief(time.Duration(n)) + "`"
	case is("size"):
		return "`" + size(n) + "`"
	}
	return "`" + v.ExactString() + "`"
}

// values is what is expected, in words.
func (d *described) values(link string) string {
	kinds := slices.Clone(d.kinds)
	if link != "" {
		kinds = append(kinds, link)
	}
	text := strings.Join(kinds, " or ")
	if n := len(kinds); n > 2 {
		text = strings.Join(kinds[:n-1], ", ") + " or " + kinds[n-1]
	}
	if d.named {
		return strings.TrimSpace("by name: " + text)
	}
	if d.list {
		return strings.TrimSpace("one or a list of: " + text)
	}
	return text
}

// page writes tables of fields.
type page struct {
	t     *testing.T
	b     strings.Builder
	shown map[token.Pos]string // tables that are there, and the headings above them
	next  []nested
	in    string // the page that these are on, if it is another one
}

// nested are fields below a heading, and what leads to them.
type nested struct {
	heading, path string
	fields        []described
}

// said cuts what a comment says of something off its end; otherwise is what holds without it.
func said(meaning, of, otherwise string) (rest, text string) {
	if before, text, ok := strings.Cut(meaning, of); ok {
		return strings.TrimSpace(before), strings.TrimSuffix(text, ".")
	}
	return meaning, otherwise
}

func (p *page) table(path string, fields []described) {
	p.b.WriteString("| field | value | default | meaning |\n|---|---|---|---|\n")
	for _, f := range fields {
		if f.meaning == "" {
			p.t.Errorf("%s.%s: the source says nothing of it: write a comment above its row", path, f.name)
		}
		meaning, otherwise := said(f.meaning, "Default: ", f.byField)
		full := strings.TrimPrefix(path+"."+f.name, ".")
		link := ""
		if len(f.nested) > 0 {
			heading, known := p.shown[f.table]
			if !known {
				heading = full
				p.shown[f.table] = heading
				p.next = append(p.next, nested{heading, full, f.nested})
			}
			link = "[fields](" + p.in + "#" + strings.NewReplacer(".", "", " ", "-").Replace(strings.ToLower(heading)) + ")"
		}
		meaning, values := said(meaning, "Value: ", f.values(link))
		if link != "" && !strings.Contains(values, link) {
			values = strings.Replace(values, "fields", link, 1)
		}
		fmt.Fprintf(&p.b, "| `%s` | %s | %s | %s |\n", f.name, values, otherwise, strings.ReplaceAll(meaning, "|", "\\|"))
	}
	p.b.WriteString("\n")
}

// The pages list the fields that the source reads, with what they may be, their defaults, and what
// it says of them.
func TestFields(t *testing.T) {
	s := readSource(t)
	find := func(name string) []described { return s.table(s.variable(name), nil) }
	roots := []nested{{"At the top", "", find("topFields")}, {"Of a route", "route", find("routeFields")}, {"Of an upstream", "upstream", find("upstreamFields")}}
	for i := range filters.All { // which say it themselves
		roots[1].fields = append(roots[1].fields, described{name: filters.All[i].Name, meaning: filters.All[i].Doc, kinds: []string{"settings"}})
	}
	p := &page{t: t, shown: map[token.Pos]string{}}
	for i, table := range []string{"topFields", "routeFields", "upstreamFields"} {
		if len(roots[i].fields) < []int{20, 38, 17}[i] {
			t.Fatalf("%s there are only %d fields", roots[i].heading, len(roots[i].fields))
		}
		p.shown[s.variable(table).Pos()] = roots[i].heading
	}
	for _, root := range roots {
		p.b.WriteString("## " + root.heading + "\n\n")
		p.table(root.path, root.fields)
	}
	p.b.WriteString("## Fields of fields\n\n")
	for len(p.next) > 0 {
		one := p.next[0]
		p.next = p.next[1:]
		p.b.WriteString("### " + one.heading + "\n\n")
		p.table(one.path, one.fields)
	}
	put(t, "fields.md", p.b.String())
	upstreams := &page{t: t, shown: p.shown, in: "fields.md"}
	upstreams.table("upstream", roots[2].fields)
	put(t, "upstreams.md", upstreams.b.String())
}

const (
	begin = "<!-- begin: fields, by go test ./nanogate/internal/config -run Fields -update -->\n"
	end   = "<!-- end -->\n"
)

// put holds a page against what it should say, or has it say that.
func put(t *testing.T, name, tables string) {
	t.Helper()
	name = filepath.Join("../../docs", name)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the fields: %s%s", name, begin, end)
	}
	want := head + begin + "\n" + tables + end + tail
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s isn't what the source says: go test ./nanogate/internal/config -run Fields -update", name)
	}
	if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
