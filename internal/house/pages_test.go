package house

import (
	"path"
	"strings"
	"testing"
)

// pageMost is how many lines a page has at most: what is longer is several pages, each
// about one thing.
const pageMost = 400

// generated says whether a page is written by a program, or by one change after another.
func generated(name string) bool {
	return path.Base(name) == "CHANGELOG.md" || name == "dyno/docs/claims.md" || name == "nanogate/docs/fields.md" ||
		strings.HasPrefix(name, "dyno/docs/results/") || strings.Contains(name, "/results/20")
}

// No page that people write is longer than one sitting takes.
func TestPagesAreShort(t *testing.T) {
	checked := 0
	for name, text := range pages(t) {
		if generated(name) {
			continue
		}
		checked++
		if n := strings.Count(text, "\n"); n > pageMost {
			t.Errorf("%s has %d lines, more than %d", name, n, pageMost)
		}
	}
	if checked < 60 {
		t.Errorf("only %d pages were looked at", checked)
	}
}

// Every table is one: below its head a line of dashes, and as many fields in each row.
func TestTablesAreWhole(t *testing.T) {
	tables := 0
	for name, text := range pages(t) {
		found, wrong := lookAtTables(text)
		tables += found
		for _, what := range wrong {
			t.Errorf("%s: %s", name, what)
		}
	}
	if tables < 100 {
		t.Errorf("only %d tables were found", tables)
	}
}

// lookAtTables counts a page's tables, and names the rows that Markdown draws otherwise
// than they were meant.
func lookAtTables(text string) (tables int, wrong []string) {
	var before []string // lines of the paragraph or table that is being read
	for _, line := range append(strings.Split(fenced.ReplaceAllString(text, ""), "\n"), "") {
		line = strings.TrimSpace(line)
		if line != "" {
			before = append(before, line)
			continue
		}
		if rows := rowsOf(before); len(rows) > 0 {
			tables++
			wrong = append(wrong, misdrawn(rows, before)...)
		}
		before = nil
	}
	return tables, wrong
}

// rowsOf are a paragraph's lines that begin as rows of a table do.
func rowsOf(lines []string) (rows []string) {
	for _, line := range lines {
		if strings.HasPrefix(line, "|") {
			rows = append(rows, line)
		}
	}
	return rows
}

// misdrawn says what is wrong with a table: text that runs into it, no line of dashes, or
// rows with another number of fields than its head.
func misdrawn(rows, lines []string) (wrong []string) {
	if last := lines[len(lines)-1]; last[0] != '|' && last[0] != '<' { // a comment is a block of its own
		wrong = append(wrong, "a table goes on in text: "+last)
	}
	if len(rows) < 2 || strings.Trim(rows[1], "|-: ") != "" {
		return append(wrong, "a table without a line of dashes: "+rows[0])
	}
	columns := fields(rows[0])
	for _, row := range rows[1:] {
		if n := fields(row); n != columns {
			wrong = append(wrong, "another number of fields than the head has: "+row)
		}
	}
	return wrong
}

// fields counts a row's fields: bars divide them, but for escaped ones. Bars within code
// divide too (GitHub Flavored Markdown 4.10).
func fields(row string) int {
	return strings.Count(strings.ReplaceAll(row, `\|`, ""), "|") - 1
}

// The check sees what is wrong with tables.
func TestTablesThatAreNot(t *testing.T) {
	for text, whole := range map[string]bool{
		"| a | b |\n|---|---|\n| 1 | 2 |\n":       true,
		"| a | b |\n|:--|--:|\n| `1\\|2` | 2 |\n": true,
		"```\n| a\n```\n":                         true,
		"| a | b |\n| 1 | 2 |\n":                  false,
		"| a | b |\n|---|---|\n| 1 |\n":           false,
		"| a | b |\n|---|---|\n| `1|2` | 2 |\n":   false,
		"| a |\n|---|\n| 1 |\nand on\n":           false,
	} {
		if _, wrong := lookAtTables(text); (len(wrong) == 0) != whole {
			t.Errorf("%q: %q", text, wrong)
		}
	}
}
