package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/published"
	"dyno.example/dyno/report"
)

// marked are the documents that have tables of published results.
var marked = []string{"README.md"}

// The tables of documents are what the published records say.
func TestTablesAreFresh(t *testing.T) {
	results, err := filepath.Abs("../../docs/results")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range marked {
		path := filepath.Join("../..", name)
		was := read(t, path)
		if !strings.Contains(was, "by dyno results") {
			t.Errorf("%s has no table of a published result", name)
			continue
		}
		// Beside the document, so that links are the same.
		copied, err := filepath.Abs(filepath.Join(filepath.Dir(path), ".results-test.md"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied, []byte(was), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Remove(copied) })
		o := dyno(t, t.TempDir(), "results", "--into", copied, "--results", results)
		o.want(t, 0, o.stderr)
		if is := read(t, copied); is != was {
			t.Errorf("%s is not what the records say: run go run ./dyno/cmd/dyno results --into %s", name, name)
		}
	}
}

// Published reports have their tables in today's order, whatever it was when they were made. The
// command writes one of them; the others are what it would write.
func TestPublishedReportsAreInTodaysOrder(t *testing.T) {
	t.Parallel()
	records, err := filepath.Glob("../../docs/results/*/trials.csv.gz")
	if err != nil || len(records) == 0 {
		t.Fatal(len(records), err)
	}
	catalog, err := cli.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	own := func(name string) bool {
		s, err := catalog.Get(name)
		return err == nil && s.Own
	}
	for i, record := range records {
		folder := filepath.Dir(record)
		results, name := filepath.Split(folder)
		path := filepath.Join(folder, "report.md")
		was := read(t, path)
		is, err := published.Rerank(os.DirFS(results), name, published.Words{Text: report.English().Text, Own: own})
		if err != nil {
			t.Fatal(err)
		}
		if is != was {
			t.Errorf("%s is in another order: run go run ./dyno/cmd/dyno results --into %s", path, path)
		}
		if i > 0 {
			continue
		}
		copied := filepath.Join(t.TempDir(), name)
		if err := os.CopyFS(copied, os.DirFS(folder)); err != nil {
			t.Fatal(err)
		}
		written := filepath.Join(copied, "report.md")
		o := dyno(t, t.TempDir(), "results", "--into", written)
		o.want(t, 0, o.stderr)
		if read(t, written) != is {
			t.Errorf("the command writes another %s", path)
		}
	}
}

func TestResults(t *testing.T) {
	resultsFolder, err := filepath.Abs("../../docs/results")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	o := dyno(t, dir, "results", "--results", resultsFolder)
	o.want(t, 0, o.stdout, "FOLDER", "REPEAT IT BY", "gateways-quick", "dyno run gateways --quick --seed")
	document := filepath.Join(dir, "README.md")
	write := func(text string) {
		if err := os.WriteFile(document, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	into := func(code int, want ...string) {
		t.Helper()
		o := dyno(t, dir, "results", "--into", document, "--results", resultsFolder)
		o.want(t, code, o.stderr, want...)
	}
	write("none\n")
	into(1, "README.md: no line begins a table; put these two where it is to be:")
	write("<!-- begin: languages of no-such, by dyno results --into README.md -->\n<!-- end -->\n")
	into(1, "README.md: line 1: reading the record of no-such")
	write("one\n<!-- begin: languages of gateways-quick (saturate, connections=64), by dyno results --into README.md -->\n<!-- end -->\ntwo\n")
	into(0)
	text := read(t, document)
	for _, want := range []string{"one\n<!-- begin:", "<!-- end -->\ntwo\n", "results/gateways-quick/report.md): saturate, connections=64; data: ", "| c | nginx installed |"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	o = dyno(t, dir, "results", "--into", "")
	o.want(t, 2, o.stderr, "--into is empty")
}
