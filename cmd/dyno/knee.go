package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/lab/capacity"
	"dyno/lab/load"
	"dyno/lab/probe"
)

// kneeFlags are the flags of dyno knee.
type kneeFlags struct {
	load   loadFlags
	levels string
	trial  time.Duration
	passes int
	pid    int
	out    foundFlags
}

// maxKneeLevels bounds the trials of a range such as 1..1000000+1.
const maxKneeLevels = 1000

func newKnee(global *globalFlags) *cobra.Command {
	var f kneeFlags
	cmd := &cobra.Command{
		Use:   "knee URL",
		Short: "Measure throughput against connections and fit a scalability law",
		Long: `Measure throughput against connections and fit a scalability law.

Closed loops of more and more connections are run, upwards and then downwards.
The answer is the number of connections beyond which more give no more throughput,
Gunther's universal scalability law fitted to the trials, with intervals, and
where it says that throughput falls. With --pid the server's memory for 1,000
connections is measured as well.`,
		Example: `  dyno knee http://127.0.0.1:8080/
  dyno knee http://127.0.0.1:8080/ --connections 1,2,4,8,16,32,64 --trial 5s
  dyno knee http://127.0.0.1:8080/ --connections 500..10000+500 --pid "$(pidof server)" --html knee.html`,
		Args: exactArgs(1, "the URL to load"),
		RunE: func(cmd *cobra.Command, args []string) error { return runKnee(cmd.Context(), &f, global, args[0]) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&f.levels, "connections", "c", "500..10000+500", "numbers of connections: a list such as 1,2,4 or a range such as 500..10000+500")
	flags.DurationVar(&f.trial, "trial", 3*time.Second, "how long to measure at each")
	flags.IntVar(&f.passes, "passes", 1, "times to go up and down")
	flags.IntVar(&f.pid, "pid", 0, "process of the server, if it runs here, to measure its memory")
	flags.DurationVarP(&f.load.warmup, "warmup", "w", time.Second, "load for so long before each trial is measured")
	f.load.registerRequest(flags)
	f.load.registerGenerator(flags)
	flags.BoolVar(&f.load.trust.noCalibration, "no-calibration", false, "don't measure the generator first")
	f.load.link.register(flags)
	f.out.register(flags)
	return cmd
}

func runKnee(ctx context.Context, f *kneeFlags, global *globalFlags, target string) error {
	sweep, generator, err := f.sweep(target)
	if err != nil {
		return usageError(err)
	}
	memory, err := memoryOf(f.pid)
	if err != nil {
		return fmt.Errorf("--pid: %w", err)
	}
	progress, spec := f.out.progress(global), &generator.Spec
	fmt.Fprintf(progress, "%s %s: closed loops of %s connections, %v each, up and down; about %v\n", spec.Requests[0].Method, spec.Target, f.levels, f.trial,
		time.Duration(2*max(1, f.passes)*len(sweep.Levels))*(f.trial+f.load.warmup))
	f.load.calibrated(ctx, spec, progress)
	sweep.Measure = func(ctx context.Context, n int) (capacity.LevelTrial, error) {
		return generator.Level(ctx, n, f.trial, memory)
	}
	sweep.Settle = generator.Settle
	sweep.OnTrial = func(t capacity.LevelTrial) { writeLevelTrial(progress, &t) }
	k, err := sweep.Run(ctx)
	if err != nil {
		return err
	}
	found := kneeFound{Target: spec.Target, Trial: f.trial, Pid: f.pid, Knee: k, Calibration: spec.Calibration}
	if err := f.out.write(&found, func(w io.Writer) { writeKnee(w, &found) }, found.page); err != nil {
		return err
	}
	if k.Enough == 0 {
		return errors.New("no level was measured: " + found.answer())
	}
	return nil
}

func (f *kneeFlags) sweep(target string) (*capacity.Sweep, *capacity.Generator, error) {
	levels, err := parseLevels(f.levels)
	if err != nil {
		return nil, nil, fmt.Errorf("--connections: %w", err)
	}
	if f.trial < 100*time.Millisecond {
		return nil, nil, fmt.Errorf("--trial must be at least 100ms, not %v", f.trial)
	}
	if f.pid < 0 {
		return nil, nil, fmt.Errorf("--pid must be a process's number, not %d", f.pid)
	}
	f.load.connections = levels[len(levels)-1]
	spec, err := f.load.spec(target)
	if err != nil {
		return nil, nil, err
	}
	sweep := &capacity.Sweep{Levels: levels, Passes: f.passes, Repeats: 2, Seed: spec.Seed}
	return sweep, &capacity.Generator{Spec: spec}, sweep.Check()
}

// parseLevels reads "1,2,4", "500..10000+500" or both mixed.
func parseLevels(text string) ([]int, error) {
	var levels []int
	for part := range strings.SplitSeq(text, ",") {
		from, rest, isRange := strings.Cut(strings.TrimSpace(part), "..")
		to, step, stepped := strings.Cut(rest, "+")
		if !isRange {
			to, step, stepped = from, "1", true
		}
		var n [3]int
		for i, number := range []string{from, to, step} {
			var err error
			if n[i], err = strconv.Atoi(number); err != nil || n[i] < 1 || n[i] > load.MaxConnections || !stepped {
				return nil, fmt.Errorf("%q is neither a number from 1 to %d nor a range such as 500..10000+500", part, load.MaxConnections)
			}
		}
		for at := n[0]; at <= n[1]; at += n[2] {
			if levels = append(levels, at); len(levels) > maxKneeLevels {
				return nil, fmt.Errorf("%q has more than the %d levels that are allowed", text, maxKneeLevels)
			}
		}
	}
	if len(levels) == 0 {
		return nil, fmt.Errorf("%q has no level: the range ends before it begins", text)
	}
	slices.Sort(levels)
	return slices.Compact(levels), nil
}

// memoryOf returns what reads the memory of a process and its children; nil for
// the process 0, which is none.
func memoryOf(pid int) (func() (uint64, error), error) {
	if pid == 0 {
		return nil, nil
	}
	process := probe.NewProcess(pid)
	read := func() (uint64, error) {
		totals, err := process.Snapshot()
		return totals.Since(probe.ProcessTotals{}).RSS, err
	}
	_, err := read()
	return read, err
}

// kneeFound is what dyno knee --json prints. Fields are added over time, never
// renamed.
type kneeFound struct {
	Target string        `json:"target"`
	Trial  time.Duration `json:"trial_ns"`
	Pid    int           `json:"pid,omitempty"`
	*capacity.Knee
	Calibration *load.Calibration `json:"calibration,omitempty"`
}

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
	if k.Fit != nil && k.Fit.Peak != nil {
		text += fmt.Sprintf("; beyond some %s it falls", number(k.Fit.Peak.Estimate))
	}
	return text
}

func writeKnee(w io.Writer, k *kneeFound) {
	fmt.Fprintf(w, "\n  %-12s %s\n", "knee", k.answer())
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
	p := &curvePage{Title: "Scalability of " + k.Target, Question: "How many connections does it take?", Answer: k.answer(), Facts: k.fitLines()}
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
