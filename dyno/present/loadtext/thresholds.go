package loadtext

import (
	"fmt"

	"dyno.example/dyno/export"
	"dyno.example/dyno/objective"
	"dyno.example/dyno/present"
)

// Thresholds prints a line for each threshold; nothing without any.
func (w *Text) Thresholds(judged []export.Threshold) {
	if len(judged) == 0 {
		return
	}
	fmt.Fprintf(w, "\n  %s\n", w.Text("threshold.title"))
	for _, j := range judged {
		word, measured := w.Text("threshold.pass"), w.Say(j.Measured)
		switch j.Decision {
		case objective.Fails.String():
			word = w.Text("threshold.fail")
		case objective.Unknown.String():
			word, measured = w.Text("threshold.fail"), w.Text("threshold.undecided", "measured", measured)
		case export.NotEvaluated:
			word, measured = "-", w.Text("threshold.interrupted")
		}
		fmt.Fprintf(w, "    %s %s%s%s\n", present.Left(word, 4), j.Expression, w.Text("list.colon"), measured)
	}
}
