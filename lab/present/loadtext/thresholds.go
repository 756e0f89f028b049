package loadtext

import (
	"fmt"
	"io"

	"dyno/lab/export"
	"dyno/lab/objective"
)

// WriteThresholds prints a line for each threshold; nothing without any.
func WriteThresholds(w io.Writer, judged []export.Threshold) {
	if len(judged) == 0 {
		return
	}
	fmt.Fprintln(w, "\n  thresholds")
	for _, j := range judged {
		word, measured := "pass", ": "+j.Measured
		switch j.Verdict {
		case objective.Fails.String():
			word = "FAIL"
		case objective.Unknown.String():
			word, measured = "FAIL", ": can't be decided: "+j.Measured
		case export.NotEvaluated:
			word, measured = "-", ": not evaluated, as the load was interrupted"
		}
		fmt.Fprintf(w, "    %-4s %s%s\n", word, j.Expression, measured)
	}
}
