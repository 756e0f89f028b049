package noise

import (
	"fmt"
	"io"
	"time"

	"dyno.example/dyno/internal/columns"
	"dyno.example/dyno/present"
	"dyno.example/internal/i18n"
)

// Describe prints the report as tables.
func Describe(w io.Writer, r *Report, say i18n.Say) {
	fmt.Fprintln(w)
	row(w, say(i18n.New("noise.spins", "A thread that only spins")), figure{24, say(i18n.New("noise.stopped", "was stopped for at most"))}, figure{11, say(i18n.New("noise.lost", "and lost"))})
	for _, c := range r.CPUs {
		row(w, say(i18n.New("noise.on-cpu", "on CPU %d", c.Number)), figure{24, present.Exact(c.Longest)}, figure{11, fmt.Sprintf("%.2f%%", 100*c.Taken)})
	}
	fmt.Fprintln(w)
	row(w, say(i18n.New("noise.woken-late", "woken up late by")), figure{11, "p50"}, figure{11, "p99"}, figure{11, "max"})
	for _, t := range r.Timers {
		if t.Error != "" {
			row(w, string(t.Pacing), figure{11, t.Error})
			continue
		}
		row(w, string(t.Pacing), figure{11, present.Exact(t.Late.P50)}, figure{11, present.Exact(t.Late.P99)}, figure{11, present.Exact(t.Late.Max)})
	}
	l := r.Loopback
	fmt.Fprintln(w)
	row(w, say(i18n.New("noise.loopback", "one loopback exchange")), figure{11, "min"}, figure{11, "p50"}, figure{11, "p99"}, figure{11, "max"})
	row(w, "", figure{11, present.Exact(l.Min)}, figure{11, present.Exact(l.P50)}, figure{11, present.Exact(l.P99)}, figure{11, present.Exact(l.Max)})
	writeSpreads(w, r, say)
}

// figure is a text that ends at the end of its columns.
type figure struct {
	columns int
	text    string
}

// row prints a line of a table: its name, and figures to the right.
func row(w io.Writer, name string, figures ...figure) {
	line := "  " + columns.Left(name, 30)
	for _, c := range figures {
		line += " " + columns.Right(c.text, c.columns)
	}
	fmt.Fprintln(w, line)
}

func writeSpreads(w io.Writer, r *Report, say i18n.Say) {
	fmt.Fprintf(w, "\n  %s\n", say(i18n.New("noise.spreads", "a server that costs nothing, %d starts of %d runs of %v", r.Plan.Starts, r.Plan.Runs, r.Plan.Run)))
	row(w, say(i18n.New("noise.varies", "varies by (standard deviation)")), figure{11, say(i18n.New("noise.mean", "mean"))}, figure{11, say(i18n.New("noise.run-to-run", "run to run"))},
		figure{15, say(i18n.New("noise.start-to-start", "start to start"))}, figure{9, say(i18n.New("noise.a-trial", "a trial"))})
	for _, s := range r.Spreads {
		row(w, say(figureName(s.Figure)), figure{11, noiseMean(&s)}, figure{11, fmt.Sprintf("%.1f%%", 100*s.Components.Within)}, figure{15, fmt.Sprintf("%.1f%%", 100*s.Components.Between)}, figure{9, fmt.Sprintf("%.1f%%", 100*s.Trial)})
	}
	if r.Unusable > 0 {
		fmt.Fprintf(w, "  %s\n", say(i18n.New("noise.unusable", "%d of the %d runs had no second that a study would have counted.", r.Unusable, r.Plan.Starts*r.Plan.Runs)))
	}
	fmt.Fprintf(w, "\n  %s\n", say(i18n.New("noise.smallest", "the smallest difference that a study of so many blocks sees here, %.0f times of 10, at %.0f%% confidence", 10*Power, 100*Level)))
	for i, s := range r.Spreads {
		var blocks, differences []figure
		for _, d := range s.Detectable {
			blocks = append(blocks, figure{9, fmt.Sprint(d.Blocks)})
			differences = append(differences, figure{9, fmt.Sprintf("%.1f%%", 100*d.Difference)})
		}
		if i == 0 {
			row(w, say(i18n.New("noise.blocks", "blocks")), blocks...)
		}
		row(w, say(figureName(s.Figure)), differences...)
	}
}

// figureName names a figure of a spread for people.
func figureName(figure string) i18n.Message {
	if figure == "cpu" {
		return i18n.New("noise.cpu-per-request", "CPU per request")
	}
	return i18n.New("noise.requests-per-second", "requests per second")
}

// noiseMean is the mean of a spread with its unit.
func noiseMean(s *Spread) string {
	if s.Figure == "cpu" {
		return present.Exact(time.Duration(s.Mean * float64(time.Second)))
	}
	return fmt.Sprintf("%.0f", s.Mean)
}
