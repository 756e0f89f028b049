package report

import (
	"regexp"
	"strings"

	"dyno.example/dyno/present"
)

// gapWide is between columns of a table.
const gapWide = 2

// TerminalTable writes rows of texts below each other, each column as wide as its widest
// cell on a terminal, where letters of some languages take two columns. Lines begin with
// the indent. The last text of a row that has fewer of them than others may be as long as
// it is. If lines would be longer than width, texts that have several words are broken
// into lines; width 0 is any, as for a file or another program.
func TerminalTable(b *strings.Builder, indent string, rows [][]string, width int) {
	wide := fit(rows, width-present.Width(indent))
	for _, row := range rows {
		writeRow(b, indent, row, wide, width)
	}
}

// TerminalTableWithout is [TerminalTable] without the columns, dropped in this order, with which
// it would be too wide: those that repeat what others say, such as a name's first part.
func TerminalTableWithout(b *strings.Builder, rows [][]string, width int, without ...int) {
	gone := map[int]bool{}
	kept := rows
	for _, column := range without {
		if width <= 0 || naturalWidth(kept) <= width {
			break
		}
		gone[column] = true
		kept = make([][]string, len(rows))
		for i, row := range rows {
			for k, cell := range row {
				if !gone[k] {
					kept[i] = append(kept[i], cell)
				}
			}
		}
	}
	TerminalTable(b, "", kept, width)
}

// naturalWidth is how wide a table is whose texts are not broken.
func naturalWidth(rows [][]string) int {
	total := 0
	for _, w := range naturalWidths(rows) {
		total += w + gapWide
	}
	return total - gapWide
}

// naturalWidths are those of the widest texts.
func naturalWidths(rows [][]string) []int {
	columns := 0
	for _, row := range rows {
		columns = max(columns, len(row))
	}
	wide := make([]int, columns)
	for _, row := range rows {
		for i, cell := range row {
			if i == len(row)-1 && i < columns-1 {
				continue // it goes to the end of the line
			}
			wide[i] = max(wide[i], present.Width(plain(cell)))
		}
	}
	return wide
}

// fit are the widths of columns, of which the widest are narrowed until all are within
// width together, or until words would have to be broken.
func fit(rows [][]string, width int) []int {
	wide := naturalWidths(rows)
	least := make([]int, len(wide))
	for _, row := range rows {
		for i, cell := range row {
			for word := range strings.FieldsSeq(present.Wrap(plain(cell), 1)) {
				least[i] = max(least[i], present.Width(word))
			}
		}
	}
	for over := naturalWidth(rows) - width; width > 0 && over > 0; over-- {
		widest := -1
		for i := range wide {
			if wide[i] > least[i] && (widest < 0 || wide[i] > wide[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		wide[widest]--
	}
	return wide
}

// writeRow writes a row, on several lines if a cell is wider than its column.
func writeRow(b *strings.Builder, indent string, row []string, wide []int, width int) {
	lines := make([][]string, len(row))
	most, at := 1, present.Width(indent)
	for i, cell := range row {
		columns := wide[i]
		if i == len(row)-1 && i < len(wide)-1 {
			columns = width - at // to the end of the line
		}
		lines[i] = []string{cell}
		if width > 0 && present.Width(plain(cell)) > columns {
			lines[i] = broken(cell, max(columns, 1))
		}
		most = max(most, len(lines[i]))
		at += wide[i] + gapWide
	}
	for k := range most {
		line := indent
		for i := range row {
			cell := ""
			if k < len(lines[i]) {
				cell = lines[i][k]
			}
			if i < len(row)-1 {
				cell += strings.Repeat(" ", max(wide[i]-present.Width(plain(cell)), 0)+gapWide)
			}
			line += cell
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// painted is a cell in a colour.
var painted = regexp.MustCompile(`^(\x1b\[[0-9;]*m)(.*)(\x1b\[0m)$`)

// plain is a cell without its colour.
func plain(cell string) string {
	if m := painted.FindStringSubmatch(cell); m != nil {
		return m[2]
	}
	return cell
}

// broken is a cell as lines, all in its colour.
func broken(cell string, columns int) []string {
	lines := strings.Split(present.Wrap(plain(cell), columns), "\n")
	if m := painted.FindStringSubmatch(cell); m != nil {
		for i := range lines {
			lines[i] = m[1] + lines[i] + m[3]
		}
	}
	return lines
}
