package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/present"
	"dyno.example/internal/i18n"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// formats are all formats with golden files, and the page.
var formats = map[string]func(io.Writer, *analysis.Analysis) error{
	"markdown.md":       func(w io.Writer, a *analysis.Analysis) error { return Markdown(w, a, "en") },
	"values.csv":        CSV,
	"analysis.json":     JSON,
	"table.txt":         func(w io.Writer, a *analysis.Analysis) error { return Table(w, a, "en", 120, false) },
	"table-narrow.txt":  func(w io.Writer, a *analysis.Analysis) error { return Table(w, a, "en", 60, false) },
	"table-colours.txt": func(w io.Writer, a *analysis.Analysis) error { return Table(w, a, "en", 0, true) },
	"page":              func(w io.Writer, a *analysis.Analysis) error { return HTML(w, a, "en") },
}

// small is a fixture whose golden files a person can read.
func small() *analysis.Analysis {
	f := fixture{subjects: []string{"go/nethttp", "go/gin", "go/fasthttp", "go/gnet"}, costs: []float64{17.4, 19.9, 9.6, 9.5}, blocks: 6, seconds: 3, open: true}
	a := f.make()
	a.Findings = eight().make().Findings[:1]
	return a
}

func TestGolden(t *testing.T) {
	a := small()
	for name, write := range formats {
		if name == "page" || name == "analysis.json" {
			continue // large, and checked by other tests
		}
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := write(&got, a); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("differs from %s (run with -update to accept):\n%s", file, got.String())
			}
		})
	}
}

func TestTheSameAnalysisGivesTheSameBytes(t *testing.T) {
	for name, write := range formats {
		var first, second bytes.Buffer
		if err := write(&first, eight().make()); err != nil {
			t.Fatal(err)
		}
		if err := write(&second, eight().make()); err != nil {
			t.Fatal(err)
		}
		if first.Len() == 0 || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: %d and %d bytes that differ", name, first.Len(), second.Len())
		}
	}
}

func TestJSONReadsBack(t *testing.T) {
	var out bytes.Buffer
	if err := JSON(&out, small()); err != nil {
		t.Fatal(err)
	}
	var back analysis.Analysis
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Run.ID != small().Run.ID || len(back.Groups) != 2 || len(back.Groups[0].Cells[0].Seconds) != 30 {
		t.Errorf("read back %s with %d groups", back.Run.ID, len(back.Groups))
	}
}

func TestCSVIsTidy(t *testing.T) {
	a := small()
	var out bytes.Buffer
	if err := CSV(&out, a); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := 1
	for _, g := range a.Groups {
		for _, c := range g.Cells {
			want += len(c.Trials) * len(g.Metrics)
		}
	}
	if len(rows) != want {
		t.Errorf("%d rows, want one a used trial and metric and a head: %d", len(rows), want)
	}
}

// A figure says whether it is from slices, from a load of its own, or from none.
func TestOriginInCSV(t *testing.T) {
	a := small()
	sliced := &a.Groups[0].Cells[1]
	sliced.Sliced = sliced.Trials[:1] // the others alone
	var out bytes.Buffer
	if err := CSV(&out, a); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for i, name := range rows[0] {
		at[name] = i
	}
	if last := rows[0][len(rows[0])-1]; last != "origin" {
		t.Fatalf("head %q", rows[0])
	}
	seen := map[string]int{}
	for _, row := range rows[1:] {
		want := "trial"
		switch {
		case row[at["metric"]] == "start":
			want = "start"
		case row[at["cell"]] == strconv.Itoa(sliced.Cell) && row[at["trial"]] == strconv.Itoa(sliced.Trials[0]):
			want = "slices"
		}
		if got := row[at["origin"]]; got != want {
			t.Errorf("%q: origin %s, want %s", row, got, want)
		}
		seen[want]++
	}
	if seen["trial"] == 0 || seen["slices"] == 0 {
		t.Errorf("origins %v", seen)
	}
}

// Runs that went wrong, in whatever way, must still be reported in every format.
func TestEveryRunCanBeReported(t *testing.T) {
	spoilt, single := eight(), eight()
	spoilt.spoilt = true
	single.subjects, single.costs, single.blocks, single.blind = single.subjects[:1], single.costs[:1], 1, true
	failed := eight().make()
	failed.Run.Status, failed.Run.Error = archive.Failed, i18n.Verbatim("building go/gin: exit status 1")
	for name, a := range map[string]*analysis.Analysis{
		"nothing":    {},
		"no trial":   {Run: spoilt.manifest(), Subjects: spoilt.subjects},
		"spoilt":     spoilt.make(),
		"single":     single.make(),
		"failed":     failed,
		"cells only": {Groups: []analysis.Group{{Title: "saturate", Cells: []analysis.Cell{{Subject: "x"}}}}},
	} {
		for format, write := range formats {
			var out bytes.Buffer
			if err := write(&out, a); err != nil {
				t.Errorf("%s as %s: %v", name, format, err)
			}
			if strings.Contains(out.String(), "%!") || strings.Contains(out.String(), "NaN") && format != "page" {
				t.Errorf("%s as %s has a formatting mistake:\n%s", name, format, out.String())
			}
		}
	}
}

