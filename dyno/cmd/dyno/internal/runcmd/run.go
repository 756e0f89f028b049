package runcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/calibrate"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/library"
	"dyno.example/dyno/runner"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// runFlags are the flags of dyno run.
type runFlags struct {
	quick  bool
	seed   uint64
	blocks int
	plan   bool
	asJSON bool

	accept   []string
	ready    bool     // leave out subjects that lack something on this machine
	without  []string // subjects left out
	keepOn   bool     // though the first block is of no use
	repeats  int
	warmup   string        // instead of the study's; empty: that
	until    string        // how narrow intervals are to be; empty: as the study says
	slices   string        // "on", "off"; empty: as the study says
	duration time.Duration // how long to go on, block by block; 0: as the study says
}

func NewRun(global *cli.Global) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run STUDY",
		Short: "Carry out a study: a built-in name or a file",
		Long: `Carry out a study: build its subjects, verify their responses, measure them in
randomised blocks, archive everything, and report. Trials that come out invalid
are kept, shown, left out of every figure, and repeated. If none of a load can be
used, what was seen is shown as unusable and the exit code is 1.

STUDY is the name of a built-in study (see dyno studies) or a file. Ctrl-C ends
the run; what was measured so far is kept and reported. If this machine was disturbed
so that no trial of the first block can be used, the run ends there, says who was busy,
and the exit status is 1.

If the archive is a bucket, the run is kept on this machine and then pushed.`,
		Example: "  dyno run go-frameworks --quick\n  dyno run my-study.yaml\n  dyno run my-study.yaml --for 10m",
		Args:    cli.ExactArgs(1, i18n.New("runcmd.studys-name-file", "a study's name or file")),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runStudy(cmd.Context(), &f, global, args[0])
		},
		ValidArgsFunction: cli.CompleteStudies,
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&f.quick, "quick", false, "the study's short form: fewer, shorter trials")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of order and schedules (default: a new one, printed)")
	flags.IntVar(&f.blocks, "blocks", 0, "number of blocks, instead of the study's")
	cli.DurationVar(flags, &f.duration, "for", "", 0, "go on block by block for so long, or until every claim is decided and the intervals are as narrow as the study asks")
	flags.StringVar(&f.until, "until", "", "go on block by block until intervals are as narrow, such as ±2%, for ten minutes at most or as --for and --blocks say")
	flags.StringVar(&f.slices, "slices", "", "on, off or both, instead of what the study says: whether subjects take turns of 25 ms, and have trials beside them for what slices can't tell (dyno/docs/slices.md)")
	flags.StringVar(&f.warmup, "warmup", "", "warm-up of each trial, instead of the study's: 5s, or steady (until the subject is steady), or \"steady 5s..30s\"")
	flags.IntVar(&f.repeats, "repeats", DefaultRepeats, "how often an invalid trial is repeated at the end of its block; all together at most half of the trials planned")
	flags.StringSliceVar(&f.accept, "accept", nil, "findings that don't lower what a trial is worth, by name (dyno/docs/findings.md); they are shown all the same")
	flags.StringSliceVar(&f.without, "without", nil, "leave out these subjects, and the claims about them")
	flags.BoolVar(&f.ready, "ready", false, "leave out subjects that lack a tool on this machine (see dyno subjects)")
	flags.BoolVar(&f.keepOn, "keep-going", false, "go on though this machine was disturbed in every trial of the first block")
	flags.BoolVar(&f.plan, "plan", false, "print the plan and stop")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON Lines: the plan, what happens, and last the analysis")
	return cmd
}

func runStudy(ctx context.Context, f *runFlags, global *cli.Global, name string) error {
	r, err := f.runner(name)
	if err != nil {
		return cli.UsageError(err)
	}
	if !global.Quiet || f.asJSON || f.plan {
		if err := describePlan(global, r, f.asJSON); err != nil || f.plan {
			return err
		}
	}
	run, lib, err := carryOut(ctx, global, r, f.asJSON)
	if run == nil {
		return err
	}
	concluded := errors.Join(Conclude(run, f.asJSON, global.Lang), lib.Keep(ctx, global, run))
	if ctx.Err() != nil && concluded != nil {
		return cli.Exit(cli.ExitInterrupted, concluded)
	}
	return errors.Join(err, concluded)
}

// carryOut does what is planned, and reads the run back; nil if there is none.
func carryOut(ctx context.Context, global *cli.Global, r *runner.Runner, asJSON bool) (*archive.Run, *library.Library, error) {
	lib, err := library.Reachable(ctx, global)
	if err != nil {
		return nil, nil, err
	}
	r.Store = lib.Store
	observer := NewObserver(asJSON, global, r)
	r.Observe = observer.Event
	id, err := r.Run(ctx)
	observer.Close()
	if id == "" {
		return nil, lib, err
	}
	run, readErr := r.Store.Open(id)
	return run, lib, errors.Join(err, readErr)
}

