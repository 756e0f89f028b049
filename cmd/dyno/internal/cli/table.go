package cli

import (
	"os"
	"strings"

	"dyno/lab/report"
)

// PrintTable writes rows of cells to standard output, each column as wide as its widest
// cell.
func PrintTable(rows [][]string) error {
	var b strings.Builder
	report.TerminalTable(&b, "", rows)
	_, err := os.Stdout.WriteString(b.String())
	return err
}
