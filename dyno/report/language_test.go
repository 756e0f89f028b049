package report

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func languages(t *testing.T) map[string]language {
	t.Helper()
	out := map[string]language{}
	for _, lang := range Languages() {
		c, err := openLanguage(lang)
		if err != nil {
			t.Fatal(err)
		}
		out[lang] = c
	}
	return out
}

func TestLanguagesHaveTheSameTexts(t *testing.T) {
	all := languages(t)
	if !slices.Equal(Languages(), []string{"en", "zh"}) {
		t.Fatalf("languages %v, want en and zh", Languages())
	}
	en := all["en"]
	want := slices.Sorted(maps.Keys(en.texts))
	for lang, c := range all {
		if got := slices.Sorted(maps.Keys(c.texts)); !slices.Equal(got, want) {
			t.Errorf("%s has other keys than en: only here %v, only there %v", lang, without(got, want), without(want, got))
		}
		for key, text := range c.texts {
			if strings.TrimSpace(text) == "" && !strings.HasPrefix(key, "list.") {
				t.Errorf("%s: %s is empty", lang, key)
			}
			if a, b := placeholders(text), placeholders(en.texts[key]); !slices.Equal(a, b) {
				t.Errorf("%s: %s has placeholders %v, in English %v", lang, key, a, b)
			}
		}
	}
}

func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

func placeholders(text string) []string {
	return slices.Compact(slices.Sorted(slices.Values(placeholder.FindAllString(text, -1))))
}

// uses finds the keys written out in templates, scripts and Go code.
var uses = map[string]*regexp.Regexp{
	".html": regexp.MustCompile(`\.(?:T|Count) "([^"]+)"`),
	".js":   regexp.MustCompile(`dyno\.(?:text|count)\('([^']+)'`),
	".go":   regexp.MustCompile(`\.(?:text|count)\("([a-z][^"]*)"[,)]`),
}

// usersOf are the folders whose Go code uses texts, relative to this one, with the
// pattern of their uses where that is another.
var usersOf = map[string]*regexp.Regexp{
	".": nil, "../present": outside, "../cmd/dyno": outside,
}

var outside = regexp.MustCompile(`\.(?:Text|Count)\("([a-z][^"]*)"[,)+ ]`)

func TestEveryTextUsedExists(t *testing.T) {
	for dir, pattern := range usersOf {
		everyTextUsedExists(t, dir, pattern)
	}
}

func everyTextUsedExists(t *testing.T, dir string, goCode *regexp.Regexp) {
	en := languages(t)["en"]
	found := 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		for ext, pattern := range uses {
			if !strings.HasSuffix(path, ext) {
				continue
			}
			source, err := os.ReadFile(filepath.Join(dir, path))
			if err != nil {
				return err
			}
			if ext == ".go" && goCode != nil {
				pattern = goCode
			}
			for _, m := range pattern.FindAllStringSubmatch(string(source), -1) {
				found++
				if key := m[1]; !exists(en, key, ext == ".js") {
					t.Errorf("%s uses %q, which no language has", path, key)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if least := map[string]int{".": 100, "../present": 60, "../cmd/dyno": 4}[dir]; found < least {
		t.Errorf("only %d uses of texts found in %s: the patterns no longer fit the code", found, dir)
	}
}

// exists reports whether there is a text for key, or for both its plurals, or,
// where a key is put together, for some key it begins.
func exists(c language, key string, script bool) bool {
	if script {
		key = "js." + key
	}
	if strings.HasSuffix(key, ".") {
		return slices.ContainsFunc(slices.Collect(maps.Keys(c.texts)), func(k string) bool { return strings.HasPrefix(k, key) })
	}
	return c.has(key) || c.has(key+".one") && c.has(key+".other")
}

func TestUnknownLanguage(t *testing.T) {
	err := HTML(new(strings.Builder), eight().make(), "tlh")
	if err == nil || !strings.Contains(err.Error(), "en, zh") {
		t.Errorf("got %v, want an error that lists the languages", err)
	}
}
