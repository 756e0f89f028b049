package main

import (
	"fmt"
	"io"
	"time"

	"dyno/lab/load"
)

// liveLine shows the last second of a load on one line that is written over.
type liveLine struct {
	w     io.Writer
	size  func() (columns, height int)
	on    bool
	spec  *load.Spec
	total time.Duration
	shown bool
}

func newLiveLine(w io.Writer, on bool, spec *load.Spec) *liveLine {
	return &liveLine{w: w, size: terminalSize, on: on, spec: spec}
}

// window shows one finished window.
func (l *liveLine) window(w load.Window) {
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
	line := fmt.Sprintf("  %s  %s requests/s  p50 %s  p99 %s  errors %d", phase, number(float64(w.Completed)/w.Length.Seconds()), quantileText(&w, 50), quantileText(&w, 99), w.Errors.Total())
	fmt.Fprint(l.w, "\r\x1b[K"+cut(line, columns-1))
	l.shown = true
}

// done clears the line.
func (l *liveLine) done() {
	if l.shown {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
}
