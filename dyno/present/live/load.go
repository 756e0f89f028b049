package live

import (
	"fmt"
	"io"
	"time"

	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/present"
	"dyno.example/dyno/report"
)

// LoadLine shows the last second of a load on one line that is written over.
type LoadLine struct {
	w     io.Writer
	t     report.Texts
	size  func() (columns, height int)
	on    bool
	spec  *load.Spec
	total time.Duration
	shown bool
}

// NewLoadLine writes to w, a terminal; nothing unless on.
func NewLoadLine(w io.Writer, t report.Texts, on bool, spec *load.Spec) *LoadLine {
	return &LoadLine{w: w, t: t, size: terminalSize, on: on, spec: spec}
}

// Window shows one finished window.
func (l *LoadLine) Window(w measure.Window) {
	if !l.on {
		return
	}
	l.total += w.Length
	done := fmt.Sprintf("%3.0f", l.total.Seconds())
	phase := l.t.Text("live.load.at", "done", done)
	if l.spec.Duration > 0 {
		phase = l.t.Text("live.load.of", "done", done, "total", fmt.Sprintf("%.0f", (l.spec.Warmup+l.spec.Duration).Seconds()))
	}
	if w.Warmup() {
		phase = l.t.Text("live.load.warmup", "phase", phase)
	}
	columns, _ := l.size()
	line := "  " + l.t.Text("live.load", "phase", phase, "rate", present.Number(float64(w.Completed)/w.Length.Seconds()), "unit", l.t.Text("live.unit."+l.spec.Unit()), "p50", present.Quantile(&w, 50), "p99", present.Quantile(&w, 99), "errors", w.Errors.Total())
	fmt.Fprint(l.w, "\r\x1b[K"+present.Cut(line, columns-1))
	l.shown = true
}

// Done clears the line.
func (l *LoadLine) Done() {
	if l.shown {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
}
