package comparecmd

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/baseline"
	"dyno.example/dyno/calibrate"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/library"
	"dyno.example/dyno/cmd/dyno/internal/runcmd"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/machine"
	"dyno.example/dyno/regression"
	"dyno.example/dyno/runner"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
	"dyno.example/internal/i18n"
)

// defaultStudy is the file that dyno gate takes if none is named: that which dyno
// study init writes.
const defaultStudy = "study.yaml"

// gateRun is one execution of dyno gate.
type gateRun struct {
	flags   *gateFlags
	global  *cli.Global
	study   *study.Study // nil if a run is to be judged
	run     string       // the run to judge; empty if a study is to be run
	options regression.Options
	catalog *subject.Catalog
	library *library.Library // the archive, to which runs of the study go
	seed    uint64
	command []string
	unkept  error             // that runs were not pushed
	pairs   []regression.Pair // of the versions measured; with --against
	// sampling is of the second run, which says which function grew; nil before it.
	sampling *sampling
	grown    func(*regression.Result)
}

func newGateRun(f *gateFlags, global *cli.Global, args []string) (*gateRun, error) {
	g := &gateRun{flags: f, global: global, seed: f.seed, command: append([]string{"dyno"}, os.Args[1:]...)}
	name := defaultStudy
	if len(args) == 1 {
		name = args[0]
	} else if _, err := os.Stat(defaultStudy); err != nil {
		return nil, i18n.Errorf("comparecmd.study-not-named", "name a study: there is no %s here; dyno study init writes one to start from", defaultStudy)
	}
	var err error
	switch {
	case isStudy(name):
		err = g.openStudy(name)
	case f.against != "":
		err = i18n.Errorf("comparecmd.ref-takes-study", "%q is not a study's file: a gate against a git ref measures both versions, so it takes no run", name)
	case f.quick || f.blocks != 0 || len(f.accept) > 0:
		err = i18n.Errorf("comparecmd.study-flags-with-run", "--quick, --blocks and --accept say how a study is run: they don't go with a run")
	default:
		g.run = name
	}
	if err != nil {
		return nil, err
	}
	g.options.Thresholds, g.options.Explicit, err = f.thresholds(g.study)
	if g.options.Stages != nil {
		g.study = regression.ShortenPairs(g.study, g.options.Thresholds)
	}
	return g, err
}

func (g *gateRun) openStudy(name string) error {
	var err error
	if g.catalog, err = cli.Catalog(); err != nil {
		return err
	}
	if g.study, err = study.Open(name, g.catalog.Names()); err != nil {
		return err
	}
	f := g.flags
	if f.baseline != "" {
		g.study = g.study.UsuallySliced() // as dyno run measured what the baseline has
	}
	if f.quick {
		g.study = runcmd.ShortForm(g.study)
	}
	if f.blocks < 0 {
		return i18n.Errorf("runcmd.bad-blocks", "--blocks must be at least 1, not %d", f.blocks)
	}
	if f.blocks > 0 {
		g.study.Blocks = f.blocks
	}
	accepted, err := finding.ParseAccepted(f.accept)
	if err != nil {
		return i18n.Errorf("runcmd.accept", "--accept: %w", err)
	}
	g.study.Accept = append(slices.Clip(g.study.Accept), accepted...)
	// A gate's error rates are those of a number of blocks that is fixed beforehand, or of
	// its own stages.
	g.study.Until = study.Until{}
	if f.inPairs || f.against != "" && g.study.Trial.Slices.On() {
		g.options.Stages = regression.NewStages(f.blocks)
		g.study.Blocks, g.study.Until = 1, study.Until{Blocks: g.options.Stages.Most}
	}
	g.study.Twin = false // a second run has one, after an alarm
	if g.seed == 0 {
		g.seed = rand.Uint64N(1<<32) + 1
		g.command = append(g.command, "--seed", strconv.FormatUint(g.seed, 10))
	}
	return nil
}

func (g *gateRun) judge(ctx context.Context) (r *regression.Result, err error) {
	if g.study != nil {
		if g.library, err = library.Reachable(ctx, g.global); err != nil {
			return nil, err
		}
	}
	if g.flags.against != "" {
		r, err = g.againstRef(ctx)
	} else {
		r, err = g.againstBaseline(ctx)
	}
	if err != nil {
		return nil, err
	}
	r.Command = g.command
	if g.unkept != nil {
		r.Remarks = append(r.Remarks, i18n.From(g.unkept))
	}
	return r, nil
}

