package report

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/finding"
)

// speakers are the files that write what a report shows as a reason.
var speakers = []string{
	"../load/judge*.go", "../load/limited.go", "../load/counts.go", "../load/stages.go", "../load/measure/calibration.go", "../load/measure/health.go", "../load/measure/others.go", "../load/measure/idle.go",
	"../load/internal/engine/explain.go", "../load/internal/engine/exchange.go",
	"../validity/*.go",
	"../capacity/broken.go", "../capacity/failing.go", "../capacity/generator.go", "../capacity/judge.go", "../capacity/level.go", "../capacity/memory.go", "../capacity/overload.go", "../capacity/result.go",
	"../analysis/distribution.go", "../analysis/finding.go", "../analysis/sums.go", "../analysis/doubts.go", "../analysis/lost.go", "../analysis/plateau.go", "../analysis/cell.go", "../analysis/runtime.go", "../analysis/sensitivity.go", "../analysis/unusable.go",
	"../claim/basis.go", "../claim/conclude.go", "../claim/measured.go", "../claim/outcome.go", "../claim/ranks.go", "../claim/rule.go", "../claim/verdict.go",
}

// glue are literals of these files that are no phrase: what others write between or
// around phrases.
var glue = []string{"no application protocol", ", %q", " under ", "%s: %s", "%s (%s)", "%d %s", "%s\n%s\n%t", "%d of %d planned trials were started; the run is %s: %s"}

// literals are the texts of a file that hold several words and end in no error.
func literals(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	other := map[ast.Node]bool{}
	var out []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				other[n.Tag] = true
			}
		case *ast.CallExpr:
			name := ""
			switch f := n.Fun.(type) {
			case *ast.SelectorExpr:
				name = f.Sel.Name
			case *ast.Ident:
				name = f.Name
			}
			if name == "Errorf" || name == "New" || name == "panic" || name == "Join" || name == "Cut" {
				for _, arg := range n.Args {
					other[arg] = true
				}
			}
		case *ast.BasicLit:
			if n.Kind != token.STRING || other[n] {
				return true
			}
			text, err := strconv.Unquote(n.Value)
			if err != nil {
				t.Fatal(err)
			}
			if words := strings.TrimSpace(text); strings.Contains(words, " ") && strings.ContainsFunc(words, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
				out = append(out, text)
			}
		}
		return true
	})
	return out
}

