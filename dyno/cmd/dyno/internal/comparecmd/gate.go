package comparecmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno.example/dyno/baseline"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/export"
	"dyno.example/dyno/regression"
	gatethreshold "dyno.example/dyno/regression/threshold"
	"dyno.example/dyno/report"
	"dyno.example/dyno/studies"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// exitRegression is a gate's exit code for what is certainly worse, by more than is
// allowed. Nothing else gives it: what could not be measured is [cli.ExitCannotTell].
const exitRegression = 1

// gateFlags are the flags of dyno gate.
type gateFlags struct {
	quick    bool // these say how to run the study
	blocks   int
	inPairs  bool
	seed     uint64
	accept   []string
	keepOn   bool // though the first block is of no use
	against  string
	baseline string
	store    baseline.Store
	fail     []string
	across   bool
	asJSON   bool
	junit    string
	markdown string
}

func NewGate(global *cli.Global) *cobra.Command {
	var f gateFlags
	cmd := &cobra.Command{
		Use:   "gate [STUDY | RUN]",
		Short: "Stop a regression: is the new version worse than the old by more than allowed?",
		Long: `Decide whether a new version is worse than an old one by more than is allowed.

With --against REF, the study's programs are built from the working tree and from
a git ref, and measured in turns on this machine. With --baseline NAME, the study
is run, or a RUN taken that was, and held against the figures in a file.

Before it alarms, it measures again, and both must agree. It never judges invalid
data, and says how small a regression it could have found. If the archive is a
bucket, its runs are kept on this machine and then pushed.

Exit codes: 0 all is well; 1 a regression; 2 wrong usage; 3 can't tell, or
nothing could be measured; 130 interrupted.`,
		Example: `  dyno gate --against main
  dyno gate bench.yaml --against v1.4.0 --fail 'cpu > +3%' --fail 'response.p99 > +10%'
  dyno gate bench.yaml --baseline main --markdown "$GITHUB_STEP_SUMMARY"`,
		Args: cli.ArgsBetween(0, 1, i18n.New("comparecmd.study-or-run-arg", "at most a study's file, or a run")),
		RunE: func(cmd *cobra.Command, args []string) error {
			decision, err := runGate(cmd.Context(), &f, global, args)
			return gateExit(cmd.Context(), decision, err)
		},
		ValidArgsFunction: cli.CompleteStudies,
	}
	f.add(cmd)
	return cmd
}

func (f *gateFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.against, "against", "", "git ref of the old version, such as main, v1.4.0 or HEAD~1")
	flags.StringVar(&f.baseline, "baseline", "", "name of a baseline with the figures of the old version (dyno baseline)")
	flags.StringVar(&f.store.Dir, "dir", baseline.DefaultDir, "folder of the baselines")
	flags.StringArrayVar(&f.fail, "fail", nil, "what is a regression, such as 'cpu > +3%' or 'throughput < -5%' (repeatable; default: the study's gate:, or "+defaultThresholds()+")")
	flags.BoolVar(&f.quick, "quick", false, "the study's short form: fewer, shorter trials")
	flags.IntVar(&f.blocks, "blocks", 0, "number of blocks, instead of the study's")
	flags.BoolVar(&f.inPairs, "in-pairs", false, "with --against: end as soon as it is decided, pair by pair of starts; --blocks is then the most")
	flags.Uint64Var(&f.seed, "seed", 0, "seed of order and schedules (default: a new one)")
	flags.StringSliceVar(&f.accept, "accept", nil, "findings that don't lower what a trial is worth, by name (dyno/docs/findings.md); they are shown all the same")
	flags.BoolVar(&f.keepOn, "keep-going", false, "go on though this machine was disturbed in every trial of the first block")
	flags.BoolVar(&f.asJSON, "json", false, "print the result as JSON")
	flags.StringVar(&f.junit, "junit", "", "also write the checks to this file as JUnit XML")
	flags.StringVar(&f.markdown, "markdown", "", "also write the result to this file as Markdown, for a pull request; what $GITHUB_STEP_SUMMARY names is appended to")
	cli.AddAcrossFlag(flags, &f.across)
	cmd.MarkFlagsMutuallyExclusive("against", "baseline")
	cmd.MarkFlagsMutuallyExclusive("in-pairs", "baseline")
	cmd.MarkFlagsOneRequired("against", "baseline")
	cmd.RegisterFlagCompletionFunc("baseline", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return completeBaselines(&f.store)
	})
}

