// Package docs is nanogate's documentation, for tests that hold it to the program.
package docs

import (
	"embed"
	"io/fs"
)

//go:embed *.md
var pages embed.FS

// All is the text of all pages, but for what is about other gateways (coming-from.md) and
// about the code (design.md and its folder, storm.md, simulator.md).
func All() string {
	names, err := fs.Glob(pages, "*.md")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	all := ""
	for _, name := range names {
		switch name {
		case "coming-from.md", "design.md", "storm.md", "simulator.md":
		default:
			all += Page(name)
		}
	}
	return all
}

// Page is the text of one page, such as tls.md.
func Page(name string) string {
	text, err := pages.ReadFile(name)
	if err != nil {
		panic(err) // tests name pages that there are
	}
	return string(text)
}
