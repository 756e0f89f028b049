package found

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"dyno/lab/capacity"
	"dyno/lab/load/measure"
	"dyno/lab/present"
	"dyno/lab/present/curve"
	"dyno/lab/report"
)

// WriteLevelTrial prints a line for a trial of a number of connections.
func WriteLevelTrial(w io.Writer, t *capacity.LevelTrial) {
	direction := "up"
	if t.Down {
		direction = "down"
	}
	fmt.Fprintf(w, "  %7s connections %-4s  %10s/s  p99 %-7s", present.Number(float64(t.Connections)), direction, present.Number(t.Throughput), present.Duration(t.P99))
	if n := t.Errors.Total(); n > 0 {
		fmt.Fprintf(w, "  %d errors", n)
	}
	if t.Spoiled {
		fmt.Fprintf(w, "  doesn't count: %s", present.Cut(t.Why, progressColumns))
	}
	fmt.Fprintln(w)
}

// Answer says in a sentence what was found.
func (k *Knee) Answer(t report.Texts) string {
	if k.Enough == 0 {
		return t.Text("knee.spoiled", "why", t.Reason(k.Levels[0].Trials[0].Why))
	}
	text := t.Text("knee.enough", "n", present.Number(float64(k.Enough)))
	if k.EnoughHigh > 0 {
		text += t.Text("knee.between", "low", present.Number(float64(k.EnoughLow)), "high", present.Number(float64(k.EnoughHigh)))
	}
	if k.Fit != nil && k.Fit.Peak != nil {
		text += t.Text("knee.falls", "n", present.Number(k.Fit.Peak.Estimate))
	}
	return text
}

// Text prints what was found.
func (k *Knee) Text(w io.Writer, t report.Texts) {
	fmt.Fprintln(w)
	labelled(w, t.Text("knee.knee"), k.Answer(t))
	writeValidity(w, t, &k.Disturbed)
	for _, line := range k.fitLines(t) {
		labelled(w, line[0], line[1])
	}
	head, rows := k.table(t)
	present.Columns(w, head, rows)
}

// fitLines explain the fit and the memory.
func (k *Knee) fitLines(t report.Texts) (lines [][2]string) {
	add := func(key string, pairs ...any) {
		label, _, _ := strings.Cut(key, ".")
		lines = append(lines, [2]string{t.Text("knee.label." + label), t.Text("knee."+key, pairs...)})
	}
	if u := k.Fit; u != nil {
		add("one", "n", present.Number(u.Lambda.Estimate), "low", present.Number(u.Lambda.Low), "high", present.Number(u.Lambda.High))
		add("contention", "x", short(u.Sigma.Estimate), "low", short(u.Sigma.Low), "high", short(u.Sigma.High))
		add("coherence", "x", short(u.Kappa.Estimate), "low", short(u.Kappa.Low), "high", short(u.Kappa.High))
		if u.Peak != nil {
			add("peak", "n", present.Number(u.Peak.Estimate), "low", present.Number(u.Peak.Low), "high", present.Number(u.Peak.High),
				"rate", present.Number(u.Top.Estimate), "from", present.Number(u.Top.Low), "to", present.Number(u.Top.High))
		} else {
			add("peak.none", "why", t.Reason(u.Note))
		}
		add("fit", "share", fmt.Sprintf("%.1f", 100*u.RMS))
	} else {
		add("fit.none", "why", t.Reason(k.FitNote))
	}
	switch {
	case k.MemoryPer1000 != nil:
		add("memory", "size", fmt.Sprintf("%.2f", *k.MemoryPer1000/(1<<20)))
	case k.Pid == 0:
		add("memory.none")
	default:
		add("memory.unknown", "why", t.Reason(k.MemoryNote))
	}
	return lines
}

// short writes a number with three digits.
func short(x float64) string { return fmt.Sprintf("%.3g", x) }

