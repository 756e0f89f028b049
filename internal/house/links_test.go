// Package docs_test holds the documentation and the tree to what they say: links and
// headings, the layers of packages, and the weight and names of archived evidence.
// The commands in the documentation are checked by dyno/cmd/dyno, which has their flags.
package house

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// root is the repository.
const root = "../.."

// pages are all Markdown files of the repository, by their path from its root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git"):
			return fs.SkipDir
		case entry.Type().IsRegular() && path.Ext(name) == ".md":
			text, err := os.ReadFile(filepath.Join(root, name))
			texts[name] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 20 {
		t.Fatalf("%d pages were found", len(texts))
	}
	return texts
}

var (
	fenced  = regexp.MustCompile("(?ms)^[ \t]*(```|~~~).*?^[ \t]*(```|~~~)[ \t]*$")
	inline  = regexp.MustCompile("`[^`\n]+`")
	link    = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+?)[ #]*$`)
	target  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// Every link to a file of this repository, or to a heading, leads somewhere.
func TestLinks(t *testing.T) {
	t.Parallel()
	texts := pages(t)
	checked := 0
	for name, text := range texts {
		prose := inline.ReplaceAllString(fenced.ReplaceAllString(text, ""), "")
		for _, found := range link.FindAllStringSubmatch(prose, -1) {
			if strings.Contains(found[1], "://") || strings.HasPrefix(found[1], "mailto:") {
				continue
			}
			checked++
			if err := followed(texts, name, found[1]); err != nil {
				t.Errorf("%s: %s: %v", name, found[1], err)
			}
		}
	}
	if checked < 200 {
		t.Errorf("only %d links were found", checked)
	}
}

var (
	named       = regexp.MustCompile("`((?:\\.ci|docs|dyno|internal|nano|nanogate|scripts)/[a-zA-Z0-9_./*-]+)`")
	placeholder = regexp.MustCompile(`[A-Z]{2,}`)
)

// Every file and folder of this repository that a text names is there.
func TestNamedFiles(t *testing.T) {
	checked := 0
	for name, text := range pages(t) {
		if strings.HasPrefix(name, "dyno/docs/results/") || name == "dyno/docs/claims.md" || path.Base(name) == "CHANGELOG.md" {
			continue // they name what was there
		}
		for _, found := range named.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			if placeholder.MatchString(found[1]) || found[1] == "nanogate/gateway" {
				continue // dyno/subjects/LANG/NAME; the controller of a GatewayClass
			}
			checked++
			if files, err := filepath.Glob(filepath.Join(root, found[1])); err != nil || len(files) == 0 {
				t.Errorf("%s: there is no %s", name, found[1])
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d were found", checked)
	}
}

// followed says why a link on the page from leads nowhere.
func followed(texts map[string]string, from, link string) error {
	file, anchor, _ := strings.Cut(link, "#")
	to := from
	if file != "" {
		to = path.Join(path.Dir(from), file)
		if strings.HasPrefix(to, "..") {
			return fmt.Errorf("it leaves the repository")
		}
		if _, err := os.Stat(filepath.Join(root, to)); err != nil {
			return err
		}
	}
	if anchor == "" {
		return nil
	}
	text, ok := texts[to]
	if !ok {
		return fmt.Errorf("%s is no page with headings", to)
	}
	if !anchors(text)[anchor] {
		return fmt.Errorf("%s has no such heading", to)
	}
	return nil
}

// anchors are the names that GitHub gives a page's headings.
func anchors(text string) map[string]bool {
	names := map[string]bool{}
	for _, found := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		name := slug(target.ReplaceAllString(found[1], "$1"))
		for n, first := 1, name; names[name]; n++ {
			name = fmt.Sprintf("%s-%d", first, n)
		}
		names[name] = true
	}
	return names
}

func slug(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

// The checks see what is wrong.
func TestLinksThatLeadNowhere(t *testing.T) {
	texts := map[string]string{
		"docs/a.md": "# A page: its `code`, and [a link](b.md)\n\n```sh\n# no heading\n```\n\n## Twice\n\n## Twice\n",
		"docs/b.md": "",
	}
	for link, ok := range map[string]bool{
		"#a-page-its-code-and-a-link": true, "#twice-1": true, "architecture.md": true, "../README.md": true, "../dyno/docs/results": true,
		"#no-heading": false, "#twice-2": false, "nowhere.md": false, "b.md#twice": false, "../../README.md": false, "results#a": false,
	} {
		if err := followed(texts, "docs/a.md", link); (err == nil) != ok {
			t.Errorf("%s: %v", link, err)
		}
	}
	if found := link.FindAllString("[a](b) ![c](d.png) [e](f#g) [`h`](i)", -1); len(found) != 4 {
		t.Errorf("of four links these were found: %v", found)
	}
}
