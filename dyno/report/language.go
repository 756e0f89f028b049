package report

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"dyno.example/internal/i18n"
)

//go:embed lang/*.json
var langFiles embed.FS

// Languages lists the languages a report can be written in.
func Languages() []string {
	entries, err := langFiles.ReadDir("lang")
	if err != nil {
		return nil
	}
	var langs []string
	for _, e := range entries {
		if lang, ok := strings.CutSuffix(e.Name(), ".json"); ok && !strings.Contains(lang, ".") {
			langs = append(langs, lang)
		}
	}
	slices.Sort(langs)
	return langs
}

// language holds every text of a report in one language, by key.
type language struct {
	lang     string
	texts    map[string]string
	help     map[string]string // texts of commands, by id
	messages i18n.Catalogue    // empty for English, which messages have themselves
}

func openLanguage(lang string) (language, error) {
	if lang == "" {
		lang = "en"
	}
	if !slices.Contains(Languages(), lang) {
		return language{}, fmt.Errorf("report: no language %q; there are %s", lang, strings.Join(Languages(), ", "))
	}
	data, err := langFiles.ReadFile(path.Join("lang", lang+".json"))
	if err != nil {
		return language{}, fmt.Errorf("report: reading language %s: %w", lang, err)
	}
	c := language{lang: lang}
	if err := json.Unmarshal(data, &c.texts); err != nil {
		return language{}, fmt.Errorf("report: reading language %s: %w", lang, err)
	}
	if lang == "en" {
		return c, nil
	}
	for name, into := range map[string]any{".messages.json": &c.messages, ".help.json": &c.help} {
		if data, err = langFiles.ReadFile(path.Join("lang", lang+name)); err == nil {
			err = json.Unmarshal(data, into)
		}
		if err != nil {
			return language{}, fmt.Errorf("report: reading %s of language %s: %w", name, lang, err)
		}
	}
	return c, nil
}

// text returns the text of key with each {name} replaced by the value that
// follows name in pairs. A key that is not there shows as itself.
func (c language) text(key string, pairs ...any) string {
	t, ok := c.texts[key]
	if !ok {
		return key
	}
	if len(pairs) == 0 {
		return t
	}
	var swap []string
	for i := 0; i+1 < len(pairs); i += 2 {
		swap = append(swap, fmt.Sprintf("{%v}", pairs[i]), fmt.Sprint(pairs[i+1]))
	}
	return strings.NewReplacer(swap...).Replace(t)
}

// say tells a message in the language.
func (c language) say(m i18n.Message) string { return c.messages.Render(m) }

// has reports whether there is a text for key.
func (c language) has(key string) bool {
	_, ok := c.texts[key]
	return ok
}

// metric returns what a metric is called: "Response p99" for "response.p99".
func (c language) metric(name string) string {
	if key := "metric." + name; c.has(key) {
		return c.text(key)
	}
	clock, figure, _ := strings.Cut(name, ".")
	return c.text("metric."+clock) + " " + figure
}

// count writes "1 block" or "3 blocks": the text of key.one or key.other.
func (c language) count(key string, n int) string {
	return c.text(plural(key, n), "n", n)
}

// plural is the key of the form for n things.
func plural(key string, n int) string {
	if n == 1 {
		return key + ".one"
	}
	return key + ".other"
}

// list writes "a", "a and b" or "a, b and c".
func (c language) list(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], c.text("list.comma")) + c.text("list.and") + items[last]
}

// charts returns the texts the scripts use: those whose keys begin with "js.",
// without it, and what findings are called.
func (c language) charts() map[string]string {
	out := map[string]string{}
	for k, v := range c.texts {
		if name, ok := strings.CutPrefix(k, "js."); ok {
			out[name] = v
		} else if strings.HasPrefix(k, "finding.") && !strings.HasSuffix(k, ".why") {
			out[k] = v
		}
	}
	return out
}
