package study

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dyno.example/internal/yamlfile"
)

// shipped are the names of shipped subjects in tests.
var shipped = []string{"go/chi", "go/fasthttp", "go/gin", "go/nethttp"}

const (
	named   = "study: s\n"                   // a study without subjects
	minimal = named + "subjects: [go/gin]\n" // the shortest study
)

// problemCase is a wrong study and the whole of its error.
type problemCase struct{ name, src, want string }

func checkProblems(t *testing.T, cases []problemCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s, err := Parse("s.yaml", []byte(c.src), shipped)
			if err == nil {
				t.Fatalf("no error for\n%s", c.src)
			}
			if s != nil {
				t.Error("a study as well as the error")
			}
			if got := err.Error(); got != c.want {
				t.Errorf("%s\ngot:\n%s\nwant:\n%s", c.src, got, c.want)
			}
		})
	}
}

func TestProblemsAreInFileOrderAndStable(t *testing.T) {
	src := `quick: {loads: [b]}
placement: {}
factors: {rate: [1], env.PORT: [2]}
trial: {duration: 1}
subjects:
  - {url: "http://h", ready: x, dir: "", build: [], env: {"": 1, PORT: 2}}
loads: [{closed: {}, name: a}]
blocks: x
study: ""
`
	var first string
	for range 20 {
		_, err := Parse("s.yaml", []byte(src), shipped)
		var problems Problems
		if !errors.As(err, &problems) {
			t.Fatalf("got %v, want Problems", err)
		}
		inOrder := slices.IsSortedFunc(problems, func(a, b Problem) int {
			if a.Line != b.Line {
				return a.Line - b.Line
			}
			return a.Column - b.Column
		})
		if !inOrder || len(problems) < 12 {
			t.Fatalf("got %d problems, in order %v:\n%v", len(problems), inOrder, err)
		}
		if first == "" {
			first = err.Error()
		}
		if err.Error() != first {
			t.Fatalf("got\n%v\nthe first time\n%v", err, first)
		}
	}
}

func TestManyProblemsAreCut(t *testing.T) {
	var src strings.Builder
	src.WriteString(minimal)
	for i := range 50 {
		fmt.Fprintf(&src, "x%d: 1\n", i)
	}
	_, err := Parse("s.yaml", []byte(src.String()), shipped)
	lines := strings.Split(fmt.Sprint(err), "\n")
	if len(lines) != yamlfile.MostPrinted+1 || lines[yamlfile.MostPrinted] != "… and 10 more problems" {
		t.Errorf("got %d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}

func TestTooLarge(t *testing.T) {
	bomb := "study: s\nsubjects: [go/gin]\na: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.Repeat(fmt.Sprintf("*%c,", c-1), 9))
	}
	tests := []struct{ name, src, want string }{
		{"bytes", "# " + strings.Repeat("x", maxSource), "s.yaml: expected a study of at most 1048576 bytes, got more"},
		{"values", minimal + "report: [" + strings.Repeat("a,", maxNodes) + "]\n", "expected at most 100000 values, got more"},
		{"items", minimal + "report: [" + strings.Repeat("a,", maxItems+1) + "]\n", "s.yaml:3:9: report: expected at most 1000 items, got 1001"},
		{"aliases of aliases", bomb, "got aliases that repeat too much or themselves (write it out)"},
		{"depth", strings.Repeat("[", 20_000), "exceeded max depth"},
		{"factors", minimal + manyFactors(maxFactors+1), "s.yaml:20:3: factors.env.V16: expected at most 16 factors"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("s.yaml", []byte(c.src), shipped)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %.300v, want %s", err, c.want)
			}
		})
	}
}

func manyFactors(n int) string {
	text := "factors:\n"
	for i := range n {
		text += fmt.Sprintf("  env.V%d: [a, b]\n", i)
	}
	return text
}

func TestSyntaxOfLongFiles(t *testing.T) {
	_, err := Parse("s.yaml", []byte(strings.Repeat("# x\n", 1000)+"study: a: b\n"), shipped)
	if want := "s.yaml:1001: expected YAML: mapping values are not allowed"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestBodyFileProblems(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "large"), make([]byte, maxSource+1), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ file, want string }{
		{"absent", "no such file or directory"},
		{".", "is a directory"},
		{"large", "has more than the 1048576 bytes that are allowed"},
	}
	path := filepath.Join(dir, "s.yaml")
	for _, c := range tests {
		_, err := Parse(path, []byte(minimal+"requests: [{post: /, body_file: "+c.file+"}]\n"), shipped)
		place := path + ":3:33: requests[0].body_file: reading the body: "
		if err == nil || !strings.HasPrefix(err.Error(), place) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s…%s", c.file, err, place, c.want)
		}
	}
}
