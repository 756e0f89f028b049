package found

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"dyno.example/dyno/capacity"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/present"
	"dyno.example/dyno/present/curve"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// WriteLevelTrial prints a line for a trial of a number of connections.
func WriteLevelTrial(w io.Writer, t *capacity.LevelTrial, say i18n.Say) {
	direction := "up"
	if t.Down {
		direction = "down"
	}
	fmt.Fprintf(w, "  %7s connections %-4s  %10s/s  p99 %-7s", present.Number(float64(t.Connections)), direction, present.Number(t.Throughput), lasted(t.P99, t.AtLeast))
	if n := t.Errors.Total(); n > 0 {
		fmt.Fprintf(w, "  %d errors", n)
	}
	if t.Spoiled {
		fmt.Fprintf(w, "  doesn't count: %s", present.Cut(say(t.Why), progressColumns))
	}
	fmt.Fprintln(w)
}

// Sentence says in a sentence what was found.
func (k *Knee) Sentence(t report.Texts) string {
	if k.Enough == 0 {
		return k.nothing(t)
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

// nothing says why nothing was found: the service's failures before what disturbed.
func (k *Knee) nothing(t report.Texts) string {
	for i := range k.Levels {
		for j := range k.Levels[i].Trials {
			if of := &k.Levels[i].Trials[j]; !of.Spoiled {
				return t.Text("knee.failed", "why", t.Say(of.Why))
			}
		}
	}
	return t.Text("knee.spoiled", "why", t.Say(k.Levels[0].Trials[0].Why))
}

// Text prints what was found.
func (k *Knee) Text(w io.Writer, t report.Texts) {
	fmt.Fprintln(w)
	labelled(w, t.Text("knee.knee"), k.Sentence(t))
	writeValidity(w, t, &k.Disturbed)
	for _, line := range k.fitLines(t) {
		labelled(w, line[0], line[1])
	}
	for _, note := range k.Notes {
		labelled(w, t.Text("capacity.note"), t.Say(note))
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
			add("peak.none", "why", t.Say(u.Note))
		}
		add("fit", "share", fmt.Sprintf("%.1f", 100*u.RMS))
	} else {
		add("fit.none", "why", t.Say(k.FitNote))
	}
	switch {
	case k.MemoryPer1000 != nil:
		add("memory", "size", fmt.Sprintf("%.2f", *k.MemoryPer1000/(1<<20)))
	case k.Pid == 0:
		add("memory.none")
	default:
		add("memory.unknown", "why", t.Say(k.MemoryNote))
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
		if l.Up.Exists() {
			row[2] = present.Number(float64(l.Up))
		}
		if l.Down.Exists() {
			row[3] = present.Number(float64(l.Down))
		}
		if h := l.Hysteresis(); !math.IsNaN(h) {
			row[4] = fmt.Sprintf("%+.1f %%", 100*h)
		}
		if l.P99.Exists() {
			row[5] = lasted(l.P99, l.AtLeast)
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
func (k *Knee) Page(t report.Texts) *curve.Page {
	p := newPage(t, "knee", k.Target, "", k.Sentence(t))
	p.Facts = append(validityLines(t, &k.Disturbed), k.fitLines(t)...)
	for _, note := range k.Notes {
		p.Notes = append(p.Notes, t.Say(note))
	}
	up, down := curve.Series{Name: t.Text("found.series.up"), Class: "main"}, curve.Series{Name: t.Text("found.series.down"), Class: "good"}
	out := curve.Series{Name: t.Text("found.series.out"), Class: "bad"}
	response, memory := curve.Series{Name: "p99", Class: "main", Line: true}, curve.Series{Name: t.Text("found.series.memory"), Class: "main", Line: true}
	for i := range k.Levels {
		l := &k.Levels[i]
		n := float64(l.Connections)
		for j := range l.Trials {
			of := &l.Trials[j]
			into := &up
			if of.Spoiled {
				into = &out
			} else if of.Down {
				into = &down
			}
			into.Points = append(into.Points, [2]float64{n, of.Throughput})
		}
		if l.P99.Exists() {
			response.Points = append(response.Points, [2]float64{n, float64(l.P99) / 1e6})
		}
		if l.Memory > 0 {
			memory.Points = append(memory.Points, [2]float64{n, float64(l.Memory) / (1 << 20)})
		}
	}
	connections := t.Text("found.axis.connections")
	throughput := curve.Chart{Title: t.Text("found.chart.throughput"), X: connections, Y: t.Text("found.axis.responses"), Series: []curve.Series{up, down, out}}
	if k.Fit != nil {
		throughput.Series = append(throughput.Series, k.lawSeries(t))
	}
	p.Charts = []curve.Chart{throughput, {Title: t.Text("found.chart.response"), X: connections, Y: t.Text("found.axis.p99"), Series: []curve.Series{response}}}
	if len(memory.Points) > 0 {
		p.Charts = append(p.Charts, curve.Chart{Title: t.Text("found.chart.memory"), X: connections, Y: "MiB", Series: []curve.Series{memory}})
	}
	p.Head, p.Rows = k.table(t)
	return p
}

// lawSeries is the fitted curve, from the first level to the last.
func (k *Knee) lawSeries(t report.Texts) curve.Series {
	s := curve.Series{Name: t.Text("found.series.law"), Class: "other", Line: true, Bare: true}
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