// No reason, finding or verdict may lack its phrase in any language.
func TestEveryReasonHasItsPhrase(t *testing.T) {
	seen := 0
	for _, lang := range Languages() {
		if lang == "en" {
			continue
		}
		phrases, err := loadPhrases(lang)
		if err != nil {
			t.Fatal(err)
		}
		for _, pattern := range speakers {
			files, err := filepath.Glob(pattern)
			if err != nil || len(files) == 0 {
				t.Fatalf("%s: %v, %v", pattern, files, err)
			}
			for _, file := range files {
				if strings.HasSuffix(file, "_test.go") {
					continue
				}
				for _, text := range literals(t, file) {
					seen++
					if !slices.Contains(glue, text) && !slices.ContainsFunc(phrases, func(p phrase) bool { return p.english == text }) {
						t.Errorf("lang/%s.phrases.json lacks %q of %s", lang, text, file)
					}
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d texts found: the files no longer hold them", seen)
	}
}

// Each phrase is found in what its format writes, whatever else is a phrase, and
// holds every figure.
func TestPhrasesAreFound(t *testing.T) {
	c := languages(t)["zh"]
	data, err := langFiles.ReadFile("lang/zh.phrases.json")
	if err != nil {
		t.Fatal(err)
	}
	var pairs [][2]string
	if err := json.Unmarshal(data, &pairs); err != nil {
		t.Fatal(err)
	}
	for _, pair := range pairs {
		n, want := 0, pair[1]
		written := verb.ReplaceAllStringFunc(pair[0], func(v string) string {
			if v == "%%" {
				return "%"
			}
			n++
			value := strconv.Itoa(70 + n)
			if strings.HasSuffix(v, "v") || strings.HasSuffix(v, "s") {
				value = "x" + value
			}
			if !strings.Contains(want, "{"+strconv.Itoa(n)+"}") {
				t.Errorf("%q lacks the figure {%d}", pair[1], n)
			}
			want = strings.ReplaceAll(want, "{"+strconv.Itoa(n)+"}", value)
			return value
		})
		if got := c.reason(written); got != want {
			t.Errorf("%q is written as\n%q, want\n%q", written, got, want)
		}
	}
}

func TestReasonsThatHoldReasons(t *testing.T) {
	c := languages(t)["zh"]
	for text, want := range map[string]string{
		"a loop was away for 412 ms": "a loop was away for 412 ms", // of a version long ago
		"a load loop was away for 412ms (limit 100ms): it could neither send on time nor see answers (in 1 of 3 windows) (and likewise in 2 more trials)": "有一个负载循环停顿了 412ms（限值 100ms）：既不能按时发送，也看不到应答（3 个窗口中的 1 个）（另有 2 次试验同样如此）",
		"from second 4 on the subject is slower: throughput -12 % (limit 5 %), CPU per request +9 % (limit 5 %)":                                          "从第 4 秒起对象变慢：吞吐量 -12 %（限值 5 %）, 每请求 CPU +9 %（限值 5 %）",
		"The direction holds, the effect is smaller than published":                                                                                       "方向成立，效应小于公布的",
		"other programs used 60 % of a CPU on the 2 CPUs that generator and server use (limit 15 %): go (pid 7) 55 %":                                     "其他程序用了发生器与服务器所用的 2 个 CPU 中一个 CPU 的 60 %（限值 15 %）: go（进程 7）55 %",
		"the data can't tell: about 4 more blocks would tell":                                                                                             "数据无法判定：大约 再加 4 个区组即可判定",
	} {
		if got := c.reason(text); got != want {
			t.Errorf("%q is written as\n%q, want\n%q", text, got, want)
		}
	}
}

// An English sentence is three words of lower case in a row.
var sentenceOfEnglish = regexp.MustCompile(`\b[a-z’']{2,} [a-z’']{2,} [a-z’']{2,}\b`)

// A Chinese report has no English sentence: neither in the headline nor in reasons,
// findings, verdicts, nor in the tables' notes.
func TestChineseReportsAreChinese(t *testing.T) {
	for name, a := range analysesOfAllKinds(t) {
		var b bytes.Buffer
		if err := HTML(&b, a, "zh"); err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(b.String(), `<script type="application/json"`)
		_, text, _ = strings.Cut(text, `<main`)
		text = regexp.MustCompile(`(?s)<pre.*?</pre>|<code>.*?</code>|<h1>.*?</h1>|<h3><span class="badge.*?</h3>|<details>\s*<summary>研究文件.*?</details>|<[^>]*>`).ReplaceAllString(text, "\n")
		for _, line := range strings.Split(text, "\n") {
			for _, remark := range append(slices.Clone(a.Run.Machine.Remarks), a.Run.Machine.Missing...) { // said by the machine it was
				line = strings.ReplaceAll(line, remark, "")
			}
			for _, o := range a.Claims {
				line = strings.ReplaceAll(line, o.Published, "")
			}
			if m := sentenceOfEnglish.FindString(line); m != "" {
				t.Errorf("%s: %q in %q", name, m, strings.TrimSpace(line))
			}
		}
	}
}

// analysesOfAllKinds are reports with winners, ties, missing figures, nothing usable,
// accepted findings and claims.
func analysesOfAllKinds(t *testing.T) map[string]*analysis.Analysis {
	t.Helper()
	spoilt := analysistest.Run(4, "a", "b")
	for i := range spoilt.Trials {
		spoilt.Trials[i].Validity = finding.Invalid
		spoilt.Trials[i].Findings = []finding.Finding{{Name: finding.Errors, Validity: finding.Invalid, Detail: "12.00 % of 900 requests failed (limit 10 %): this is not the service's work that was measured"}}
	}
	return map[string]*analysis.Analysis{
		"a winner":         analysed(t, costing(analysistest.Run(4, "a", "b", "c"), 1, 0.7)),
		"a tie":            analysed(t, analysistest.Run(4, "a", "b")),
		"missing figures":  analysed(t, fewRequests(analysistest.OpenLoop(4, "a", "b", "c"), 300, 1, 2)),
		"a process unseen": analysed(t, unseen(analysistest.Run(4, "a", "b", "c"), 2)),
		"spoilt":           analysed(t, spoilt),
		"claims":           translatable(ruled()),
		"many subjects":    translatable(someOfForty()),
	}
}

// translatable gives a fixture's findings details as the lab writes them.
func translatable(a *analysis.Analysis) *analysis.Analysis {
	for i := range a.Findings {
		a.Findings[i].Detail = "a load loop was away for 412ms (limit 100ms)"
	}
	for i := range a.Claims {
		a.Claims[i].Says = ""
		a.Claims[i].Why = "the data can't tell, and more blocks would hardly tell"
	}
	return a
}
