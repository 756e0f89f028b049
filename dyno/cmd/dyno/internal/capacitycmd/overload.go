package capacitycmd

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno.example/dyno/capacity"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/loadcmd"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/present/found"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// overloadFlags are the flags of dyno overload.
type overloadFlags struct {
	capacityFlags
	capacity string // a rate, or auto
	easy     string
	within   string
	plan     capacity.Overload
}

func NewOverload(global *cli.Global) *cobra.Command {
	f := overloadFlags{capacityFlags: capacityFlags{goal: capacity.DefaultGoal()}}
	cmd := &cobra.Command{
		Use:   "overload URL",
		Short: "Ask more than a service can take, and see what is left and when it recovers",
		Long: `Ask more than a service can take, and see what is left and when it recovers.

A rate that the service takes easily is followed by --factor times its capacity,
and that by the easy rate again. The result is the goodput under overload (responses
within the objective's limit), what failed or was given up, and how long it took
until three seconds in a row were like before.

--capacity auto searches it first, as dyno capacity does, with its flags.

An experiment that this machine spoiled is repeated, up to twice.

Exit status: 0 if the service recovered, 1 if not while it was watched, if no
capacity was found or if the result is INVALID, 2 for wrong usage, 130 on Ctrl-C.`,
		Example: `  dyno overload http://127.0.0.1:8080/ --objective 'p99 < 50ms' --capacity 8000
  dyno overload http://127.0.0.1:8080/ --objective 'p99 < 50ms' \
      --factor 2 --for 30s --html overload.html`,
		Args: cli.ExactArgs(1, i18n.New("loadcmd.url-load", "the URL to load")),
		RunE: func(cmd *cobra.Command, args []string) error { return runOverload(cmd.Context(), &f, global, args[0]) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.objective, "objective", "", "what responses are good for, as 'p99 < 50ms, errors < 0.1%' (needed)")
	flags.StringVar(&f.capacity, "capacity", "auto", "requests per second that the service can take, or auto to search for it")
	flags.Float64Var(&f.plan.Factor, "factor", 1.5, "overload, times the capacity")
	cli.DurationVar(flags, &f.plan.For, "for", "", 10*time.Second, "how long the overload lasts")
	flags.StringVar(&f.easy, "baseline", "50%", "rate before and after, as a share of the capacity")
	cli.DurationVar(flags, &f.plan.Before, "before", "", 5*time.Second, "how long the baseline is measured before")
	cli.DurationVar(flags, &f.plan.After, "after", "", 20*time.Second, "how long recovery is watched")
	flags.StringVar(&f.within, "within", "25%", "how far above the baseline's p99 a second may be that counts as recovered")
	f.registerGoal(flags)
	f.load.RegisterOpen(flags)
	f.out.register(flags)
	return cmd
}

// check reads the flags of the experiment. A capacity of 0 is to be searched.
func (f *overloadFlags) check() (err error) {
	if f.plan.Easy, err = cli.ParseShare(f.easy); err != nil {
		return i18n.Errorf("capacitycmd.baseline", "--baseline: %w", err)
	}
	if f.plan.Within, err = parsePart(f.within); err != nil {
		return i18n.Errorf("capacitycmd.within", "--within: %w", err)
	}
	if f.capacity != "auto" {
		if f.plan.Capacity, err = cli.ParseRate(f.capacity); err != nil || !(f.plan.Capacity > 0) {
			return i18n.Errorf("capacitycmd.bad-capacity", "--capacity %q is neither auto nor a number of requests/s above 0", f.capacity)
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
		return 0, i18n.Errorf("capacitycmd.expected-precision", "must be a share above 0, such as 25%% or 0.25")
	}
	return part, nil
}

func runOverload(ctx context.Context, f *overloadFlags, global *cli.Global, target string) error {
	if err := f.check(); err != nil {
		return cli.UsageError(err)
	}
	search, generator, err := f.search(target)
	if err != nil {
		return cli.UsageError(err)
	}
	progress, spec := f.out.progress(global), &generator.Spec
	if err := loadcmd.Reach(ctx, spec); err != nil {
		return err
	}
	generator.Machine = loadcmd.WatchMachine(ctx, spec, progress)
	defer generator.Machine.Close()
	if f.plan.Capacity == 0 {
		f.load.Calibrated(ctx, spec, progress)
		if f.plan.Capacity, err = searched(ctx, search, progress); err != nil {
			return err
		}
	}
	if err := f.plan.Check(); err != nil {
		return cli.UsageError(err)
	}
	return f.overload(ctx, generator, global)
}

// searched finds the capacity: the highest rate that holds.
func searched(ctx context.Context, search *capacity.Search, progress i18n.Printer) (float64, error) {
	progress.Print(i18n.New("capacitycmd.searching-capacity", "searching the capacity"))
	search.OnTrial = func(l *capacity.Load) { found.WriteTrial(progress.To, l, progress.Say) }
	r, err := search.Run(ctx)
	switch {
	case err != nil:
		return 0, loadcmd.WithHint(err)
	case !r.Found():
		return 0, i18n.Errorf("capacitycmd.capacity-unknown", "no capacity was found to go beyond: %s; give one with --capacity", (&found.Capacity{Result: r}).Sentence(report.English()))
	}
	return r.Holds.Rate, nil
}

// maxOverloads bounds how often an experiment that the machine spoiled is repeated:
// it takes long, and asks much of the service.
const maxOverloads = 2

// overload runs the experiment and writes what came of it.
func (f *overloadFlags) overload(ctx context.Context, g *capacity.Generator, global *cli.Global) error {
	spec := g.Spec
	spec.Profile.Rate, spec.Profile.Phases, spec.Duration = 0, f.plan.Phases(), 0
	if err := spec.Check(); err != nil {
		return cli.UsageError(err)
	}
	progress := f.out.progress(global)
	progress.Print(i18n.New("capacitycmd.connections-seed", "%s %s: %s; %d connections, seed %d", spec.Requests[0].Method, spec.Target, spec.Profile.Rhythm(), spec.Profile.Connections, spec.Seed))
	spec.OnWindow = func(w measure.Window) { found.WriteSecond(progress.To, &w) }
	found := found.Overload{
		Target: spec.Target, Objective: g.Objective.String(), Connections: spec.Profile.Connections, Seed: spec.Seed, Plan: f.plan,
		Calibration: spec.Calibration,
	}
	for {
		r, err := g.Load(ctx, spec)
		if err != nil {
			return loadcmd.WithHint(err)
		}
		found.Tries++
		found.Aftermath, found.Findings, found.Validity = f.plan.Analyse(g.Objective, r), r.Findings, finding.Validity(r.Level())
		if !found.Spoiled || found.Tries > min(f.goal.Repeats, maxOverloads) {
			break
		}
		progress.Print(i18n.New("capacitycmd.trial-repeated", "spoiled, and done again: %s", found.Why))
		if _, err := g.Settle(ctx); err != nil {
			return err
		}
	}
	if err := f.out.write(global.Lang, &found, found.Text, found.Page); err != nil {
		return err
	}
	switch {
	case found.Spoiled:
		return i18n.Errorf("capacitycmd.invalid-because", "the result is INVALID: %s; wait until this machine is quiet (dyno machine says who is busy), or take that into account no more with --accept", found.Why)
	case !found.Recovered:
		return errors.New(found.Return(report.English()))
	}
	return nil
}
