package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno/lab/capacity"
	"dyno/lab/load"
)

// overloadFlags are the flags of dyno overload.
type overloadFlags struct {
	capacityFlags
	capacity string // a rate, or auto
	easy     string
	within   string
	plan     capacity.Overload
}

func newOverload(global *globalFlags) *cobra.Command {
	f := overloadFlags{capacityFlags: capacityFlags{goal: capacity.DefaultGoal()}}
	cmd := &cobra.Command{
		Use:   "overload URL",
		Short: "Ask more than a service can take, and see what is left and when it recovers",
		Long: `Ask more than a service can take, and see what is left and when it recovers.

A rate that the service takes easily is followed by --factor times its capacity,
and that by the easy rate again. The answer is the goodput under overload (answers
within the objective's limit), what failed or was given up, and how long it took
until three seconds in a row were like before.

--capacity auto searches it first, as dyno capacity does, with its flags.

Exit status: 0 if the service recovered, 1 if not while it was watched or if no
capacity was found, 2 for wrong usage, 130 on Ctrl-C.`,
		Example: `  dyno overload http://127.0.0.1:8080/ --objective 'p99 < 50ms' --capacity 8000
  dyno overload http://127.0.0.1:8080/ --objective 'p99 < 50ms' --factor 2 --for 30s --html overload.html`,
		Args: exactArgs(1, "the URL to load"),
		RunE: func(cmd *cobra.Command, args []string) error { return runOverload(cmd.Context(), &f, global, args[0]) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.objective, "objective", "", "what answers are good for, as 'p99 < 50ms, errors < 0.1%' (needed)")
	flags.StringVar(&f.capacity, "capacity", "auto", "requests per second that the service can take, or auto to search for it")
	flags.Float64Var(&f.plan.Factor, "factor", 1.5, "overload, times the capacity")
	flags.DurationVar(&f.plan.For, "for", 10*time.Second, "how long the overload lasts")
	flags.StringVar(&f.easy, "baseline", "50%", "rate before and after, as a share of the capacity")
	flags.DurationVar(&f.plan.Before, "before", 5*time.Second, "how long the baseline is measured before")
	flags.DurationVar(&f.plan.After, "after", 20*time.Second, "how long recovery is watched")
	flags.StringVar(&f.within, "within", "25%", "how far above the baseline's p99 a second may be that counts as recovered")
	f.registerGoal(flags)
	f.load.registerOpen(flags)
	f.out.register(flags)
	return cmd
}

// check reads the flags of the experiment. A capacity of 0 is to be searched.
func (f *overloadFlags) check() (err error) {
	if f.plan.Easy, err = parseShare(f.easy); err != nil {
		return fmt.Errorf("--baseline: %w", err)
	}
	if f.plan.Within, err = parsePart(f.within); err != nil {
		return fmt.Errorf("--within: %w", err)
	}
	if f.capacity != "auto" {
		if f.plan.Capacity, err = strconv.ParseFloat(f.capacity, 64); err != nil || !(f.plan.Capacity > 0) {
			return fmt.Errorf("--capacity %q is neither auto nor a number of requests/s above 0", f.capacity)
		}
	}
	trial := f.plan
	if trial.Capacity == 0 {
		trial.Capacity = 1
	}
	return trial.Check()
}

// parsePart reads a share that may be above 100 %.
func parsePart(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	part, err := strconv.ParseFloat(number, 64)
	if percent {
		part /= 100
	}
	if err != nil || !(part > 0 && part <= 1000) {
		return 0, errors.New("must be a share above 0, such as 25% or 0.25")
	}
	return part, nil
}

func runOverload(ctx context.Context, f *overloadFlags, global *globalFlags, target string) error {
	if err := f.check(); err != nil {
		return usageError(err)
	}
	search, generator, err := f.search(target)
	if err != nil {
		return usageError(err)
	}
	progress, spec := f.out.progress(global), &generator.Spec
	if f.plan.Capacity == 0 {
		f.load.calibrated(ctx, spec, progress)
		if f.plan.Capacity, err = searched(ctx, search, progress); err != nil {
			return err
		}
	}
	if err := f.plan.Check(); err != nil {
		return usageError(err)
	}
	return f.overload(ctx, generator, global)
}

// searched finds the capacity: the highest rate that holds.
func searched(ctx context.Context, search *capacity.Search, progress io.Writer) (float64, error) {
	fmt.Fprintln(progress, "searching the capacity")
	search.OnTrial = func(l *capacity.Load) { writeTrial(progress, l) }
	r, err := search.Run(ctx)
	switch {
	case err != nil:
		return 0, err
	case !r.Found():
		return 0, fmt.Errorf("no capacity was found to go beyond: %s; give one with --capacity", (&capacityFound{Result: r}).answer())
	}
	return r.Holds.Rate, nil
}

// overload runs the experiment and writes what came of it.
func (f *overloadFlags) overload(ctx context.Context, g *capacity.Generator, global *globalFlags) error {
	spec := g.Spec
	spec.Profile.Rate, spec.Profile.Phases, spec.Duration = 0, f.plan.Phases(), 0
	if err := spec.Check(); err != nil {
		return usageError(err)
	}
	progress := f.out.progress(global)
	fmt.Fprintf(progress, "%s %s: %s; %d connections, seed %d\n", spec.Requests[0].Method, spec.Target, spec.Profile.Rhythm(), spec.Profile.Connections, spec.Seed)
	spec.OnWindow = func(w load.Window) { writeSecond(progress, &w) }
	r, err := load.Run(ctx, spec)
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	found := overloadFound{
		Target: spec.Target, Objective: g.Objective.String(), Connections: spec.Profile.Connections, Seed: spec.Seed, Plan: f.plan,
		Aftermath: f.plan.Analyse(g.Objective, r), Findings: r.Findings, Calibration: spec.Calibration,
	}
	if err := f.out.write(&found, func(w io.Writer) { writeOverload(w, &found) }, found.page); err != nil {
		return err
	}
	if !found.Recovered {
		return errors.New(found.recovery())
	}
	return nil
}

// writeSecond prints a line for a window.
func writeSecond(w io.Writer, s *load.Window) {
	if s.Warmup() {
		return
	}
	p99 := "-"
	if s.Timed(load.Response) > 0 {
		p99 = quantileText(s, 99)
	}
	fmt.Fprintf(w, "  %4ds  %9s offered  %9s answered  p99 %-8s errors %d\n", s.Index, number(float64(s.Offered)), number(float64(s.Completed)), p99, s.Errors.Total())
}

// overloadFound is what dyno overload --json prints. Fields are added over time,
// never renamed.
type overloadFound struct {
	Target      string            `json:"target"`
	Objective   string            `json:"objective"`
	Connections int               `json:"connections"`
	Seed        uint64            `json:"seed"`
	Plan        capacity.Overload `json:"plan"`
	*capacity.Aftermath
	Findings    []load.Finding    `json:"findings"`
	Calibration *load.Calibration `json:"calibration,omitempty"`
}

// recovery says in a sentence whether and when the service was itself again.
func (o *overloadFound) recovery() string {
	switch {
	case !o.Recovered:
		return fmt.Sprintf("not recovered within the %v that it was watched", o.Recovery)
	case o.Recovery == 0:
		return "recovered within the first second after the overload"
	}
	return fmt.Sprintf("recovered %v after the overload", o.Recovery)
}

// answer says in a sentence what was found.
func (o *overloadFound) answer() string {
	share := 0.0
	if o.During.Offered > 0 {
		share = 100 * o.During.Goodput / o.During.Offered
	}
	return fmt.Sprintf("of %s requests/s offered, %s were answered in time (%.0f %%); %s", number(o.During.Offered), number(o.During.Goodput), share, o.recovery())
}

func writeOverload(w io.Writer, o *overloadFound) {
	fmt.Fprintf(w, "\n  %-12s %s\n", "overload", o.answer())
	fmt.Fprintf(w, "  %-12s p99 below %s for three seconds in a row\n", "recovered is", duration(float64(o.CalmBelow)))
	for _, line := range o.lost() {
		fmt.Fprintf(w, "  %-12s %s\n", "lost", line)
	}
	for _, note := range o.Notes {
		fmt.Fprintf(w, "  %-12s %s\n", "note", note)
	}
	head, rows := o.table()
	writeColumns(w, head, rows)
}

// lost says what failed or was given up, phase by phase.
func (o *overloadFound) lost() (lines []string) {
	for _, part := range o.parts() {
		for _, e := range part.Errors.ByKind() {
			if e.Count > 0 {
				lines = append(lines, fmt.Sprintf("%s: %d %s errors (%s)", part.name, e.Count, e.Kind, o.First[e.Kind]))
			}
		}
		if part.Shed > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d arrivals given up because no more could wait", part.name, part.Shed))
		}
	}
	return lines
}

