package loadtext

import (
	"fmt"

	"dyno/lab/load"
	"dyno/lab/present"
)

// stages prints a line for each stage of a load with several.
func (w *Text) stages(stages []load.StageResult) {
	if len(stages) == 0 {
		return
	}
	widths := []int{8, 10, 12, 9, 9, 8}
	fmt.Fprintf(w, "\n  %s %s%s\n", present.Left(w.Text("load.phase"), 5), present.Left("", 24), cells(widths, w.Text("load.seconds"), w.Text("load.offered"), w.Text("load.throughput"), "p50", "p99", w.Text("load.errors")))
	for i := range stages {
		s := &stages[i]
		fmt.Fprintf(w, "  %-5d %s", s.Phase+1, present.Left(present.Cut(s.Name, 24), 24))
		if s.Windows == 0 {
			fmt.Fprintf(w, " %8s   %s\n", "0", w.Text("load.stage.none"))
			continue
		}
		seconds := s.Total.Length.Seconds()
		fmt.Fprintf(w, " %8.4g %8s/s %10s/s %9s %9s %8d\n", seconds, present.Number(float64(s.Total.Offered)/seconds), present.Number(s.Throughput()), present.Quantile(&s.Total, 50), present.Quantile(&s.Total, 99), s.Total.Errors.Total())
	}
}
