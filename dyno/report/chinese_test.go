package report

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/present"
	"dyno.example/dyno/study"
)

// deliberatelyEnglish are an analysis' own texts: those of the machine it was measured
// on, and what claims published.
func deliberatelyEnglish(a *analysis.Analysis) []string {
	texts := slices.Clone(a.Run.Machine.Missing)
	for _, remark := range a.Run.Machine.Remarks {
		texts = append(texts, remark.String())
	}
	for _, o := range a.Claims {
		texts = append(texts, o.Published)
	}
	return append(texts, escape(a.Run.Question))
}

// Neither the terminal's nor the Markdown report in Chinese has an English sentence or
// an English word of the report's own.
func TestChineseTextIsChinese(t *testing.T) {
	en := languages(t)["en"]
	headings := []string{en.text("ranking.subject"), en.text("ranking.worst"), en.metric(throughput), en.metric(cpu), en.metric(p99), en.metric("rss"),
		en.text("badge.data"), en.text("claims.title"), en.text("validity.title"), en.text("method.title"), en.text("percentiles.title"),
		en.text("unusable.title"), en.text("languages.title"), en.text("frameworks.title"), en.text("ranks.size"), en.metric(startUp), en.text("variance.title"), en.text("fact.trials"), "VALID", "SUSPECT", "UNDECIDED", "undecided"}
	word := regexp.MustCompile(`\b(` + strings.Join(quoteAll(headings), "|") + `)\b`)
	code := regexp.MustCompile("(?s)```.*?```|`` .*? ``")
	analyses := analysesOfAllKinds(t)
	analyses["sensitivity"] = varied(study.SobolDesign)
	analyses["unusable"] = nothingUsable(t)
	interrupted := analysed(t, analysistest.Run(4, "a", "b"))
	interrupted.Run.Status = archive.Interrupted
	analyses["interrupted"] = interrupted
	for _, a := range analyses {
		translatable(a)
	}
	for name, a := range analyses {
		for form, write := range map[string]func(io.Writer, *analysis.Analysis) error{
			"table":    func(w io.Writer, a *analysis.Analysis) error { return Table(w, a, "zh", 200, false) },
			"markdown": func(w io.Writer, a *analysis.Analysis) error { return Markdown(w, a, "zh") },
			"ranks":    func(w io.Writer, a *analysis.Analysis) error { return Ranks(w, a, RankOptions{}, "zh") },
		} {
			var b bytes.Buffer
			if err := write(&b, a); err != nil {
				t.Fatal(err)
			}
			text := code.ReplaceAllString(b.String(), "")
			for _, english := range deliberatelyEnglish(a) {
				if english != "" {
					text = strings.ReplaceAll(text, english, "")
				}
			}
			for line := range strings.Lines(text) {
				if m := sentenceOfEnglish.FindString(line) + word.FindString(line); m != "" {
					t.Errorf("%s as %s: %q in %q", name, form, m, strings.TrimSpace(line))
				}
			}
			if !strings.Contains(text, "吞吐量") && name != "claims" && name != "sensitivity" && form != "ranks" {
				t.Errorf("%s as %s names no metric in Chinese:\n%s", name, form, text)
			}
		}
	}
}

func quoteAll(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = regexp.QuoteMeta(s)
	}
	return out
}

// columnsOf is the width on a terminal by ranges of blocks, told without present.Width.
func columnsOf(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x3000 && r <= 0x9fff || r >= 0xff01 && r <= 0xff60 {
			n++
		}
	}
	return n
}

func TestTextWidth(t *testing.T) {
	for text, want := range map[string]int{"": 0, "go/gin": 6, "吞吐量": 6, "每请求 CPU": 10, "（RSS）": 7, "8.50 µs": 7, "≥ 1.4× ± 2": 10, "é": 1, "e\u0301": 1, "✗": 1, "한글": 4, "🚀": 2} {
		if got := present.Width(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
}

func TestWrapAndClipCountColumns(t *testing.T) {
	for _, tc := range []struct {
		text  string
		width int
		want  string
	}{
		{"one two three", 7, "one two\nthree"},
		{"吞吐量最高", 6, "吞吐量\n最高"},
		{"吞吐量，最高", 6, "吞吐\n量，最\n高"}, // no line begins with a comma
		{"go/a 的吞吐量最高", 9, "go/a 的吞\n吐量最高"},
		{"（吞吐量）是", 5, "（吞\n吐\n量）\n是"}, // nor ends with an opening bracket
		{"是go/a的", 6, "是go/a\n的"},
	} {
		if got := present.Wrap(tc.text, tc.width); got != tc.want {
			t.Errorf("%q in %d columns is\n%s\nwant\n%s", tc.text, tc.width, got, tc.want)
		}
	}
	for width, want := range map[int]string{6: "吞吐量", 5: "吞吐…", 4: "吞…", 3: "吞…", 2: "…"} {
		if got := present.Clip("吞吐量", width); got != want {
			t.Errorf("clipped to %d: %q, want %q", width, got, want)
		}
	}
}

func TestChineseTableFitsItsWidth(t *testing.T) {
	claims, variance := translatable(ruled()), varied(study.SobolDesign)
	for _, width := range []int{40, 60, 80, 100, 140} {
		for _, a := range []*analysis.Analysis{eight().make(), claims, variance} {
			var out bytes.Buffer
			if err := Table(&out, a, "zh", width, false); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				if n := columnsOf(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("width %d: a line of %d columns: %q", width, n, line)
				}
			}
		}
	}
}

// Heads and figures of a column end in the same column of the terminal, also where
// names are wide.
func TestChineseColumnsAlign(t *testing.T) {
	f := eight()
	f.subjects[1] = "服务/乙"
	a := f.make()
	c := languages(t)["zh"]
	g := newGrid(rank(a, &a.Groups[0], c), c)
	text := g.String(painter{})
	for line := range strings.Lines(text) {
		end := -columnGap
		for col, lines := range g.heads {
			wide := 0
			texts := append([]string{""}, lines...)
			for _, row := range g.rows {
				texts = append(texts, row[col].main, row[col].sub)
			}
			for _, text := range texts {
				wide = max(wide, columnsOf(text))
			}
			start := end + columnGap
			end = start + wide
			got := between(strings.TrimSuffix(line, "\n"), start, end)
			if !slices.Contains(texts, strings.TrimSpace(got)) || col > 1 && strings.HasSuffix(got, " ") && strings.TrimSpace(got) != "" {
				t.Errorf("columns %d to %d hold %q in %q of\n%s", start, end, got, line, text)
			}
		}
	}
}

// between is what stands in the columns of a line from start to before end.
func between(line string, start, end int) string {
	var out strings.Builder
	at := 0
	for _, r := range line {
		if at >= start && at < end {
			out.WriteRune(r)
		}
		at += columnsOf(string(r))
	}
	return out.String()
}