type overloadPart struct {
	name string
	*capacity.Stretch
}

func (o *overloadFound) parts() []overloadPart {
	return []overloadPart{{"before", &o.Baseline}, {"overload", &o.During}, {"after", &o.After}}
}

func (o *overloadFound) table() (head []string, rows [][]string) {
	head = []string{"", "offered/s", "answered/s", "goodput/s", "p50", "p99", "errors", "given up", "in flight", "seconds"}
	for _, part := range o.parts() {
		rows = append(rows, []string{
			part.name, number(part.Offered), number(part.Answered), number(part.Goodput), duration(part.P50), atLeast(!part.AtLeast, duration(part.P99)),
			fmt.Sprint(part.Errors.Total()), fmt.Sprint(part.Shed), number(part.InFlight), fmt.Sprint(part.Windows),
		})
	}
	return head, rows
}

// page draws the experiment second by second.
func (o *overloadFound) page() *curvePage {
	p := &curvePage{Title: "Overload of " + o.Target, Question: "What is left when more is asked than it can take, and when does it recover?", Answer: o.answer()}
	p.Facts = [][2]string{
		{"objective", o.Objective}, {"capacity", number(o.Plan.Capacity) + " requests/s"}, {"connections", fmt.Sprint(o.Connections)}, {"seed", fmt.Sprint(o.Seed)},
		{"recovered is", "p99 below " + duration(float64(o.CalmBelow)) + " for three seconds in a row"},
	}
	p.Notes = append(o.lost(), o.Notes...)
	offered, good := series{Name: "offered", Class: "other", Line: true}, series{Name: "answered in time", Class: "good", Line: true}
	calm, late := series{Name: "p99, as before", Class: "good"}, series{Name: "p99, not", Class: "bad"}
	for i := range o.Seconds {
		s := &o.Seconds[i]
		if s.Windows == 0 {
			continue
		}
		at := float64(s.At)
		offered.Points = append(offered.Points, [2]float64{at, s.Offered})
		good.Points = append(good.Points, [2]float64{at, s.Goodput})
		if s.Calm {
			calm.Points = append(calm.Points, [2]float64{at, s.P99 / 1e6})
		} else {
			late.Points = append(late.Points, [2]float64{at, s.P99 / 1e6})
		}
	}
	p.Charts = []chart{
		{Title: "Goodput", X: "seconds", Y: "per second", Series: []series{offered, good}},
		{Title: "Response time", X: "seconds", Y: "p99, ms", Series: []series{calm, late}},
	}
	p.Head, p.Rows = o.table()
	return p
}
