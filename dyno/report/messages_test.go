package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dyno.example/internal/i18n"
)

// told is a message as the code makes it.
type told struct {
	format string // "" if it is no literal
	at     string // file:line
}

// messagesIn are the messages that the code below a folder makes, by id.
func messagesIn(t *testing.T, folder string, into map[string][]told) {
	t.Helper()
	set := token.NewFileSet()
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || name == "subjects"):
			return fs.SkipDir
		case filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(set, filepath.Join(folder, name), nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || f.Sel.Name != "New" && f.Sel.Name != "Errorf" {
				return true
			}
			if of, ok := f.X.(*ast.Ident); !ok || of.Name != "i18n" {
				return true
			}
			at := set.Position(call.Pos())
			id, ok := literal(call.Args[0])
			if !ok {
				t.Errorf("%s: the id of a message is written out", at)
				return true
			}
			format, _ := literal(call.Args[1])
			if verbs := i18n.Verbs(format); format != "" && len(verbs)+strings.Count(strings.Join(verbs, ""), "*") != len(call.Args)-2 {
				t.Errorf("%s: %q has %d verbs for %d arguments", at, format, len(verbs), len(call.Args)-2)
			}
			into[id] = append(into[id], told{format, at.String()})
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func literal(e ast.Expr) (text string, ok bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(lit.Value)
	return text, err == nil
}

// numberedID is an id that differs from another only by a number, which says nothing.
var numberedID = regexp.MustCompile(`-[0-9]+$`)

// identifier is how ids are written: an area, and what is said there.
var identifier = regexp.MustCompile(`^[a-z][a-z0-9]*(\.[a-z0-9]+(-[a-z0-9]+)*)+$`)

// Ids name what is said, and messages are whole: what belongs to a sentence is an argument,
// which has its place in each language, and isn't put behind it.
func TestMessagesAreWhole(t *testing.T) {
	messages := map[string][]told{}
	messagesIn(t, "..", messages)
	messagesIn(t, "../../internal", messages)
	for id, all := range messages {
		if !identifier.MatchString(id) || numberedID.MatchString(id) {
			t.Errorf("%s: the id %q isn't of the form area.what-is-said", all[0].at, id)
		}
		if format := all[0].format; strings.HasSuffix(format, " ") || strings.HasSuffix(format, "(") {
			t.Errorf("%s: %q is half a message: say what follows by a verb", all[0].at, format)
		}
	}
}

var numbered = regexp.MustCompile(`\{[0-9]+\}`)

// Each message has one English format and a template in each other language, which has a
// place for each of its arguments; and each template is of a message.
func TestEveryMessageIsInEveryLanguage(t *testing.T) {
	messages := map[string][]told{}
	messagesIn(t, "..", messages)
	messagesIn(t, "../../internal", messages)
	for id, format := range map[string]string{"and": "%s and %s", "comma": ", ", "semicolon": "; ", "enumeration": ", "} {
		messages["list."+id] = []told{{format, "internal/i18n"}}
	}
	if len(messages) < 1000 {
		t.Errorf("only %d messages found: the code no longer makes them so", len(messages))
	}
	for id, all := range messages {
		for _, m := range all {
			if m.format != all[0].format {
				t.Errorf("%s: %s is %q, and %q at %s", m.at, id, m.format, all[0].format, all[0].at)
			}
		}
	}
	for lang, c := range languages(t) {
		if lang == "en" {
			continue
		}
		for id, all := range messages {
			template, ok := c.messages[id]
			if !ok {
				t.Errorf("lang/%s.messages.json lacks %s of %s", lang, id, all[0].at)
				continue
			}
			var want []string
			for n := range i18n.Verbs(all[0].format) {
				want = append(want, "{"+strconv.Itoa(n+1)+"}")
			}
			got := slices.Compact(slices.Sorted(slices.Values(numbered.FindAllString(template, -1))))
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Errorf("lang/%s.messages.json: %s has the places %v, want %v, for %q", lang, id, got, want, all[0].format)
			}
		}
		for _, id := range slices.Sorted(maps.Keys(c.messages)) {
			if messages[id] == nil {
				t.Errorf("lang/%s.messages.json has %s, which no code says", lang, id)
			}
		}
	}
}
