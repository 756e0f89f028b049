package report

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/present"
)

// fortyNames are subjects of 26 languages, with names as long as real ones get.
var fortyNames = []string{
	"go/nethttp", "go/fasthttp", "go/nano", "c/h2o", "c/libmicrohttpd", "cpp/beast", "cpp/drogon", "rust/axum", "rust/actix-web", "rust/may-minihttp",
	"java/vertx", "java/spring-boot", "kotlin/ktor", "scala/pekko-http", "scala/zio-http", "clojure/ring", "node/express", "node/fastify", "typescript/bun", "typescript/deno",
	"python/fastapi", "python/granian", "php/fpm", "ruby/sinatra", "ruby/roda", "perl/mojolicious", "lua/nginx", "erlang/cowboy", "elixir/cowboy", "haskell/scotty",
	"haskell/warp", "ocaml/cohttp", "crystal/http", "crystal/kemal", "r/plumber", "lisp/hunchentoot", "racket/web-server", "d/vibe", "nim/jester", "common-lisp/woo-with-clack",
}

// forty is a run of 40 subjects, 3 requests and 2 loads.
func forty() fixture {
	f := fixture{subjects: fortyNames, blocks: 6, seconds: 6, open: true, requests: []string{"json", "plaintext", "create-user"}}
	for i := range f.subjects {
		f.costs = append(f.costs, 8*math.Pow(1.12, float64((i*17)%40)))
	}
	return f
}

// fortySubjects makes it up, with sizes, start times and roles.
func fortySubjects() *analysis.Analysis {
	a := forty().make()
	a.Run.Study, a.Run.Question = "languages", "One service in each language and framework: which serves how much, at which cost, and how fast does it start?"
	a.Run.Report = []string{throughput, cpu, p50, p99, rss, startUp}
	for i := range a.Run.Subjects {
		s := &a.Run.Subjects[i]
		s.BuildSize = uint64(i+1) << 20
		if i%9 == 5 {
			s.Role = "engine"
		}
	}
	for i := range a.Groups {
		g := &a.Groups[i]
		g.Metrics = append(g.Metrics, metric(startUp, "µs", "lower"))
		for j := range g.Cells {
			cell := &g.Cells[j]
			for b := range cell.Trials {
				cell.Values[startUp] = append(cell.Values[startUp], 4000*float64(j+1)*(1+0.01*float64(b)))
			}
			cell.Estimates[startUp] = interval(cell.Values[startUp])
		}
		g.Ranking[startUp] = places(g.Cells, metric(startUp, "µs", "lower"))
	}
	return a
}

// someOfForty is it with one load, for what doesn't need all of them.
func someOfForty() *analysis.Analysis {
	a := fortySubjects()
	a.Groups = a.Groups[:1]
	return a
}

// What a page of so many subjects may come to: the scripts and the chart library, the
// seconds drawn, and some 10 KB a cell of tables and curves.
func TestThePageOfManySubjectsIsBounded(t *testing.T) {
	var page bytes.Buffer
	if err := HTML(&page, fortySubjects(), "en"); err != nil {
		t.Fatal(err)
	}
	if size := page.Len(); size > 8<<20 {
		t.Errorf("the page of 40 subjects has %d bytes", size)
	} else {
		t.Logf("%d bytes", size)
	}
}

