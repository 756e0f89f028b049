package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"dyno.example/dyno/machine"
	"dyno.example/dyno/machine/setting"
	"dyno.example/dyno/study"
)

// Nor may a line of dyno machine, verify or list: each text is a phrase, or translated as
// a whole.
func TestTheMachineIsDescribedInEveryLanguage(t *testing.T) {
	unsaid := []string{
		"Debian GNU/Linux 12 (bookworm)", "Max open files", "max 100000", "%.3g CPUs", "%d MiB", "%d bytes", "%d %ss", // read, or figures
		"; they begin with ", "such as net.ipv4.tcp_fastopen; they begin with ",
	}
	seen := 0
	for lang, texts := range foreign(t) {
		for _, file := range []string{
			"../machine/describe.go", "../machine/remarks.go", "../machine/busy/describe.go", "../machine/noise/describe.go", "../machine/tune/describe.go", "../machine/tune/tune.go", "../machine/tune/restore.go",
			"../machine/setting/cgroup.go", "../machine/setting/cpu.go", "../machine/setting/machine.go", "../machine/setting/memory.go", "../machine/setting/network.go", "../machine/setting/text.go",
		} {
			for _, text := range literals(t, file) {
				seen++
				if !slices.Contains(unsaid, strings.TrimSpace(text)) && !translated(texts, text) {
					t.Errorf("neither lang/%s.messages.phrases.json nor lang/%s.whole.json has %q of %s", lang, lang, text, file)
				}
			}
		}
		for _, row := range setting.Survey(fstest.MapFS{}, machine.Fingerprint{}) {
			if texts.Cell(row.Title) == row.Title && !slices.Contains([]string{"SMT", "TCP Fast Open"}, row.Title) {
				t.Errorf("lang/%s.whole.json lacks %q, a setting", lang, row.Title)
			}
		}
	}
	if seen < 80 {
		t.Errorf("only %d texts found: the files no longer hold them", seen)
	}
}

// foreign are the texts of all languages but English.
func foreign(t *testing.T) map[string]Texts {
	t.Helper()
	all := map[string]Texts{}
	for lang, c := range languages(t) {
		if lang != "en" {
			all[lang] = Texts{c}
		}
	}
	return all
}

// translated reports whether a literal of the source is a phrase, or is translated as a
// whole, or says nothing.
func translated(texts Texts, text string) bool {
	text = strings.TrimSpace(layout.ReplaceAllString(text, " "))
	if whole, _ := texts.Whole(text); whole != text {
		return true
	}
	if !strings.ContainsFunc(verb.ReplaceAllString(text, ""), func(r rune) bool { return r >= 'a' && r <= 'z' }) {
		return true
	}
	return slices.ContainsFunc(texts.c.phrases, func(p phrase) bool { return strings.TrimSpace(p.english) == text })
}

// problems are the files that say what is wrong with a study, a claim, a load or a
// request.
var problems = []string{
	"../study/*.go", "../claim/check.go", "../claim/moderator.go", "../claim/foresee.go", "../claim/parse.go", "../claim/scan.go", "../claim/space.go", "../claim/sweep.go", "../claim/unit.go",
	"../load/profile/*.go", "../load/request/*.go", "../../internal/yamlfile/*.go",
}

// code are literals of these files that are written so in any language: what to type,
// names, formats, and errors of others.
var code = regexp.MustCompile(`^(add: |yaml: |\{from|requests: \[|build: go |go build |sobol: |scale: |protocol: |Authorization: |Mon, |(constant|steps|ramp|spike|soak|sine|trace) )|^(did not find|unexpected end|could not find|cannot start|mapping values|unknown anchor)|' '|0\.\.`)

// No problem with a study, a profile or a request may lack its phrase.
func TestEveryProblemHasItsPhrase(t *testing.T) {
	seen := 0
	for lang, texts := range foreign(t) {
		for _, pattern := range problems {
			files, err := filepath.Glob(pattern)
			if err != nil || len(files) == 0 {
				t.Fatalf("%s: %v, %v", pattern, files, err)
			}
			for _, file := range files {
				if strings.HasSuffix(file, "_test.go") {
					continue
				}
				for _, text := range append(literals(t, file), told(t, file)...) {
					seen++
					if !code.MatchString(text) && !slices.Contains(unworded, text) && !translated(texts, text) {
						t.Errorf("neither lang/%s.messages.phrases.json nor lang/%s.whole.json has %q of %s", lang, lang, text, file)
					}
				}
			}
		}
	}
	if seen < 400 {
		t.Errorf("only %d texts found: the files no longer hold them", seen)
	}
}

// unworded are literals of the files of problems that are none.
var unworded = []string{
	"xX- ,", "cpus: 0.5, memory: 256MiB, cpuset: 0-1", `(?s)^yaml: (?:line (\d+): )?(.*)$`, "column %d: %s",
	"\r\nTE: trailers\r\n", "status %d %s", "request: writing to memory failed: ",
	"; reuse=%d", "; reuse=", "; http2", "; streams=%d", "; websocket", ", answers=none", "; events", "; max_age=%v", "; sources=%v", "; pacing=", // as in a file
	"more block", // counted
}

// A study's problems keep their places and fields.
func TestProblemsInChinese(t *testing.T) {
	zh := foreign(t)["zh"]
	for text, want := range map[string]string{
		"claims:\n- id: a\n  holds: response.p99 > 5\n": `s.yaml:5:23: claims[0].holds: 时间不能与不带单位的数比较 (数值请带上单位，如 12ms 或 4MB)`,
		"loads:\n- open: {rates: 5}\n- 7\n":             "s.yaml:4:10: loads[0].open.rates: 未知的字段 (您是指 \"rate\" 吗？)\ns.yaml:5:3: loads[1]: 应为字段（name: value），实际为\"7\"",
	} {
		_, err := study.Parse("s.yaml", []byte("study: s\nsubjects: [go/gin]\n"+text), []string{"go/gin"})
		var found study.Problems
		if !errors.As(err, &found) {
			t.Fatal(err)
		}
		if got := found.In(zh.Reason); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// layout is what stands before and behind the text of a line: spaces, line ends and
// padded columns.
var layout = regexp.MustCompile(`^(\s|%-\d+s)+|\s+$`)

// Tables keep their columns, as far as what stands in them leaves room.
func TestColumnsInChinese(t *testing.T) {
	zh, err := TextsIn("zh")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text, want string
		right            bool
	}{
		{"to the left", "  good  NUMA nodes       none\n  bad   Open files       1024, can be raised to 4096\n", "  好    NUMA 节点        无\n  差    打开文件数       1024，可提高到 4096\n", false},
		{"to the right", "  woken up late by      p50   run to run\n", "  唤醒晚了              p50     运行之间\n", true},
		{"no room", "a  none  b\n", "a  无    b\n", false},
		{"sentence", "\nWhat can't be seen here:\n", "\n在这里看不到：\n", false},
		{"names stay", "  x  there_is.no/such  thing\n", "  x  there_is.no/such  thing\n", false},
	} {
		var b strings.Builder
		w := zh.Columns(&b)
		if c.right {
			w = zh.ColumnsToTheRight(&b)
		}
		fmt.Fprint(w, c.text)
		if b.String() != c.want {
			t.Errorf("%s:\n%q, want\n%q", c.name, b.String(), c.want)
		}
	}
}