// table has a row for each level.
func (k *Knee) table(t report.Texts) (head []string, rows [][]string) {
	head = heads(t, "connections", "answered/s", "up", "down", "down/up", "p99", "errors", "memory", "law")
	for i := range k.Levels {
		l := &k.Levels[i]
		errors := uint64(0)
		for j := range l.Trials {
			errors += l.Trials[j].Errors.Total()
		}
		row := []string{present.Number(float64(l.Connections)), present.Number(l.Throughput), "-", "-", "-", "-", fmt.Sprint(errors), "-", "-"}
		if l.Up > 0 {
			row[2] = present.Number(l.Up)
		}
		if l.Down > 0 {
			row[3] = present.Number(l.Down)
		}
		if h := l.Hysteresis(); !math.IsNaN(h) {
			row[4] = fmt.Sprintf("%+.1f %%", 100*h)
		}
		if l.P99 > 0 {
			row[5] = present.Duration(l.P99)
		}
		if l.Memory > 0 {
			row[7] = present.Bytes(l.Memory)
		}
		if k.Fit != nil {
			row[8] = present.Number(k.Fit.At(float64(l.Connections)))
		}
		if !l.Counts {
			row[1] += t.Text("knee.out")
		}
		rows = append(rows, row)
	}
	return head, rows
}

// Page draws the throughput of each trial with the law through it.
func (k *Knee) Page() *curve.Page {
	english := report.English()
	p := &curve.Page{Title: "Scalability of " + k.Target, Question: "How many connections does it take?", Answer: k.Answer(english), Facts: append(validityLines(english, &k.Disturbed), k.fitLines(english)...)}
	up, down := curve.Series{Name: "up", Class: "main"}, curve.Series{Name: "down", Class: "good"}
	generator := curve.Series{Name: "left out", Class: "bad"}
	response, memory := curve.Series{Name: "p99", Class: "main", Line: true}, curve.Series{Name: "memory", Class: "main", Line: true}
	for i := range k.Levels {
		l := &k.Levels[i]
		n := float64(l.Connections)
		for j := range l.Trials {
			t := &l.Trials[j]
			into := &up
			if t.Spoiled {
				into = &generator
			} else if t.Down {
				into = &down
			}
			into.Points = append(into.Points, [2]float64{n, t.Throughput})
		}
		response.Points = append(response.Points, [2]float64{n, l.P99 / 1e6})
		if l.Memory > 0 {
			memory.Points = append(memory.Points, [2]float64{n, float64(l.Memory) / (1 << 20)})
		}
	}
	throughput := curve.Chart{Title: "Throughput", X: "connections", Y: "answers/s", Series: []curve.Series{up, down, generator}}
	if k.Fit != nil {
		throughput.Series = append(throughput.Series, k.lawSeries())
	}
	p.Charts = []curve.Chart{throughput, {Title: "Response time", X: "connections", Y: "p99, ms", Series: []curve.Series{response}}}
	if len(memory.Points) > 0 {
		p.Charts = append(p.Charts, curve.Chart{Title: "Memory of the server", X: "connections", Y: "MiB", Series: []curve.Series{memory}})
	}
	p.Head, p.Rows = k.table(english)
	return p
}

// lawSeries is the fitted curve, from the first level to the last.
func (k *Knee) lawSeries() curve.Series {
	s := curve.Series{Name: "law", Class: "other", Line: true, Bare: true}
	first, last := float64(k.Levels[0].Connections), float64(k.Levels[len(k.Levels)-1].Connections)
	const steps = 100
	for i := range steps + 1 {
		n := first * math.Pow(last/first, float64(i)/steps) // it bends at the lower end
		s.Points = append(s.Points, [2]float64{n, k.Fit.At(n)})
	}
	return s
}

// Knee is what dyno knee --json prints. Fields are added over time, never
// renamed.
type Knee struct {
	Target string        `json:"target"`
	Trial  time.Duration `json:"trial_ns"`
	Pid    int           `json:"pid,omitempty"`
	*capacity.Knee
	Calibration *measure.Calibration `json:"calibration,omitempty"`
}
