package contract

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Sizes a diff is trimmed to.
const (
	diffLines = 400 // lines compared
	diffShown = 20  // lines shown
	diffWidth = 160 // bytes of a line shown
)

// diff shows how two texts differ, line by line: "- expected", "+ got". Lines
// they share are left out.
func diff(expected, got string) []string {
	a, b := diffSplit(expected), diffSplit(got)
	common := commonLines(a, b)
	var out []string
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out = append(out, "- "+shorten(a[i]))
			i++
		default:
			out = append(out, "+ "+shorten(b[j]))
			j++
		}
	}
	if len(out) > diffShown {
		out = append(out[:diffShown], fmt.Sprintf("… %d more lines", len(out)-diffShown))
	}
	return out
}

// commonLines has at [i][j] how many lines a[i:] and b[j:] have in common, in
// order (the longest common subsequence).
func commonLines(a, b []string) [][]int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				table[i][j] = table[i+1][j+1] + 1
			} else {
				table[i][j] = max(table[i+1][j], table[i][j+1])
			}
		}
	}
	return table
}

// diffSplit makes lines of a text. A text without its last line's end differs
// from one with it.
func diffSplit(text string) []string {
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" && last > 0 {
		lines = lines[:last]
	}
	return lines[:min(len(lines), diffLines)]
}

// shorten makes a line fit for a terminal: invisible characters are written
// out, and what is too long is cut.
func shorten(line string) string {
	cut := ""
	if len(line) > diffWidth {
		end := diffWidth
		for end > 0 && !utf8.RuneStart(line[end]) {
			end--
		}
		cut = fmt.Sprintf("… (%d bytes)", len(line))
		line = line[:end]
	}
	if strings.HasSuffix(line, "\n") && isPlain(line[:len(line)-1]) {
		return line[:len(line)-1]
	}
	if !isPlain(line) || line == "" {
		line = strconv.Quote(line)
	}
	return line + cut
}

func isPlain(s string) bool {
	if s == "" || s != strings.TrimRight(s, " \t") {
		return false
	}
	for _, c := range s {
		if !strconv.IsPrint(c) {
			return false
		}
	}
	return true
}
