package main

import (
	"fmt"
	"io"
	"math"

	"dyno/lab/capacity"
)

func writeLevelTrial(w io.Writer, t *capacity.LevelTrial) {
	direction := "up"
	if t.Down {
		direction = "down"
	}
	fmt.Fprintf(w, "  %7s connections %-4s  %10s/s  p99 %-7s", number(float64(t.Connections)), direction, number(t.Throughput), duration(t.P99))
	if n := t.Errors.Total(); n > 0 {
		fmt.Fprintf(w, "  %d errors", n)
	}
	if t.Spoiled {
		fmt.Fprintf(w, "  doesn't count: %s", cut(t.Why, progressColumns))
	}
	fmt.Fprintln(w)
}

// answer says in a sentence what was found.
func (k *kneeFound) answer() string {
	if k.Enough == 0 {
		return "every trial was spoiled: " + k.Levels[0].Trials[0].Why
	}
	text := fmt.Sprintf("%s connections are enough for the highest throughput that was measured, or nearly", number(float64(k.Enough)))
	if k.EnoughHigh > 0 {
		text += fmt.Sprintf(" (%s to %s at 95 %%)", number(float64(k.EnoughLow)), number(float64(k.EnoughHigh)))
	}
	if k.Fit != nil && k.Fit.Peak != nil {
		text += fmt.Sprintf("; beyond some %s it falls", number(k.Fit.Peak.Estimate))
	}
	return text
}

func writeKnee(w io.Writer, k *kneeFound) {
	fmt.Fprintf(w, "\n  %-12s %s\n", "knee", k.answer())
	writeValidity(w, &k.Disturbed)
	for _, line := range k.fitLines() {
		fmt.Fprintf(w, "  %-12s %s\n", line[0], line[1])
	}
	head, rows := k.table()
	writeColumns(w, head, rows)
}

// fitLines explain the fit and the memory.
func (k *kneeFound) fitLines() (lines [][2]string) {
	add := func(name, format string, args ...any) {
		lines = append(lines, [2]string{name, fmt.Sprintf(format, args...)})
	}
	if u := k.Fit; u != nil {
		add("one", "%s requests/s by one connection (lambda, 95 %%: %s to %s)", number(u.Lambda.Estimate), number(u.Lambda.Low), number(u.Lambda.High))
		add("contention", "sigma %.3g (%.3g to %.3g): share of the work that waits in line", u.Sigma.Estimate, u.Sigma.Low, u.Sigma.High)
		add("coherence", "kappa %.3g (%.3g to %.3g): cost of keeping pairs in step", u.Kappa.Estimate, u.Kappa.Low, u.Kappa.High)
		if u.Peak != nil {
			add("peak", "%s connections (%s to %s), %s requests/s (%s to %s)", number(u.Peak.Estimate), number(u.Peak.Low), number(u.Peak.High), number(u.Top.Estimate), number(u.Top.Low), number(u.Top.High))
		} else {
			add("peak", "none shown: %s", u.Note)
		}
		add("fit", "the law is off by %.1f %% (root mean square) in these trials", 100*u.RMS)
	} else {
		add("fit", "none: %s", k.FitNote)
	}
	switch {
	case k.MemoryPer1000 != nil:
		add("memory", "%.2f MiB of the server's for 1,000 connections more", *k.MemoryPer1000/(1<<20))
	case k.Pid == 0:
		add("memory", "not measured: --pid says which process is the server")
	default:
		add("memory", "not known: %s", k.MemoryNote)
	}
	return lines
}

// table has a row for each level.
func (k *kneeFound) table() (head []string, rows [][]string) {
	head = []string{"connections", "answered/s", "up", "down", "down/up", "p99", "errors", "memory", "law"}
	for i := range k.Levels {
		l := &k.Levels[i]
		errors := uint64(0)
		for j := range l.Trials {
			errors += l.Trials[j].Errors.Total()
		}
		row := []string{number(float64(l.Connections)), number(l.Throughput), "-", "-", "-", "-", fmt.Sprint(errors), "-", "-"}
		if l.Up > 0 {
			row[2] = number(l.Up)
		}
		if l.Down > 0 {
			row[3] = number(l.Down)
		}
		if h := l.Hysteresis(); !math.IsNaN(h) {
			row[4] = fmt.Sprintf("%+.1f %%", 100*h)
		}
		if l.P99 > 0 {
			row[5] = duration(l.P99)
		}
		if l.Memory > 0 {
			row[7] = bytesText(l.Memory)
		}
		if k.Fit != nil {
			row[8] = number(k.Fit.At(float64(l.Connections)))
		}
		if !l.Counts {
			row[1] += " (left out)"
		}
		rows = append(rows, row)
	}
	return head, rows
}

// page draws the throughput of each trial with the law through it.
func (k *kneeFound) page() *curvePage {
	p := &curvePage{Title: "Scalability of " + k.Target, Question: "How many connections does it take?", Answer: k.answer(), Facts: append(validityLines(&k.Disturbed), k.fitLines()...)}
	up, down := series{Name: "up", Class: "main"}, series{Name: "down", Class: "good"}
	generator := series{Name: "left out", Class: "bad"}
	response, memory := series{Name: "p99", Class: "main", Line: true}, series{Name: "memory", Class: "main", Line: true}
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
	throughput := chart{Title: "Throughput", X: "connections", Y: "answers/s", Series: []series{up, down, generator}}
	if k.Fit != nil {
		throughput.Series = append(throughput.Series, k.lawSeries())
	}
	p.Charts = []chart{throughput, {Title: "Response time", X: "connections", Y: "p99, ms", Series: []series{response}}}
	if len(memory.Points) > 0 {
		p.Charts = append(p.Charts, chart{Title: "Memory of the server", X: "connections", Y: "MiB", Series: []series{memory}})
	}
	p.Head, p.Rows = k.table()
	return p
}

// lawSeries is the fitted curve, from the first level to the last.
func (k *kneeFound) lawSeries() series {
	s := series{Name: "law", Class: "other", Line: true, Bare: true}
	first, last := float64(k.Levels[0].Connections), float64(k.Levels[len(k.Levels)-1].Connections)
	const steps = 100
	for i := range steps + 1 {
		n := first * math.Pow(last/first, float64(i)/steps) // it bends at the lower end
		s.Points = append(s.Points, [2]float64{n, k.Fit.At(n)})
	}
	return s
}
