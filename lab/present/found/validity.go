package found

import (
	"fmt"
	"io"
	"strings"

	"dyno/lab/capacity"
	"dyno/lab/finding"
)

// writeValidity says what a measurement of many trials is worth, and why.
func writeValidity(w io.Writer, d *capacity.Disturbed) {
	for _, line := range validityLines(d) {
		fmt.Fprintf(w, "  %-12s %s\n", line[0], line[1])
	}
}

func validityLines(d *capacity.Disturbed) [][2]string {
	lines := [][2]string{{"validity", strings.ToUpper(string(d.Validity))}}
	for i := range d.Findings {
		f := &d.Findings[i]
		lines = append(lines, [2]string{"", fmt.Sprintf("%s %s, in %s: %s", levelText(f.Validity), f.Name, trialsText(len(f.Windows)), f.Detail)})
	}
	return lines
}

// levelText is a finding's level as a word in a line.
func levelText(v finding.Validity) string {
	if v == finding.Valid {
		return "remark"
	}
	return strings.ToUpper(string(v))
}

func trialsText(n int) string {
	if n == 1 {
		return "1 trial"
	}
	return fmt.Sprintf("%d trials", n)
}
