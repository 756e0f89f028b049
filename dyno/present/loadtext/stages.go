package loadtext

import (
	"fmt"
	"strconv"

	"dyno.example/dyno/load"
	"dyno.example/dyno/present"
)

// stages prints a line for each stage of a load with several.
func (w *Text) stages(stages []load.StageResult) {
	if len(stages) == 0 {
		return
	}
	rows := [][]string{{w.Text("load.phase"), w.Text("load.seconds"), w.Text("load.offered"), w.Text("load.throughput"), "p50", "p99", w.Text("load.errors")}}
	for i := range stages {
		s := &stages[i]
		row := []string{fmt.Sprintf("%-5d %s", s.Phase+1, s.Name)}
		if s.Windows == 0 {
			rows = append(rows, append(row, "0", w.Text("load.stage.none")))
			continue
		}
		seconds := s.Total.Length.Seconds()
		rows = append(rows, append(row, fmt.Sprintf("%.4g", seconds), present.Number(float64(s.Total.Offered)/seconds)+"/s", present.Number(s.Throughput())+"/s",
			present.Quantile(&s.Total, 50), present.Quantile(&s.Total, 99), strconv.FormatUint(s.Total.Errors.Total(), 10)))
	}
	w.named(rows, []int{7, 9, 10, 8, 8, 6})
}