func defaultThresholds() string {
	var texts []string
	for _, t := range gatethreshold.Defaults() {
		texts = append(texts, t.String())
	}
	return strings.Join(texts, ", ")
}

// gateExit gives a decision, or an error, its exit code: what could not be measured
// is no regression.
func gateExit(ctx context.Context, decision regression.Decision, err error) error {
	var exit *cli.ExitError
	switch {
	case ctx.Err() != nil:
		return cli.Exit(cli.ExitInterrupted, i18n.Errorf("runner.interrupted", "interrupted"))
	case decision == regression.Regression: // also if a file of it could not be written
		return cli.Exit(exitRegression, errors.Join(i18n.Errorf("comparecmd.regression", "regression"), err))
	case errors.As(err, &exit):
		return err
	case err != nil:
		return cli.Exit(cli.ExitCannotTell, fmt.Errorf("can't tell: %w", err))
	case decision == regression.CannotTell:
		return cli.Exit(cli.ExitCannotTell, i18n.Errorf("comparecmd.cant-tell", "can't tell"))
	}
	return nil
}

// runGate judges, and writes what it came to.
func runGate(ctx context.Context, f *gateFlags, global *cli.Global, args []string) (regression.Decision, error) {
	g, err := newGateRun(f, global, args)
	if err != nil {
		return "", cli.UsageError(err)
	}
	if err := f.checkFiles(); err != nil {
		return "", cli.UsageError(err)
	}
	result, err := g.judge(ctx)
	if err != nil {
		return "", err
	}
	if g.unkept != nil {
		global.Err().Print(i18n.New("comparecmd.dyno-gate", "dyno gate: %v", g.unkept))
	}
	return result.Decision, f.write(result, global.Texts())
}

// checkFiles sees to it that the files can be written, before minutes are spent.
func (f *gateFlags) checkFiles() error {
	for _, file := range []struct{ flag, path string }{{"--junit", f.junit}, {"--markdown", f.markdown}} {
		if file.path == "" {
			continue
		}
		if err := cli.CheckFile(file.flag, file.path); err != nil {
			return err
		}
	}
	return nil
}

// write prints the result, and writes the files that were asked for.
func (f *gateFlags) write(r *regression.Result, t report.Texts) error {
	var failed error
	if f.junit != "" {
		failed = f.save(f.junit, func(w *bytes.Buffer) error { return export.JUnit(w, r.Suite()) })
	}
	if f.markdown != "" {
		failed = errors.Join(failed, f.save(f.markdown, func(w *bytes.Buffer) error { return r.Markdown(w, t) }))
	}
	if f.asJSON {
		return errors.Join(failed, r.JSON(os.Stdout))
	}
	return errors.Join(failed, r.Text(os.Stdout, t, cli.TableWidth(), cli.Colour()))
}

func (f *gateFlags) save(path string, fill func(*bytes.Buffer) error) error {
	switch {
	case path == "-":
		return cli.WriteThrough(os.Stdout, "standard output", fill)
	case path == os.Getenv("GITHUB_STEP_SUMMARY"): // other steps' summaries may be in it
		out, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		return errors.Join(cli.WriteThrough(out, path, fill), out.Close())
	}
	return cli.WriteFile(cli.LinkTarget(path), fill)
}

// thresholds are those of --fail, or else of the study, or the usual ones. asked
// says that somebody named them.
func (f *gateFlags) thresholds(s *study.Study) (list []gatethreshold.Threshold, asked bool, err error) {
	for _, text := range f.fail {
		more, err := gatethreshold.ParseList(text, study.Metrics())
		if err != nil {
			return nil, false, i18n.Errorf("loadcmd.fail", "--fail %w", err)
		}
		list = append(list, more...)
	}
	switch {
	case len(list) > 0:
		return list, true, nil
	case s != nil && len(s.Gate) > 0:
		return s.Gate, true, nil
	}
	return gatethreshold.Defaults(), false, nil
}

// isStudy reports whether a word names a study: a built-in one, or a file.
func isStudy(word string) bool {
	return slices.Contains(studies.Names(), word) || strings.HasSuffix(word, ".yaml") || strings.HasSuffix(word, ".yml")
}
