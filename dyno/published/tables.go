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
// or "frameworks of", for the ranking of all subjects. The folder's name may have a group of cells behind it, in brackets and as the report
// titles it, and needs one where there are several.
var beginLine = regexp.MustCompile(`^<!-- begin: (languages|frameworks) of ([A-Za-z0-9][A-Za-z0-9._-]*)(?: \(([^()]+)\))?, by dyno results\b.*-->$`)

// Example of the line above, for errors.
const exampleBegin = "<!-- begin: languages of FOLDER, by dyno results --into FILE -->"

const endLine = "<!-- end -->"

// Fill writes the tables of a document again. results is the folder of all published
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
			text, err := tableOf(results, mark[1], mark[2], mark[3], link)
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

// tableOf is a table of a folder's report, of languages or of frameworks, with where it comes
// from.
func tableOf(results fs.FS, kind, folder, group, link string) (string, error) {
	r, err := read(results, path.Join(folder, FileName))
	if err != nil {
		return "", fmt.Errorf("reading the record of %s: %w", folder, err)
	}
	name := path.Join(folder, "report.md")
	text, err := fs.ReadFile(results, name)
	if err != nil {
		return "", fmt.Errorf("reading the report of %s: %w", folder, err)
	}
	found := rankTables(string(text), kind)
	at := slices.IndexFunc(found, func(t rankTable) bool { return t.group == group || group == "" && len(found) == 1 })
	if at < 0 {
		var titles []string
		for _, t := range found {
			titles = append(titles, "("+t.group+")")
		}
		if len(titles) == 0 {
			return "", fmt.Errorf("%s has no table of %s: %s", name, kind, who[kind])
		}
		return "", fmt.Errorf("%s has tables of %s of %s; say of which behind %s", name, kind, strings.Join(titles, ", "), folder)
	}
	t := found[at]
	return fmt.Sprintf("By `%s` on %s (%s), [the whole of it](%s): %s; %s.\n\n%s\n\n%s",
		r.Command, r.Date.UTC().Format("2 January 2006"), r.Machine, path.Join(link, name), t.group, strings.TrimSuffix(worth(string(text)), "."), t.rows, t.note), nil
}

// who has a table of each kind.
var who = map[string]string{
	"languages":  "those of runs with several languages, and several frameworks of one of them, have it",
	"frameworks": "those of runs with several subjects have it",
}

// rankTable is one of a report's tables of ranks.
type rankTable struct {
	group string // of cells, as the report titles it
	rows  string // the table itself, in Markdown
	note  string // how to read it
}

// beginnings of the tables of a kind.
var beginnings = map[string]string{"languages": languageRow, "frameworks": subjectRow}

// rankTables finds them in a report in Markdown and in English: below the title of a group,
// each has a note below it.
func rankTables(report, kind string) (found []rankTable) {
	group, noted := "", true
	for part := range strings.SplitSeq(report, "\n\n") {
		for line := range strings.Lines(part) {
			if title, ok := strings.CutPrefix(line, "## "); ok {
				group, noted = strings.TrimSpace(title), true
			}
		}
		switch {
		case strings.HasPrefix(part, beginnings[kind]):
			found, noted = append(found, rankTable{group: group, rows: part}), false
			if kind == "frameworks" {
				found[len(found)-1].rows = fewer(part)
			}
		case !noted && !strings.HasPrefix(part, "#"):
			found[len(found)-1].note, noted = strings.TrimSpace(part), true
		}
	}
	return found
}

// shown are the columns of a ranking that a document has, apart from the ratio that comes first.
var shown = []string{"#", "Subject", "Throughput", "CPU per request", "Response p99", "Memory (RSS)", "Start-up time"}

// fewer leaves the other columns of a ranking out.
func fewer(table string) string {
	lines := strings.Split(table, "\n")
	head := fields(lines[0])
	ratio := slices.IndexFunc(head, func(title string) bool { return strings.Contains(title, "÷") })
	var out []string
	for i, line := range lines {
		row := fields(line)
		if i == 1 {
			row = strings.Split(strings.Trim(line, "|"), "|")
		}
		var kept []string
		for at, text := range row {
			if at < len(head) && (at == ratio || slices.Contains(shown, head[at])) {
				kept = append(kept, text)
			}
		}
		if i == 1 {
			out = append(out, "|"+strings.Join(kept, "|")+"|")
			continue
		}
		out = append(out, "| "+strings.Join(kept, " | ")+" |")
	}
	return strings.Join(out, "\n")
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