// againstRef measures the working tree and a git ref in turns.
func (g *gateRun) againstRef(ctx context.Context) (result *regression.Result, err error) {
	repository, err := regression.OpenRepository(ctx, filepath.Dir(g.study.Path))
	if err != nil {
		return nil, cli.UsageError(err)
	}
	if _, err := repository.Resolve(ctx, g.flags.against); err != nil {
		return nil, cli.UsageError(i18n.Errorf("comparecmd.against", "--against: %w", err))
	}
	tree, err := repository.Describe(ctx)
	if err != nil {
		return nil, err
	}
	checkout, err := repository.Checkout(ctx, g.flags.against)
	if err != nil {
		return nil, err
	}
	defer func() {
		// A decision is worth more than a tidy folder.
		if left := checkout.Remove(); left != nil && result != nil {
			result.Remarks = append(result.Remarks, i18n.From(left))
		} else {
			err = errors.Join(err, left)
		}
	}()
	both, pairs, err := regression.Versions(g.study, repository, checkout)
	if err != nil {
		return nil, cli.UsageError(err)
	}
	g.pairs = pairs
	a, err := g.measure(ctx, both, g.seed)
	if err != nil {
		return nil, err
	}
	result = regression.JudgePairs(a, pairs, g.options)
	if err := g.confirm(ctx, both, pairs, result, func(a *analysis.Analysis) { result.ConfirmPairs(a, pairs, g.options) }); err != nil {
		return nil, err
	}
	result.Old, result.New = i18n.Verbatim(checkout.Name()), tree
	return result, nil
}

// confirm holds alarms, if there are any, against a second run. If there can be
// none, they are taken back; what the first run found is reported even so.
func (g *gateRun) confirm(ctx context.Context, s *study.Study, pairs []regression.Pair, r *regression.Result, by func(*analysis.Analysis)) error {
	if r.Decision != regression.Regression {
		return nil
	}
	a, err := g.again(ctx, s, pairs, r)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		r.Unconfirmable(err)
	default:
		if by(a); r.Decision == regression.Regression && g.grown != nil {
			g.grown(r)
		}
	}
	return nil
}

// again measures the cells about which there is an alarm once more, in fresh
// blocks.
func (g *gateRun) again(ctx context.Context, s *study.Study, pairs []regression.Pair, r *regression.Result) (*analysis.Analysis, error) {
	subjects, groups := r.Suspects()
	narrow, err := regression.Narrow(s, pairs, subjects, groups)
	if err != nil {
		return nil, err
	}
	if !g.global.Quiet {
		g.global.Err().Print(i18n.New("comparecmd.confirming-alarm", "worse than allowed: %s; measuring again before saying so", i18n.Names(subjects...)))
	}
	narrow.Twin = len(pairs) > 0 // the old version once more: does what hasn't changed move too?
	g.sampling = newSampling(narrow)
	a, err := g.measure(ctx, narrow, g.seed+1)
	g.sampling.stop()
	if err != nil {
		return nil, err
	}
	g.grown = func(r *regression.Result) { g.sampling.explain(r, pairs) }
	return a, nil
}

// againstBaseline holds a run, or a study that it runs, against stored figures.
func (g *gateRun) againstBaseline(ctx context.Context) (*regression.Result, error) {
	b, err := g.flags.store.Load(g.flags.baseline)
	if err != nil {
		return nil, cli.UsageError(err)
	}
	var result *regression.Result
	if g.run != "" {
		result, err = g.judgeRun(ctx, b)
	} else {
		result, err = g.judgeStudy(ctx, b)
	}
	if err != nil {
		return nil, err
	}
	result.Old = i18n.New("comparecmd.baseline-run", "baseline %s (run %s)", b.Name, b.Run)
	if n := len(b.Earlier); n > 0 {
		result.Old = i18n.New("comparecmd.baseline-runs-newest", "baseline %s (%d runs of %s, the newest %s)", b.Name, n+1, daysOf(b), b.Run)
	}
	result.New = i18n.New("comparecmd.run", "run %s", result.Runs[len(result.Runs)-1])
	return result, nil
}

