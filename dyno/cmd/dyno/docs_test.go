package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"dyno.example/dyno/internal/shell"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subjects"
)

// TestDocsCommands: every command in the documentation, in blocks and in the text, names
// a command, flags, packages, tests and scripts that exist. Commands are parsed as they
// would be, and not run; those of the README are, by TestReadmeBlocks.
func TestDocsCommands(t *testing.T) {
	checked := 0
	err := fs.WalkDir(os.DirFS("../../.."), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git" || name == "dyno/docs/results" || entry.Name() == "results"):
			return fs.SkipDir // what was archived had the flags of its day
		case !entry.Type().IsRegular() || path.Ext(name) != ".md" || name == "dyno/docs/claims.md" || path.Base(name) == "CHANGELOG.md":
			return nil
		}
		for _, c := range documentedCommands(read(t, filepath.Join("../../..", name))) {
			checked++
			if err := c.check(); err != nil {
				t.Errorf("%s: %s: %v", name, c.text, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 150 {
		t.Errorf("only %d commands were found", checked)
	}
}

// TestDocsStudies: every whole study in the documentation is one.
func TestDocsStudies(t *testing.T) {
	names, err := subjects.Names()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, page := range []string{"dyno/README.md", "dyno/docs/study-files.md"} {
		for _, block := range fencedBlock.FindAllStringSubmatch(read(t, filepath.Join("../../..", page)), -1) {
			if !strings.HasPrefix(block[2], "study: ") {
				continue
			}
			checked++
			if _, err := study.Parse(page, []byte(block[2]), names); err != nil {
				t.Error(err)
			}
		}
	}
	if checked < 2 {
		t.Errorf("%d studies were found", checked)
	}
}

// documented is a command in the documentation.
type documented struct {
	text  string
	whole bool // in a block, where it could be pasted; in the text only a part may be named
}

var (
	fencedBlock   = regexp.MustCompile("(?ms)^[ \t]*```([a-z]*)[^\n]*\n(.*?)^[ \t]*```[ \t]*$")
	indentedBlock = regexp.MustCompile(`(?m)(?:^(?:    |\t)[^\n]*\n)+`)
	inlineCode    = regexp.MustCompile("`([^`]+)`")
	comment       = regexp.MustCompile(`(^|\s)#.*$`)
	separator     = regexp.MustCompile(`\s(?:&&|\|\||\||;|&)(?:\s|$)|;\s`)
	before        = regexp.MustCompile(`^(?:\$ |- run: |run: |sudo |\(|[A-Z_]+=\S* )+`)
	ours          = regexp.MustCompile(`^(?:dyno |go (?:run|test|install|generate|build|vet) .*\./|(?:\./)?(?:scripts|\.ci)/)`)
	placeholder   = regexp.MustCompile(`^[A-Z][A-Z_]*$|…|^\.\.\.$`)
)

// documentedCommands finds the commands of a page that are this repository's.
func documentedCommands(text string) (list []documented) {
	add := func(code string, whole bool) {
		code = strings.ReplaceAll(code, "\\\n", " ")
		for _, line := range strings.Split(code, "\n") {
			for _, one := range separator.Split(comment.ReplaceAllString(line, ""), -1) {
				if one = before.ReplaceAllString(strings.TrimSpace(one), ""); ours.MatchString(one) {
					list = append(list, documented{strings.TrimSpace(one), whole})
				}
			}
		}
	}
	for _, block := range fencedBlock.FindAllStringSubmatch(text, -1) {
		add(block[2], true)
	}
	text = fencedBlock.ReplaceAllString(text, "")
	for _, block := range indentedBlock.FindAllString(text, -1) {
		add(block, true)
	}
	for _, code := range inlineCode.FindAllStringSubmatch(indentedBlock.ReplaceAllString(text, ""), -1) {
		add(strings.ReplaceAll(code[1], "\n", " "), false)
	}
	return list
}

func (d *documented) check() error {
	words, err := shell.Split(d.text)
	if err != nil {
		return err
	}
	words = withoutShell(words)
	switch {
	case words[0] == "dyno":
		return d.checkDyno(words[1:])
	case words[0] == "go":
		return d.checkGo(words[1], words[2:])
	}
	info, err := os.Stat(filepath.Join("../../..", words[0]))
	if err == nil && info.Mode()&0o111 == 0 {
		err = errors.New("it can't be executed")
	}
	return err
}

// withoutShell takes out redirections and the end of a subshell, and the first of
// several words that a text offers: bash|zsh|fish.
func withoutShell(words []string) (plain []string) {
	for i := 0; i < len(words); i++ {
		switch word := words[i]; {
		case word == ">" || word == ">>" || word == "2>":
			i++
		case strings.HasPrefix(word, "2>") || strings.HasPrefix(word, ">"):
		case offered.MatchString(word):
			first, _, _ := strings.Cut(word, "|")
			plain = append(plain, first)
		case strings.Count(word, ")") > strings.Count(word, "("):
			plain = append(plain, strings.TrimSuffix(word, ")"))
		default:
			plain = append(plain, word)
		}
	}
	return plain
}

var offered = regexp.MustCompile(`^[a-z]+(\|[a-z]+)+$`)

// checkDyno parses the words as dyno would.
func (d *documented) checkDyno(words []string) error {
	if len(words) == 0 || placeholder.MatchString(words[0]) {
		return nil // dyno COMMAND --help
	}
	root := newRoot()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	if cmd == root && !strings.HasPrefix(words[0], "-") {
		return fmt.Errorf("dyno has no command %q", words[0])
	}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	if cmd.DisableFlagParsing {
		return nil
	}
	err = cmd.ParseFlags(rest)
	var value *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return nil
	case errors.As(err, &value) && placeholder.MatchString(value.GetValue()):
		return nil // --blocks N
	case errors.As(err, &missing) && !d.whole:
		return nil // --accept, in the text
	case err != nil:
		return err
	}
	if args := cmd.Flags().Args(); d.whole || cmd.HasSubCommands() && len(args) > 0 {
		return cmd.ValidateArgs(args)
	}
	return nil
}

// checkGo looks for the packages, the flags of a program and the tests of -run.
func (d *documented) checkGo(verb string, words []string) error {
	for i, word := range words {
		if !strings.HasPrefix(word, "./") || word == "./..." {
			continue
		}
		dir := filepath.Join("../../..", strings.TrimSuffix(word, "/..."))
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 && !strings.HasSuffix(word, "/...") {
			return fmt.Errorf("%s is no package", word)
		}
		switch {
		case verb == "run" && word == "./dyno/cmd/dyno":
			return d.checkDyno(words[i+1:])
		case verb == "run":
			return checkFlagsOf(dir, words[i+1:])
		case verb == "test" && !strings.HasSuffix(word, "/..."):
			return checkTests(dir, words)
		}
	}
	return nil
}

// checkFlagsOf looks for the flags in the source of a program that has them from package
// flag, and in that of the package it shares them with.
func checkFlagsOf(dir string, words []string) error {
	known := map[string]bool{}
	for _, dir := range []string{dir, "../../bench/rounds"} {
		if err := inspectSource(dir, func(node ast.Node) {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return
			}
			for _, arg := range call.Args[:min(2, len(call.Args))] {
				if literal, ok := arg.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					name, _ := strconv.Unquote(literal.Value)
					known[name] = true
					return
				}
			}
		}); err != nil {
			return err
		}
	}
	for _, word := range words {
		name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if strings.HasPrefix(word, "-") && !known[name] {
			return fmt.Errorf("%s is no flag of it", word)
		}
	}
	return nil
}