func TestSecondsAreBounded(t *testing.T) {
	trial := func(index, seconds int, slowest int) (list []analysis.Second) {
		for i := -1; i < seconds; i++ {
			s := analysis.Second{Trial: index, Index: i, P99: 100}
			if i == slowest {
				s.P99 = float64(1000 + index)
			}
			list = append(list, s)
		}
		return list
	}
	cells := func(all ...[]analysis.Second) *analysis.Analysis {
		a := &analysis.Analysis{Groups: []analysis.Group{{}}}
		for _, seconds := range all {
			a.Groups[0].Cells = append(a.Groups[0].Cells, analysis.Cell{Seconds: seconds})
		}
		return a
	}
	three := append(append(trial(0, 9, 3), trial(1, 9, 3)...), trial(2, 9, 3)...)
	for _, c := range []struct {
		name     string
		analysis *analysis.Analysis
		most     int
		want     string // trials and seconds of each cell, and the note
	}{
		{"all fit", cells(three), 30, "0:10 1:10 2:10; "},
		{"the slowest trials", cells(three), 25, "1:10 2:10; draw 2 of 3 trials"},
		{"a small cell keeps all", cells(trial(0, 9, 3), three), 30, "0:10; 2:10; draw 2 of 4 trials"},
		{"a part of one trial", cells(trial(0, 99, 70)), 20, "0:20; draw 1 of 1 trial, the part"},
		{"nothing", cells(), 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept, part := boundSeconds(c.analysis, c.most)
			got := ""
			for i := range c.analysis.Groups[0].Cells {
				var trials []string
				slow := false
				for _, trial := range trialsOf(kept[&c.analysis.Groups[0].Cells[i]]) {
					trials = append(trials, fmt.Sprintf("%d:%d", trial[0].Trial, len(trial)))
					slow = slow || trial[peak(trial)].P99 >= 1000
				}
				if !slow {
					t.Error("the slowest second is not drawn")
				}
				got += strings.Join(trials, " ") + "; "
			}
			note := part.note(English().c)
			if wanted, note2, _ := strings.Cut(c.want, "draw"); strings.TrimSpace(got) != strings.TrimSpace(wanted) && got != wanted || !strings.Contains(note, note2) || note2 == "" && note != "" {
				t.Errorf("got %s%s, want %s", got, note, c.want)
			}
		})
	}
}

func TestSentencesNameAFew(t *testing.T) {
	c := English().c
	for n, want := range map[int]string{2: "a and b", 10: "a, b, c, d, e, f, g, h, i and j", 11: "a, b, c, d, e, f and 5 more"} {
		if got := c.names(strings.Split("abcdefghijk", "")[:n]); got != want {
			t.Errorf("%d names: %q, want %q", n, got, want)
		}
	}
}

// With many subjects a terminal has a line for each, as wide as it is.
func TestTableOfManySubjects(t *testing.T) {
	a := someOfForty()
	for _, width := range []int{60, 80, 140} {
		for _, lang := range Languages() {
			var out bytes.Buffer
			if err := Table(&out, a, lang, width, false); err != nil {
				t.Fatal(err)
			}
			if *screenshots != "" {
				if err := os.WriteFile(filepath.Join(*screenshots, fmt.Sprintf("many-%d-%s.txt", width, lang)), out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			lines := 0
			for line := range strings.Lines(out.String()) {
				if columns := present.Width(strings.TrimRight(line, "\n")); columns > width {
					t.Errorf("%d columns wide in %d: %q", columns, width, line)
				}
				if strings.Contains(line, " req/s ") && strings.Contains(line, "–") {
					lines++
				}
			}
			if want := len(fortyNames) + len(languagesOf(fortyNames)); lines < want || lines > want+3 {
				t.Errorf("%d columns in %s: %d lines of figures with their intervals, want %d:\n%s", width, lang, lines, want, out.String())
			}
		}
	}
}

// A finding of all subjects doesn't fill the screen with their names, and the page has them.
func TestFindingsNameAFew(t *testing.T) {
	a := someOfForty()
	f := &a.Findings[0]
	f.Trials = nil
	for _, trial := range a.Run.Plan.Trials {
		if trial.Cell < len(fortyNames) && trial.Block < 2 {
			f.Trials = append(f.Trials, trial.Index)
		}
	}
	found := explainFindings(a, English().c)[0]
	if !strings.HasSuffix(found.Where, " in blocks 1, 2 and 34 more") || strings.Count(found.Where, ";") != 5 {
		t.Errorf("where: %s", found.Where)
	}
	if strings.Count(found.All, " in blocks 1, 2") != len(fortyNames) {
		t.Errorf("all: %s", found.All)
	}
}
