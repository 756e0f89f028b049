package export

import (
	"fmt"
	"io"

	"dyno.example/dyno/hlog"
	"dyno.example/dyno/load/measure"
)

// HistogramLog writes the histograms of the windows that count, one line for
// each window and clock. Tools that add the lines of a tag up get dyno's figures,
// except that the format has no place for requests that were given up: those are
// told in comments at the end.
func HistogramLog(w io.Writer, l *Load) error {
	if err := hlog.Write(w, l.Started, l.Result.Start, l.counted()); err != nil {
		return err
	}
	for clock := range measure.NumClocks {
		given := l.Result.Total.GivenUp(clock)
		if given == 0 {
			continue
		}
		share := float64(given) / float64(given+l.Result.Total.Timed(clock))
		_, err := fmt.Fprintf(w, "#[GivenUp: %s %d: percentiles above %.4g are lower bounds]\n", clock, given, 100*(1-share))
		if err != nil {
			return err
		}
	}
	return nil
}
