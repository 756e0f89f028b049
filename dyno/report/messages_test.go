package report

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tellers are the files whose errors and progress people see in their language: what
// commands say, and the rooms behind those that compare, judge and carry out. What the
// operating system and rooms farther down say is told as it is.
var tellers = []string{
	"../cmd/dyno/*.go", "../cmd/dyno/internal/*/*.go",
	"../regression/*.go", "../regression/threshold/*.go", "../baseline/*.go", "../compare/*.go", "../history/*.go",
	"../objective/*.go", "../load/check.go", "../archive/store.go", "../archive/damage.go", "../archive/name.go", "../subject/build*.go", "../subject/catalog.go", "../subject/handle.go", "../subject/instance.go", "../subject/needs.go", "../subject/placement.go", "../subject/ready.go", "../subject/contract/refusal.go", "../subject/spec.go", "../subject/start.go", "../subject/contract/wire.go", "../runner/*.go", "../machine/busy/survey.go", "../study/open.go", "../study/quick.go", "../present/loadtext/result.go", "../present/live/*.go",
}

// untold are literals of these files that are no message: help, file contents, and
// what stands between others.
var untold = []string{
	"Usage:\n  %s\n\nExamples:\n%s", "#   dyno baseline %s %s %s", "%s under %s", "%s (%s)", "%s: %s", "%s, %s", "%s (%s, %s)", "%s  (%s, %s, %s)",
	"run %s",  // of a baseline, in a sentence of its own
	"%d runs", // in a comment of a baseline's file
	"%s %s", "n = %d", "%d GiB", "%.2f µs", "%9s %s  p99 %-7s",
	"can't tell: %w",                                     // as what "can't tell: " and an error of its own are
	"Host: %s\r", "git %s: %s", "git %s: %w", "yaml: %v", // others' words follow
	"### dyno gate%s%s\n\n%s", "%s (would find %s)", // Markdown, JUnit
}

// told are the texts in what a file makes errors and lines of.
func told(t *testing.T, file string) (out []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok {
			if name := calledName(call); strings.HasSuffix(name, "Var") || strings.HasSuffix(name, "VarP") {
				return false // a flag with its help
			}
		}
		if !ok || !slices.Contains([]string{"Errorf", "New", "Sprintf", "Fprintf", "Fprintln", "Printf", "Println"}, calledName(call)) {
			return true
		}
		for _, arg := range call.Args {
			ast.Inspect(arg, func(n ast.Node) bool {
				if inner, is := n.(*ast.CallExpr); is && inner != call {
					return false // it says for itself what it is
				}
				lit, is := n.(*ast.BasicLit)
				if !is || lit.Kind != token.STRING {
					return true
				}
				text, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				if words := verb.ReplaceAllString(text, ""); strings.Contains(strings.TrimSpace(text), " ") && strings.ContainsFunc(words, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
					out = append(out, strings.Trim(text, "\n"))
				}
				return true
			})
		}
		return true
	})
	return out
}

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// No error and no line of progress may lack its phrase in any language.
func TestEveryMessageHasItsPhrase(t *testing.T) {
	seen := 0
	for _, lang := range Languages() {
		if lang == "en" {
			continue
		}
		phrases, err := loadPhrases(lang)
		if err != nil {
			t.Fatal(err)
		}
		for _, pattern := range tellers {
			files, err := filepath.Glob(pattern)
			if err != nil || len(files) == 0 {
				t.Fatalf("%s: %v, %v", pattern, files, err)
			}
			for _, file := range files {
				if strings.HasSuffix(file, "_test.go") {
					continue
				}
				for _, text := range told(t, file) {
					seen++
					if !slices.Contains(untold, text) && !slices.ContainsFunc(phrases, func(p phrase) bool { return p.english == text }) {
						t.Errorf("lang/%s.messages.phrases.json lacks %q of %s", lang, text, file)
					}
				}
			}
		}
	}
	if seen < 300 {
		t.Errorf("only %d messages found: the files no longer hold them", seen)
	}
}

// Whole messages, as they are told.
func TestMessagesInChinese(t *testing.T) {
	zh, err := TextsIn("zh")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"CPU per request is 9.2 % higher (7.0–11.4 %); 5 % are allowed; first run: 8.8 % higher (6.5–11.2 %)":             "每请求 CPU 高 9.2 % (7.0–11.4 %)；允许 5 %；第一次运行：高 8.8 % (6.5–11.2 %)",
		"can't tell: response.p99 is 0.9 % higher (-2.0 to +3.9 %); 10 % are allowed; about 12 blocks would tell":         "无法判定：response.p99 高 0.9 %（-2.0 至 +3.9 %）；允许 10 %；约 12 个区组可判定",
		"x fails 14.6 % of its requests, x@main 0 %: 14.6 points more (14.1 to 15.1); 0.5 points more are allowed":        "x 有 14.6 % 的请求失败，x@main 为 0 %: 多 14.6 个百分点（14.1 至 15.1）；允许多 0.5 个百分点",
		"2 of 3 checks ok, 1 worse than allowed; if nothing had changed, it would have alarmed in at most 0.19 % of runs": "3 项检查中 2 项通过，1 项比允许的更差；若没有任何变化，报警的运行至多占 0.19 %",
		"throughput is the same within 2 % (0.50 % lower to 0.70 % higher)":                                               "吞吐量在 2 % 以内相同（低 0.50 % 至 高 0.70 %）",
		"CPU per request is 10 % higher, which is worse, from run-12 of 2026-03-26 on; x commit-12, before commit-11":     "每请求 CPU 高 10 %，变差，自 2026-03-26 的 run-12 起；x commit-12，之前为 commit-11",
		`--fail "cpu > 3%": expected what is a regression, as in 'cpu > +3%' or 'throughput < -5%'`:                       `--fail "cpu > 3%"：应写明什么算退化，例如 'cpu > +3%' 或 'throughput < -5%'`,
		"unknown flag: --conections": "未知选项：--conections",
	} {
		if got := zh.Reason(text); got != want {
			t.Errorf("%q is written as\n%q, want\n%q", text, got, want)
		}
	}
	var b strings.Builder
	fmt.Fprintf(zh.Writer(&b), "dyno: %v\n", "no figure can be trusted")
	if b.String() != "dyno: 没有可信的数字\n" {
		t.Errorf("%q", &b)
	}
}
