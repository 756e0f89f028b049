package published

import (
	"strings"
	"testing"
	"testing/fstest"
)

const languageReport = `# Which language?

**data: SUSPECT** · 4 findings

## saturate, request=json

| # | Subject | CPU |
|--:|:--|--:|
| 1 | go/a | 1 µs |

Ranked by CPU.

### By language

| # | Language | Framework | CPU |
|--:|:--|:--|--:|
| 1= | c | c/b | 1 µs (0.9–1.1) |
| 1= | go | go/a | 1 µs (0.9–1.2) |

Each language stands there by its best.

### Response by percentile

| Subject | p50 |
|:--|--:|
| go/a | 1 ms |
`

// ranked is a folder of results with a report.
func ranked(t *testing.T, report string) fstest.MapFS {
	t.Helper()
	files := results(t, map[string]*Record{"langs-quick": record(true, 3), "bare": record(true, 4)})
	files["langs-quick/report.md"] = &fstest.MapFile{Data: []byte(report)}
	files["bare/report.md"] = &fstest.MapFile{Data: []byte("# Nothing\n\n## all\n\n| a |\n|---|\n")}
	return files
}

const before = "# A README\n\ntext\n<!-- begin: languages of langs-quick, by dyno results --into README.md -->\n"

func TestFill(t *testing.T) {
	files := ranked(t, languageReport)
	filled, err := Fill(before+"what it was\n| 1 | old |\n<!-- end -->\nmore\n", files, "docs/results")
	if err != nil {
		t.Fatal(err)
	}
	want := before + `
By ` + "`dyno run study-kept --seed 7`" + ` on 3 March 2026 (A CPU × 2), [the whole of it](docs/results/langs-quick/report.md): saturate, request=json; data: SUSPECT, 4 findings.

| # | Language | Framework | CPU |
|--:|:--|:--|--:|
| 1= | c | c/b | 1 µs (0.9–1.1) |
| 1= | go | go/a | 1 µs (0.9–1.2) |

Each language stands there by its best.

<!-- end -->
more
`
	if filled != want {
		t.Errorf("got\n%s\nwant\n%s", filled, want)
	}
	again, err := Fill(filled, files, "docs/results")
	if err != nil || again != filled {
		t.Errorf("filled again it is another: %v\n%s", err, again)
	}
}

// Of a ranking of all subjects, a document has the columns that are in every README.
func TestFillFrameworks(t *testing.T) {
	report := strings.Replace(languageReport, "| # | Subject | CPU |\n|--:|:--|--:|\n| 1 | go/a | 1 µs |",
		"| # | Subject | Throughput ÷ go/b A/A ±3 % | CPU per request | Response p50 | Response p99 | CPU per request ÷ go/b |\n|--:|:--|--:|--:|--:|--:|--:|\n| 1–2 | go/a | 2× | 1 µs | 2 ms | 3 ms | 4× |", 1)
	filled, err := Fill(strings.Replace(before, "languages of", "frameworks of", 1)+"<!-- end -->\n", ranked(t, report), "r")
	want := "| # | Subject | Throughput ÷ go/b A/A ±3 % | CPU per request | Response p99 |\n|--:|:--|--:|--:|--:|\n| 1–2 | go/a | 2× | 1 µs | 3 ms |\n\nRanked by CPU.\n"
	if err != nil || !strings.Contains(filled, want) || strings.Contains(filled, "Language") {
		t.Errorf("%v\n%s\nlacks\n%s", err, filled, want)
	}
}

// Of several groups the line names one.
func TestFillByGroup(t *testing.T) {
	second := strings.ReplaceAll(strings.ReplaceAll(languageReport, "request=json", "request=plaintext"), "1 µs", "2 µs")
	files := ranked(t, languageReport+"\n"+second)
	named := strings.Replace(before, "langs-quick,", "langs-quick (saturate, request=plaintext),", 1)
	filled, err := Fill(named+"<!-- end -->\n", files, "r")
	if err != nil || !strings.Contains(filled, "| 1= | c | c/b | 2 µs (0.9–1.1) |") || strings.Contains(filled, "1 µs (") {
		t.Errorf("%v\n%s", err, filled)
	}
	if _, err := Fill(before+"<!-- end -->\n", files, "r"); err == nil || !strings.Contains(err.Error(), "line 4: langs-quick/report.md has tables of languages of (saturate, request=json), (saturate, request=plaintext); say of which behind langs-quick") {
		t.Errorf("got %v", err)
	}
}

func TestFillWhatCantBe(t *testing.T) {
	other := func(folder string) string {
		return strings.Replace(before, "langs-quick", folder, 1) + "<!-- end -->\n"
	}
	for name, c := range map[string]struct{ document, want string }{
		"no mark":       {"# A README\n", "no line begins a table"},
		"no end":        {before + "\ntext", "line 4: its table has no end"},
		"another mark":  {before + before, "line 8: the table of line 4 has no <!-- end --> before this one"},
		"no folder":     {other("nowhere"), "line 4: reading the record of nowhere"},
		"no languages":  {other("bare"), "line 4: bare/report.md has no table of languages"},
		"no such group": {other("langs-quick (steady)"), "has tables of languages of (saturate, request=json); say of which"},
		"no report":     {other("kept"), "reading the report of kept"},
	} {
		files := ranked(t, languageReport)
		files["kept/"+FileName] = files["bare/"+FileName]
		if _, err := Fill(c.document, files, "r"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
