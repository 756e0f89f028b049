package baseline

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
)

const someHash = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// made is the baseline of a made-up run of two subjects.
func made(t testing.TB) (*Baseline, *analysis.Analysis) {
	t.Helper()
	a, err := analysis.Analyse(analysistest.Run(3, "x", "y"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := New("main", a, someHash)
	if err != nil {
		t.Fatal(err)
	}
	return b, a
}

func text(t testing.TB, b *Baseline) string {
	t.Helper()
	src, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

func TestRoundTrip(t *testing.T) {
	b, a := made(t)
	src := text(t, b)
	if again := text(t, b); again != src {
		t.Error("written twice, it differs")
	}
	back, err := Parse("dir/main.yaml", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	if !reflect.DeepEqual(back, b) {
		t.Errorf("read back is %+v, written was %+v", back, b)
	}
	if text(t, back) != src {
		t.Error("read back and written again, it differs")
	}
	cell := back.Find([2]string{a.Groups[0].Title, "x"})
	if cell == nil {
		t.Fatal("the cell of x is missing")
	}
	cpu := cell.Metrics["cpu"]
	if want := a.Groups[0].Cells[0].Estimates["cpu"].Estimate; cpu.N != 6 || cpu.Unit != "µs/req" || cpu.Better != "lower" || cpu.Median/want-1 > 1e-5 || want/cpu.Median-1 > 1e-5 {
		t.Errorf("cpu is %+v, want a median of %v", cpu, want)
	}
	if back.Find([2]string{"other", "x"}) != nil {
		t.Error("a cell that is not there")
	}
	if len(src) > 8<<10 {
		t.Errorf("%d bytes for two cells", len(src))
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		name, why string
		change    func(*analysis.Analysis)
	}{
		{"main", "is interrupted", func(a *analysis.Analysis) { a.Run.Status = archive.Interrupted }},
		{"main", "is invalid", func(a *analysis.Analysis) { a.Validity = finding.Invalid }},
		{"main", "no figures", func(a *analysis.Analysis) { a.Groups = nil }},
		{"../main", "can't name a baseline", func(*analysis.Analysis) {}},
		{"", "can't name a baseline", func(*analysis.Analysis) {}},
	} {
		_, a := made(t)
		c.change(a)
		if _, err := New(c.name, a, someHash); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", c.why, err)
		}
	}
}

func TestParseNamesWhatIsWrong(t *testing.T) {
	b, _ := made(t)
	src := text(t, b)
	// lineOf is where a text begins in the file.
	lineOf := func(part string) int { return 1 + strings.Count(src[:strings.Index(src, part)], "\n") }
	for _, c := range []struct {
		name, old, new string
		line           int
		why            string
	}{
		{"empty", src, "", 0, "expected the fields of a baseline"},
		{"list", src, "[a]", 0, "expected the fields of a baseline"},
		{"newer", "baseline: 1", "baseline: 2", 4, `expected a baseline of format 1, got "2"`},
		{"no format", "baseline: 1\n", "", 0, "expected the field baseline: 1"},
		{"unknown field", "kernel:", "colonel:", lineOf("kernel:"), "field colonel not found"},
		{"twice", "kernel:", "dyno:", lineOf("kernel:"), "already defined"},
		{"no number", "restarts: 6", "restarts: six", lineOf("restarts: 6"), "cannot unmarshal"},
		{"another name", "name: main", "name: other", lineOf("name: main"), `the file is that of "main", but its baseline is called "other"`},
		{"bad name", "name: main", "name: a/b", lineOf("name: main"), "can't name a baseline"},
		{"bad hash", someHash, "sha256:12", lineOf(someHash), "run_hash: expected sha256:"},
		{"edited median", "median: ", "median: 9", lineOf("median: "), "is not the median of the values"},
		{"fewer values", "restarts: 6", "restarts: 5", lineOf("restarts: 6"), "expected as many values as there are restarts: 5, got 6"},
		{"unknown metric", "cpu.user:", "cpu.usr:", lineOf("cpu.user:"), "no metric of this name"},
		{"direction", "better: lower", "better: less", lineOf("better: lower"), "expected higher or lower"},
		{"alias", "kernel: ", "kernel: &a ", lineOf("kernel:"), "no anchors and aliases"},
		{"second document", "cells:", "---\ncells:", 0, "second document"},
		{"syntax", "cells:", "cells: [", 0, ""},
		{"merge conflict", "kernel:", "<<<<<<< HEAD\nkernel:", 0, ""},
		{"subject twice", "subject: \"y\"", "subject: x", 0, "is there twice"},
	} {
		changed := strings.Replace(src, c.old, c.new, 1)
		if changed == src {
			t.Fatalf("%s: the file has no %q:\n%s", c.name, c.old, src)
		}
		_, err := Parse("dyno-baselines/main.yaml", []byte(changed))
		var p *Problem
		if !errors.As(err, &p) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.line > 0 && p.Line != c.line || !strings.Contains(err.Error(), c.why) || !strings.HasPrefix(err.Error(), "dyno-baselines/main.yaml") {
			t.Errorf("%s: %v; want line %d: %s", c.name, err, c.line, c.why)
		}
	}
}

func TestStore(t *testing.T) {
	store := Store{Dir: filepath.Join(t.TempDir(), DefaultDir)}
	if names, err := store.Names(); err != nil || len(names) != 0 {
		t.Errorf("%v, %v", names, err)
	}
	if _, err := store.Load("main"); err == nil || !strings.Contains(err.Error(), "dyno baseline set main RUN") {
		t.Errorf("%v", err)
	}
	b, _ := made(t)
	if err := os.MkdirAll(store.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"main.yaml", "README.md", ".hidden.yaml"} {
		if err := os.WriteFile(filepath.Join(store.Dir, name), []byte(text(t, b)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if names, err := store.Names(); err != nil || len(names) != 1 || names[0] != "main" {
		t.Errorf("%v, %v", names, err)
	}
	if back, err := store.Load("main"); err != nil || back.Run != b.Run {
		t.Errorf("%+v, %v", back, err)
	}
	if _, err := store.Load("mian"); err == nil || !strings.Contains(err.Error(), `did you mean "main"?`) {
		t.Errorf("%v", err)
	}
	for _, name := range []string{"../main", "a b"} {
		if _, err := store.Load(name); err == nil || !strings.Contains(err.Error(), "can't name") {
			t.Errorf("%q: %v", name, err)
		}
		if err := store.Remove(name); err == nil || !strings.Contains(err.Error(), "can't name") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := store.Remove("main"); err != nil {
		t.Error(err)
	}
	if err := store.Remove("main"); err == nil || !strings.Contains(err.Error(), "there are none") {
		t.Errorf("%v", err)
	}
}

// Whatever is in a file: it is read, and then written again as it was, or
// refused with its name.
func FuzzParse(f *testing.F) {
	b, _ := made(f)
	src := text(f, b)
	for _, seed := range []string{src, "", "[a]", "baseline: 1\nname: main\n", "&a [*a]", strings.Replace(src, "cpu", "{", 1)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		b, err := Parse("main.yaml", src)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "main.yaml") {
				t.Errorf("%v does not name the file", err)
			}
			return
		}
		again, err := Parse("main.yaml", []byte(text(t, b)))
		if err != nil || text(t, again) != text(t, b) {
			t.Errorf("written and read again: %v", err)
		}
	})
}
