package cli

import (
	"os"
	"strings"

	"dyno.example/dyno/report"
)

// PrintTable writes rows of texts to standard output, each column as wide as its widest
// text; on a terminal that is too narrow, without the columns, dropped in this order, that
// repeat what others say, and with texts of several words in lines.
func PrintTable(rows [][]string, without ...int) error {
	var b strings.Builder
	report.TerminalTableWithout(&b, rows, TableWidth(), without...)
	_, err := os.Stdout.WriteString(b.String())
	return err
}