// CarryOut carries a study out that is no file's, as dyno run does, and returns the run;
// command is what repeats it.
func CarryOut(ctx context.Context, global *cli.Global, s *study.Study, seed uint64, keepGoing bool, command []string) (*archive.Run, error) {
	f := runFlags{seed: seed, repeats: DefaultRepeats, keepOn: keepGoing}
	c, err := cli.Catalog()
	if err != nil {
		return nil, err
	}
	r, err := f.runnerOf(s, c, command)
	if err != nil {
		return nil, cli.UsageError(err)
	}
	if !global.Quiet {
		if err := describePlan(global, r, false); err != nil {
			return nil, err
		}
	}
	run, lib, err := carryOut(ctx, global, r, false)
	if run != nil {
		err = errors.Join(err, lib.Keep(ctx, global, run))
	}
	return run, err
}

// DefaultRepeats is how often an invalid trial is repeated by default.
const DefaultRepeats = 2

// describePlan prints what will be done.
func describePlan(global *cli.Global, r *runner.Runner, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(os.Stdout).Encode(planLine{Event: "plan", Plan: archive.RedactPlan(r.Plan)})
	}
	out := global.Out()
	r.Plan.Describe(out.To, out.Say)
	if until := untilText(r.Study.Until); !until.IsZero() {
		out.Print(until)
	}
	fmt.Fprintln(out.To)
	return nil
}

// planLine is the first line that dyno run --json prints.
type planLine struct {
	Event string     `json:"event"` // "plan"
	Plan  study.Plan `json:"plan"`
}

// ShortForm is the study's short form. That its file doesn't say what that is, and which
// claims it can't decide, is said on standard error.
func ShortForm(s *study.Study) *study.Study {
	if text := s.QuickText(); !text.IsZero() {
		fmt.Fprintln(os.Stderr, "--quick:", text)
	}
	for _, text := range s.QuickOpen() {
		fmt.Fprintln(os.Stderr, "--quick:", text)
	}
	return s.Quick()
}

// runner reads the study and plans it.
func (f *runFlags) runner(name string) (*runner.Runner, error) {
	c, err := cli.Catalog()
	if err != nil {
		return nil, err
	}
	s, err := study.Open(name, c.Names())
	if err != nil {
		return nil, err
	}
	if s, err = f.sliced(s); err != nil {
		return nil, err
	}
	if f.quick {
		s = ShortForm(s)
	}
	if f.blocks < 0 {
		return nil, i18n.Errorf("runcmd.bad-blocks", "--blocks must be at least 1, not %d", f.blocks)
	}
	if f.blocks > 0 {
		s.Blocks = f.blocks
	}
	if f.ready {
		if err := f.leaveOut(s, c); err != nil {
			return nil, err
		}
	}
	if len(f.without) > 0 {
		if s, err = s.Without(f.without...); err != nil {
			return nil, err
		}
	}
	if err := f.applyTo(s); err != nil {
		return nil, err
	}
	if f.seed == 0 {
		f.seed = rand.Uint64N(1<<32) + 1
	}
	return f.runnerOf(s, c, f.command(name))
}

// runnerOf plans a study that is complete.
func (f *runFlags) runnerOf(s *study.Study, c *subject.Catalog, command []string) (*runner.Runner, error) {
	plan, err := study.Expand(s, f.seed)
	if err != nil {
		return nil, err
	}
	dir, err := cli.Home()
	if err != nil {
		return nil, err
	}
	plan.Estimate, plan.Ahead = runner.Estimate(s, &plan, c, dir)
	store, err := archive.DefaultStore()
	if err != nil {
		return nil, err
	}
	return &runner.Runner{
		Repeats: f.repeats, KeepGoing: f.keepOn, Decide: decide, Study: s, Plan: plan, Quick: f.quick, Command: command, Version: cli.Version(),
		Calibrate: calibrate.Run, Catalog: c, CacheDir: filepath.Join(dir, "cache"), StateDir: dir, Store: store,
	}, nil
}

// PlanOf is the plan of a study, a built-in one or a file, with a seed that is always
// the same, and what it tells of the study's claims.
func PlanOf(name string) (study.Plan, []study.Foreseen, error) {
	f := runFlags{seed: 1}
	r, err := f.runner(name)
	if err != nil {
		return study.Plan{}, nil, err
	}
	return r.Plan, r.Study.Foresee(), nil
}

// command is what repeats the run.
func (f *runFlags) command(name string) []string {
	command := []string{"dyno", "run", name}
	if f.quick {
		command = append(command, "--quick")
	}
	if f.blocks > 0 {
		command = append(command, "--blocks", strconv.Itoa(f.blocks))
	}
	if f.duration > 0 {
		command = append(command, "--for", f.duration.String())
	}
	if f.until != "" {
		command = append(command, "--until", f.until)
	}
	if f.slices != "" {
		command = append(command, "--slices", f.slices)
	}
	if f.warmup != "" {
		command = append(command, "--warmup", f.warmup)
	}
	if f.repeats != DefaultRepeats {
		command = append(command, "--repeats", strconv.Itoa(f.repeats))
	}
	if len(f.without) > 0 {
		command = append(command, "--without", strings.Join(f.without, ","))
	}
	if f.keepOn {
		command = append(command, "--keep-going")
	}
	for _, name := range f.accept {
		command = append(command, "--accept", name)
	}
	return append(command, "--seed", strconv.FormatUint(f.seed, 10))
}