func TestAnswers(t *testing.T) {
	c, err := openLanguage("en")
	if err != nil {
		t.Fatal(err)
	}
	full, spoilt, blind, one := eight(), eight(), eight(), eight()
	spoilt.spoilt, blind.blind, one.blocks = true, true, 1
	alone := one
	alone.subjects, alone.costs = one.subjects[:1], one.costs[:1]
	for _, tc := range []struct {
		name string
		f    fixture
		want []string
	}{
		{"cost", full, []string{"Can’t tell by CPU per request: go/gnet and go/fasthttp share the first place. go/gnet has 0.998× (95 %: ", "what go/fasthttp has. Can’t tell by Throughput: go/gnet and go/fasthttp", "Worst tail second: go/gin, block 3, second 2: p99 41.2 ms."}},
		{"spoilt", spoilt, []string{"No conclusion: 48 trials left out, none can be used. What stood in the way: The planned rate was not reached (48 trials). Remove the cause", "--accept rate-missed makes such trials count"}},
		{"no process seen", blind, []string{"Can’t tell by Throughput: go/gnet and go/fasthttp"}},
		{"one trial", one, []string{"(one block, so no interval)"}},
		{"one subject", alone, []string{"go/nethttp costs ", "of CPU a request"}},
	} {
		got := plainSpaces(c.paragraph(answers(tc.f.make(), c)[0].Sentences))
		for _, want := range tc.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q lacks %q", tc.name, got, want)
			}
		}
	}
}

// A study may lead with any metric; few have a sentence of their own.
func TestAnswersByOtherMetrics(t *testing.T) {
	c, err := openLanguage("en")
	if err != nil {
		t.Fatal(err)
	}
	f := eight()
	for subjects, want := range map[int]string{8: "Can’t tell by Memory (RSS): go/gnet and go/fasthttp share", 1: "go/nethttp: Memory (RSS) "} {
		f.subjects, f.costs = f.subjects[:subjects], f.costs[:subjects]
		a := f.make()
		a.Run.Report = []string{"rss"}
		for i := range a.Groups {
			a.Groups[i].Ranking["rss"] = a.Groups[i].Ranking[cpu]
		}
		if got := answers(a, c)[0].Sentences[0]; !strings.HasPrefix(got, want) {
			t.Errorf("%d subjects: %q, want %q", subjects, got, want)
		}
		f = eight()
	}
}

func TestIntervalsOfRanks(t *testing.T) {
	places := []analysis.Place{{Rank: 1, Last: 2, Cell: 4}, {Rank: 1, Last: 2, Cell: 2}, {Rank: 3, Last: 3, Cell: 0}}
	for cell, want := range map[int]string{4: "1–2", 2: "1–2", 0: "3", 7: "–"} {
		if got, _ := position(places, cell); got != want {
			t.Errorf("cell %d has rank %q, want %q", cell, got, want)
		}
	}
}

func TestTableFitsItsWidth(t *testing.T) {
	for _, width := range []int{30, 40, 60, 80, 100, 140} {
		var out bytes.Buffer
		if err := Table(&out, eight().make(), "en", width, false); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := present.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("width %d: a line of %d: %q", width, n, line)
			}
		}
		if !strings.Contains(out.String(), "go/gnet") || !strings.Contains(out.String(), "CPU") {
			t.Errorf("width %d lost the answer:\n%s", width, out.String())
		}
	}
}

// hostile is a name that tries every format in turn.
const hostile = "</script><img src=x onerror=alert(1)>|`*_\x1b[31m{{.}}\n$HOME"

func TestHostileNamesAreShownNotObeyed(t *testing.T) {
	a := hostileAnalysis()
	out := map[string]string{}
	for name, write := range formats {
		var b bytes.Buffer
		if err := write(&b, a); err != nil {
			t.Fatal(err)
		}
		out[name] = b.String()
	}
	for _, name := range []string{"page", "markdown.md"} {
		prose, _, _ := strings.Cut(out[name], "```sh") // the command is code, where markup is none
		if strings.Contains(prose, "<img src=x") {
			t.Errorf("%s holds the name as markup", name)
		}
	}
	if n := strings.Count(out["page"], "</script>"); n != len(scripts)+1 {
		t.Errorf("the page closes %d scripts, want %d", n, len(scripts)+1)
	}
	for _, name := range []string{"table.txt", "table-narrow.txt", "table-colours.txt"} {
		if strings.Contains(out[name], "\x1b[31m") {
			t.Errorf("%s passes escapes on to the terminal", name)
		}
	}
}

// TestHostileNoteOfTheTwin: the note beneath a ranking names the group in which the
// reference was measured twice.
func TestHostileNoteOfTheTwin(t *testing.T) {
	a := twinned()
	a.Groups[1].TwinFrom = hostile
	var out bytes.Buffer
	if err := Markdown(&out, a, "en"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "measured under") || strings.Contains(out.String(), "<img src=x") {
		t.Errorf("the note holds the group's name as markup:\n%s", out.String())
	}
}

func hostileAnalysis() *analysis.Analysis {
	f := eight()
	f.subjects[2] = hostile
	a := f.make()
	a.Run.Question, a.Run.Study, a.Run.Command = hostile, hostile, []string{"dyno", "run", hostile}
	a.Run.StudySource, a.Run.Reference = hostile, hostile
	a.Groups[0].Title = hostile
	a.Findings[0].Name, a.Findings[0].Detail = hostile, i18n.Verbatim(hostile)
	a.Groups[0].Cells[0].Seconds[3].Why = []string{hostile}
	return a
}
