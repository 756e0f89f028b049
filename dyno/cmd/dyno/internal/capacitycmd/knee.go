package capacitycmd

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno.example/dyno/capacity"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/loadcmd"
	"dyno.example/dyno/load/profile"
	"dyno.example/dyno/present/found"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// kneeFlags are the flags of dyno knee.
type kneeFlags struct {
	load   loadcmd.Flags
	levels string
	trial  time.Duration
	passes int
	pid    int
	out    foundFlags
}

// maxKneeLevels bounds the trials of a range such as 1..1000000+1.
const maxKneeLevels = 1000

func NewKnee(global *cli.Global) *cobra.Command {
	var f kneeFlags
	cmd := &cobra.Command{
		Use:   "knee URL",
		Short: "Measure throughput against connections and fit a scalability law",
		Long: `Measure throughput against connections and fit a scalability law.

Closed loops of more and more connections are run, upwards and then downwards.
The result is the number of connections beyond which more give no more throughput,
Gunther's universal scalability law fitted to the trials, with intervals, and
where it says that throughput falls. With --pid the server's memory for 1,000
connections is measured as well. A trial that this machine disturbed is repeated.

Exit status: 0 if there is a result, 1 if there is none or it is INVALID, 2 for wrong
usage, 130 on Ctrl-C.`,
		Example: `  dyno knee http://127.0.0.1:8080/
  dyno knee http://127.0.0.1:8080/ --connections 1,2,4,8,16,32,64 --trial 5s
  dyno knee http://127.0.0.1:8080/ --connections 500..10000+500 \
      --pid "$(pidof server)" --html knee.html`,
		Args: cli.ExactArgs(1, i18n.New("loadcmd.url-load", "the URL to load")),
		RunE: func(cmd *cobra.Command, args []string) error { return runKnee(cmd.Context(), &f, global, args[0]) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&f.levels, "connections", "c", "500..10000+500", "numbers of connections: a list such as 1,2,4 or a range such as 500..10000+500")
	cli.DurationVar(flags, &f.trial, "trial", "", 3*time.Second, "how long to measure at each")
	flags.IntVar(&f.passes, "passes", 1, "times to go up and down")
	flags.IntVar(&f.pid, "pid", 0, "process of the server, if it runs here, to measure its memory")
	f.load.RegisterSweep(flags)
	f.out.register(flags)
	return cmd
}

func runKnee(ctx context.Context, f *kneeFlags, global *cli.Global, target string) error {
	sweep, generator, err := f.sweep(target)
	if err != nil {
		return cli.UsageError(err)
	}
	memory, err := memoryOf(f.pid)
	if err != nil {
		return i18n.Errorf("capacitycmd.pid", "--pid: %w", err)
	}
	progress, spec := f.out.progress(global), &generator.Spec
	progress.Print(i18n.New("capacitycmd.plan-levels", "%s %s: closed loops of %s connections, %v each, up and down; about %v", spec.Requests[0].Verb(), spec.Target, f.levels, f.trial,
		time.Duration(2*max(1, f.passes)*len(sweep.Levels))*(f.trial+f.load.Warmup)))
	if err := loadcmd.Reach(ctx, spec); err != nil {
		return err
	}
	f.load.Calibrated(ctx, spec, progress)
	generator.Machine = loadcmd.WatchMachine(ctx, spec, progress)
	defer generator.Machine.Close()
	sweep.Measure = func(ctx context.Context, n int) (capacity.LevelTrial, error) {
		return generator.Level(ctx, n, f.trial, memory)
	}
	sweep.Settle = generator.Settle
	sweep.OnTrial = func(t capacity.LevelTrial) { found.WriteLevelTrial(progress.To, &t, progress.Say) }
	k, err := sweep.Run(ctx)
	if err != nil {
		return loadcmd.WithHint(err)
	}
	found := found.Knee{Target: spec.Target, Trial: f.trial, Pid: f.pid, Knee: k, Calibration: spec.Calibration}
	if err := f.out.write(global.Lang, &found, found.Text, found.Page); err != nil {
		return err
	}
	if k.Enough == 0 {
		return i18n.Fail(i18n.New("capacitycmd.no-level", "no level was measured: %s", found.Sentence(report.English())))
	}
	return worthless(&k.Disturbed)
}

func (f *kneeFlags) sweep(target string) (*capacity.Sweep, *capacity.Generator, error) {
	levels, err := parseLevels(f.levels)
	if err != nil {
		return nil, nil, i18n.Errorf("capacitycmd.connections", "--connections: %w", err)
	}
	if f.trial < 100*time.Millisecond {
		return nil, nil, i18n.Errorf("capacitycmd.trial-too-short", "--trial must be at least 100ms, not %v", f.trial)
	}
	if f.pid < 0 {
		return nil, nil, i18n.Errorf("capacitycmd.bad-pid", "--pid must be a process's number, not %d", f.pid)
	}
	f.load.Connections = levels[len(levels)-1]
	spec, err := f.load.Spec(target)
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
			if n[i], err = strconv.Atoi(number); err != nil || n[i] < 1 || n[i] > profile.MaxConnections || !stepped {
				return nil, i18n.Errorf("capacitycmd.bad-level", "%q is neither a number from 1 to %d nor a range such as 500..10000+500", part, profile.MaxConnections)
			}
		}
		for at := n[0]; at <= n[1]; at += n[2] {
			if levels = append(levels, at); len(levels) > maxKneeLevels {
				return nil, i18n.Errorf("capacitycmd.too-many-levels", "%q has more than the %d levels that are allowed", text, maxKneeLevels)
			}
		}
	}
	if len(levels) == 0 {
		return nil, i18n.Errorf("capacitycmd.empty-range", "%q has no level: the range ends before it begins", text)
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