// checkTests looks for tests and benchmarks that -run and -bench mean.
func checkTests(dir string, words []string) error {
	var names []string
	if err := inspectSource(dir, func(node ast.Node) {
		if f, ok := node.(*ast.FuncDecl); ok && f.Recv == nil {
			names = append(names, f.Name.Name)
		}
	}); err != nil {
		return err
	}
	for i, word := range words[:len(words)-1] {
		prefix := map[string]string{"-run": "Test|Fuzz|Example", "-bench": "Benchmark"}[word]
		if prefix == "" || words[i+1] == "^$" || words[i+1] == "-" { // no test, on purpose
			continue
		}
		for _, alternative := range strings.Split(words[i+1], "|") {
			means, err := regexp.Compile(alternative)
			if err != nil {
				return err
			}
			found := false
			for _, name := range names {
				found = found || regexp.MustCompile("^("+prefix+")").MatchString(name) && means.MatchString(name)
			}
			if !found {
				return fmt.Errorf("%s %s means no test of %s", word, alternative, dir)
			}
		}
	}
	return nil
}

// inspectSource shows every node of a folder's Go files.
func inspectSource(dir string, show func(ast.Node)) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			show(node)
			return true
		})
	}
	return nil
}

// The checks see what is wrong.
func TestDocsCommandsThatAreWrong(t *testing.T) {
	for text, ok := range map[string]bool{
		"dyno load -R 5k --phase 'ramp 1..2 5s' http://a/": true, "dyno lod http://a/": false, "dyno load --fial 'p99 < 1ms' http://a/": false,
		"dyno run STUDY --blocks N": true, "dyno run STUDY --blocks many": false, "dyno machine tune": true, "dyno machine tun": false,
		"dyno baseline set main latest": true, "dyno baseline set main": false, "dyno COMMAND --help": true,
		"go run ./dyno/bench/generators -what cpu -rounds 9": true, "go run ./dyno/bench/generators -waht cpu": false, "go run ./bench/nothing": false,
		"go run ./dyno/cmd/dyno list": true, "go run ./dyno/cmd/dyno lits": false,
		"go test ./dyno/internal/shell -run Split": true, "go test ./dyno/internal/shell -run 'Split|Nothing'": false,
		"scripts/test quick": true, "./scripts/tset": false,
	} {
		d := documented{text, true}
		if err := d.check(); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
	found := documentedCommands("`dyno list`, and\n\n```sh\nFOO=1 dyno run a && sudo dyno list | head # dyno not\n```\n\n    go run ./dyno/bench/truth \\\n      -list\n")
	if len(found) != 4 {
		t.Errorf("four commands are %+v", found)
	}
}
