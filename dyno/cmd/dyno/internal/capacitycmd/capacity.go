package capacitycmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dyno.example/dyno/capacity"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/loadcmd"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/objective"
	"dyno.example/dyno/present/found"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// capacityFlags are the flags of dyno capacity.
type capacityFlags struct {
	load      loadcmd.Flags
	objective string
	goal      capacity.Goal
	precision string
	start     float64
	out       foundFlags
}

func NewCapacity(global *cli.Global) *cobra.Command {
	f := capacityFlags{goal: capacity.DefaultGoal()}
	cmd := &cobra.Command{
		Use:   "capacity URL",
		Short: "Find the highest rate at which an objective holds",
		Long: `Find the highest rate at which an objective holds.

The result is a bracket: the highest rate that holds and the lowest that fails,
each judged by several trials, in the manner of MLRsearch (an IETF draft,
draft-ietf-bmwg-mlrsearch). Short trials show where to look, long ones decide. A
trial that the generator or this machine disturbed is repeated, and never counted
as the service's failure. dyno/docs/capacity.md explains how to read it.

` + loadcmd.RequestHelp() + `

Exit status: 0 if a bracket was found, 1 if not (even the lowest rate fails, the
generator is the limit, or time was up) or if it is INVALID, 2 for wrong usage, 130 on Ctrl-C (what was found so
far is printed).`,
		Example: `  dyno capacity http://127.0.0.1:8080/ --objective 'p99 < 50ms'
  dyno capacity http://127.0.0.1:8080/ --objective 'p99.9 < 12ms, errors < 0.1%' \
      -c 256 --trial 10s --precision 2%
  dyno capacity http://127.0.0.1:8080/ --objective '95% of windows: p99 < 50ms' \
      --json --html capacity.html`,
		Args: cli.ExactArgs(1, i18n.New("loadcmd.url-load", "the URL to load")),
		RunE: func(cmd *cobra.Command, args []string) error { return runCapacity(cmd.Context(), &f, global, args[0]) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.objective, "objective", "", "what must hold, as 'p99 < 50ms, errors < 0.1%' (needed; without a word of errors, "+objective.ErrorBound+" too)")
	f.registerGoal(flags)
	f.load.RegisterOpen(flags)
	f.out.register(flags)
	return cmd
}

// registerGoal registers how surely and exactly the capacity is to be known.
func (f *capacityFlags) registerGoal(flags *pflag.FlagSet) {
	g := &f.goal
	cli.DurationVar(flags, &g.Trial, "trial", "", g.Trial, "length of the trials that decide")
	cli.DurationVar(flags, &g.Initial, "initial-trial", "", g.Initial, "length of the first trials, which show where to look (at most --trial)")
	flags.IntVar(&g.Trials, "trials", g.Trials, "trials at a rate at most; most of their time decides")
	flags.Float64Var(&g.Exceed, "exceed", g.Exceed, "share of the trials' time in which a rate may fail that still counts as holding")
	flags.StringVar(&f.precision, "precision", "5%", "width of the bracket")
	flags.IntVar(&g.Repeats, "repeats", g.Repeats, "repetitions at a rate of trials that the generator spoiled")
	cli.RateVar(flags, &f.start, "start", "", "requests per second to begin with (default: near what a closed loop reaches)")
	cli.RateVar(flags, &g.MinRate, "min-rate", "", "lowest rate to try, in requests per second")
	cli.RateVar(flags, &g.MaxRate, "max-rate", "", "highest rate to try")
	cli.DurationVar(flags, &g.MaxTime, "max-time", "", g.MaxTime, "give what there is after so long; 0 for no limit")
}

// search turns the flags into a search over a network.
func (f *capacityFlags) search(target string) (*capacity.Search, *capacity.Generator, error) {
	if f.objective == "" {
		return nil, nil, i18n.Errorf("capacitycmd.objective-missing", "--objective says what must hold, as --objective 'p99 < 50ms'; it is needed")
	}
	o, err := objective.Parse(f.objective)
	if err != nil {
		return nil, nil, i18n.Errorf("capacitycmd.objective", "--objective %w", err)
	}
	if f.goal.Precision, err = cli.ParseShare(f.precision); err != nil {
		return nil, nil, i18n.Errorf("capacitycmd.precision", "--precision: %w", err)
	}
	f.goal.Initial = min(f.goal.Initial, f.goal.Trial)
	if err := f.goal.Check(); err != nil {
		return nil, nil, err
	}
	if f.start < 0 || f.start > profile.MaxRate {
		return nil, nil, i18n.Errorf("capacitycmd.bad-start", "--start must be from 0 to 10 million requests/s, not %v", f.start)
	}
	spec, err := f.load.OpenSpec(target)
	if err != nil {
		return nil, nil, err
	}
	g := &capacity.Generator{Spec: spec, Objective: o.WithErrorBound()}
	return &capacity.Search{Goal: f.goal, Service: g, Start: f.start}, g, nil
}

func runCapacity(ctx context.Context, f *capacityFlags, global *cli.Global, target string) error {
	search, generator, err := f.search(target)
	if err != nil {
		return cli.UsageError(err)
	}
	progress := f.out.progress(global)
	spec := &generator.Spec
	progress.Print(i18n.New("capacitycmd.plan-search", "%s %s: the highest rate at which %s; %d connections, %s arrivals, seed %d",
		spec.Requests[0].Verb(), spec.Target, generator.Objective, spec.Profile.Connections, spec.Profile.Arrivals, spec.Seed))
	if err := loadcmd.Reach(ctx, spec); err != nil {
		return err
	}
	f.load.Calibrated(ctx, spec, progress)
	generator.Machine = loadcmd.WatchMachine(ctx, spec, progress)
	defer generator.Machine.Close()
	search.OnTrial = func(l *capacity.Load) { found.WriteTrial(progress.To, l, progress.Say) }
	r, err := search.Run(ctx)
	if err != nil {
		return loadcmd.WithHint(err)
	}
	found := found.Capacity{
		Target: spec.Target, Objective: generator.Objective.String(), Found: r.Found(), Goal: search.Goal, Seed: spec.Seed,
		Connections: spec.Profile.Connections, Arrivals: spec.Profile.Arrivals, Result: r, Calibration: spec.Calibration,
	}
	found.NearCeiling()
	if err := f.out.write(global.Lang, &found, found.Text, found.Page); err != nil {
		return err
	}
	if !r.Found() {
		return i18n.Fail(i18n.New("capacitycmd.bracket-missing", "no bracket: %s", found.Sentence(report.English())))
	}
	return worthless(&r.Disturbed)
}
