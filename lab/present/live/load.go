package live

import (
	"fmt"
	"io"
	"time"

	"dyno/lab/load"
	"dyno/lab/load/measure"
	"dyno/lab/present"
)

// LoadLine shows the last second of a load on one line that is written over.
type LoadLine struct {
	w     io.Writer
	size  func() (columns, height int)
	on    bool
	spec  *load.Spec
	total time.Duration
	shown bool
}

// NewLoadLine writes to w, a terminal; nothing unless on.
func NewLoadLine(w io.Writer, on bool, spec *load.Spec) *LoadLine {
	return &LoadLine{w: w, size: terminalSize, on: on, spec: spec}
}

// Window shows one finished window.
func (l *LoadLine) Window(w measure.Window) {
	if !l.on {
		return
	}
	l.total += w.Length
	phase := fmt.Sprintf("%3.0fs", l.total.Seconds())
	if l.spec.Duration > 0 {
		phase += fmt.Sprintf(" of %.0fs", (l.spec.Warmup + l.spec.Duration).Seconds())
	}
	if w.Warmup() {
		phase += " warm-up"
	}
	columns, _ := l.size()
	line := fmt.Sprintf("  %s  %s %s/s  p50 %s  p99 %s  errors %d", phase, present.Number(float64(w.Completed)/w.Length.Seconds()), l.spec.Unit(), present.Quantile(&w, 50), present.Quantile(&w, 99), w.Errors.Total())
	fmt.Fprint(l.w, "\r\x1b[K"+present.Cut(line, columns-1))
	l.shown = true
}

// Done clears the line.
func (l *LoadLine) Done() {
	if l.shown {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
}