// judgeRun holds an archived run against a baseline.
func (g *gateRun) judgeRun(ctx context.Context, b *baseline.Baseline) (*regression.Result, error) {
	a, _, err := library.Analyse(ctx, g.global, g.run)
	if err != nil {
		return nil, err
	}
	if err := g.comparable(b, &a.Run.Machine); err != nil {
		return nil, err
	}
	if b.Holds(a.Run.ID) {
		return nil, cli.UsageError(i18n.Errorf("comparecmd.run-of-baseline", "run %s is what the baseline %s was made of: it would be held against itself; give another run, or the study", a.Run.ID, b.Name))
	}
	r := regression.JudgeStored(a, b, g.options)
	r.Unconfirmed("an archived one can't be measured again; give the study instead")
	return r, nil
}

// judgeStudy runs the study and holds it against a baseline.
func (g *gateRun) judgeStudy(ctx context.Context, b *baseline.Baseline) (*regression.Result, error) {
	here := machine.Read()
	if err := g.comparable(b, &here); err != nil {
		return nil, err
	}
	a, err := g.measure(ctx, g.study, g.seed)
	if err != nil {
		return nil, err
	}
	r := regression.JudgeStored(a, b, g.options)
	return r, g.confirm(ctx, g.study, nil, r, func(a *analysis.Analysis) { r.ConfirmStored(a, b, g.options) })
}

// comparable refuses a baseline of another machine, unless told to accept it.
func (g *gateRun) comparable(b *baseline.Baseline, f *machine.Fingerprint) error {
	if g.flags.across {
		return nil
	}
	if err := regression.Comparable(b, f); err != nil {
		return cli.UsageError(i18n.Errorf("comparecmd.baseline", "baseline %s: %w", b.Name, err))
	}
	return nil
}

// measure runs a study to its end, pushes the run if the archive is a bucket, and
// analyses it. That it could not be pushed is noted in unkept, and changes no
// decision.
func (g *gateRun) measure(ctx context.Context, s *study.Study, seed uint64) (*analysis.Analysis, error) {
	r, err := g.runner(s, seed)
	if err != nil {
		return nil, err
	}
	observer := runcmd.NewObserver(false, g.global, r)
	r.Observe = func(e runner.Event) {
		g.sampling.see(e)
		observer.Event(e)
	}
	id, err := r.Run(ctx)
	observer.Close()
	if id == "" {
		return nil, err
	}
	run, readErr := r.Store.Open(id)
	if readErr != nil {
		return nil, errors.Join(err, readErr)
	}
	g.unkept = errors.Join(g.unkept, g.library.Keep(ctx, g.global, run))
	if err != nil {
		return nil, errors.Join(err, g.unkept)
	}
	a, err := g.analyse(run)
	if err != nil {
		return nil, i18n.Errorf("runcmd.analysing-run", "analysing run %s: %w", id, err)
	}
	return a, nil
}

func (g *gateRun) runner(s *study.Study, seed uint64) (*runner.Runner, error) {
	plan, err := study.Expand(s, seed)
	if err != nil {
		return nil, cli.UsageError(err)
	}
	dir, err := cli.Home()
	if err != nil {
		return nil, err
	}
	r := &runner.Runner{
		Repeats: runcmd.DefaultRepeats, KeepGoing: g.flags.keepOn, Study: s, Plan: plan, Quick: g.flags.quick, Command: g.command, Version: cli.Version(),
		Calibrate: calibrate.Run, Catalog: g.catalog, CacheDir: filepath.Join(dir, "cache"), StateDir: dir, Store: g.library.Store,
	}
	if g.options.Stages != nil {
		r.Decide = g.decide
	}
	return r, nil
}

// analyse has pairs as they are, where there are any.
func (g *gateRun) analyse(run *archive.Run) (*analysis.Analysis, error) {
	if len(g.pairs) > 0 {
		return analysis.AnalysePairs(run)
	}
	return analysis.Analyse(run)
}

// decide says after each pair how far the checks are.
func (g *gateRun) decide(run *archive.Run) (p runner.Progress, err error) {
	a, err := g.analyse(run)
	if err != nil {
		return p, err
	}
	for _, s := range regression.JudgePairs(a, g.pairs, g.options).Standings(run.Manifest.Plan.Blocks()) {
		p.Goals = append(p.Goals, runner.Goal{Name: s.Name, Done: s.Done, Text: s.Text, Blocks: s.Pairs})
	}
	return p, nil
}
