package published

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A document, such as a README, may have tables of published results. Each stands between
// two lines, the first of which says what of:
//
//	<!-- begin: languages of languages-quick, by dyno results --into README.md -->
//	<!-- end -->
//
// The folder's name may have a group of cells behind it, in brackets and as the report
// titles it, and needs one where there are several.
var beginLine = regexp.MustCompile(`^<!-- begin: languages of ([A-Za-z0-9][A-Za-z0-9._-]*)(?: \(([^()]+)\))?, by dyno results\b.*-->$`)

// Example of the line above, for errors.
const exampleBegin = "<!-- begin: languages of FOLDER, by dyno results --into FILE -->"

const endLine = "<!-- end -->"

// Fill writes the tables of a document anew. results is the folder of all published
// results, and link where it is from the document. Nothing of the document but what is
// between those lines changes. Errors name the line of the document.
func Fill(document string, results fs.FS, link string) (string, error) {
	var out []string
	begun, tables := 0, 0 // number of the line that began the table; 0 outside of one
	for i, line := range strings.Split(document, "\n") {
		mark := beginLine.FindStringSubmatch(line)
		switch {
		case mark != nil && begun > 0:
			return "", fmt.Errorf("line %d: the table of line %d has no %s before this one", i+1, begun, endLine)
		case mark != nil:
			text, err := languagesOf(results, mark[1], mark[2], link)
			if err != nil {
				return "", fmt.Errorf("line %d: %w", i+1, err)
			}
			out = append(out, line, "", text)
			begun, tables = i+1, tables+1
		case begun == 0:
			out = append(out, line)
		case line == endLine:
			out = append(out, "", line)
			begun = 0
		}
	}
	switch {
	case begun > 0:
		return "", fmt.Errorf("line %d: its table has no end: put %s below it", begun, endLine)
	case tables == 0:
		return "", fmt.Errorf("no line begins a table; put these two where it is to be:\n%s\n%s", exampleBegin, endLine)
	}
	return strings.Join(out, "\n"), nil
}

// languagesOf is the table of languages in a folder's report, with where it comes from.
func languagesOf(results fs.FS, folder, group, link string) (string, error) {
	r, err := read(results, path.Join(folder, FileName))
	if err != nil {
		return "", fmt.Errorf("reading the record of %s: %w", folder, err)
	}
	name := path.Join(folder, "report.md")
	text, err := fs.ReadFile(results, name)
	if err != nil {
		return "", fmt.Errorf("reading the report of %s: %w", folder, err)
	}
	found := languageTables(string(text))
	at := slices.IndexFunc(found, func(t languageTable) bool { return t.group == group || group == "" && len(found) == 1 })
	if at < 0 {
		var titles []string
		for _, t := range found {
			titles = append(titles, "("+t.group+")")
		}
		if len(titles) == 0 {
			return "", fmt.Errorf("%s has no table of languages: those of runs with several languages, and several frameworks of one of them, have it", name)
		}
		return "", fmt.Errorf("%s has tables of languages of %s; say of which behind %s", name, strings.Join(titles, ", "), folder)
	}
	t := found[at]
	return fmt.Sprintf("By `%s` on %s (%s), [the whole of it](%s): %s; %s.\n\n%s\n\n%s",
		r.Command, r.Date.UTC().Format("2 January 2006"), r.Machine, path.Join(link, name), t.group, worth(string(text)), t.rows, t.note), nil
}

// languageTable is one of a report's tables of languages.
type languageTable struct {
	group string // of cells, as the report titles it
	rows  string // the table itself, in Markdown
	note  string // how to read it
}

// languageTables finds them in a report in Markdown and in English: below the title of a
// group, each begins with a heading of its own, and has a note below it.
func languageTables(report string) (found []languageTable) {
	group, within := "", false
	for part := range strings.SplitSeq(report, "\n\n") {
		for line := range strings.Lines(part) {
			if title, ok := strings.CutPrefix(line, "## "); ok {
				group, within = strings.TrimSpace(title), false
			} else if strings.HasPrefix(line, "### ") {
				within = strings.TrimSpace(line) == "### By language"
			}
		}
		switch {
		case !within:
		case strings.HasPrefix(part, "| "):
			found = append(found, languageTable{group: group, rows: part})
		case len(found) > 0 && !strings.HasPrefix(part, "#"):
			found[len(found)-1].note, within = strings.TrimSpace(part), false
		}
	}
	return found
}

// badgeLine is what a report says its data are worth; older ones leave "data:" out.
var badgeLine = regexp.MustCompile(`(?m)^\*\*(?:data: )?([A-Z]+)\*\*(?: · (.+))?$`)

// worth says it in words.
func worth(report string) string {
	m := badgeLine.FindStringSubmatch(report)
	switch {
	case m == nil:
		return "what the data are worth was not recorded"
	case m[2] == "":
		return "data: " + m[1]
	}
	return "data: " + m[1] + ", " + m[2]
}
