package subjectcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/present"
	"dyno.example/dyno/report"
	"dyno.example/dyno/subject"
	"dyno.example/dyno/subject/check"
	"dyno.example/internal/i18n"
)

// checkFlags are those of dyno subjects check.
type checkFlags struct {
	all, ready, json bool
	jobs, patience   int
}

func newCheck(global *cli.Global, from *string) *cobra.Command {
	var flags checkFlags
	cmd := &cobra.Command{
		Use:   "check [NAME|LANGUAGE…]",
		Short: "Build subjects, start them, hold them to the whole contract, and stop them",
		Long: `Builds each subject, starts it, sends every request of its contract, stops it, and
prints a table: how large the build is, how long a start and a stop took, and what the
subject held in between. A subject must also print nothing, and leave no process behind.

The exit code is 0 if all of them are ok. What a machine lacks counts as failure, unless
--ready leaves such subjects out.`,
		Example: "  dyno subjects check python\n  dyno subjects check rust/axum c/h2o --json\n  dyno subjects check --all --ready\n  dyno subjects check --from subjects zig/http",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case flags.all == (len(args) > 0):
				return cli.UsageError(i18n.Errorf("subjectcmd.names-missing", "give names or languages of subjects, or --all; see dyno subjects"))
			case flags.jobs < 1 || flags.jobs > 64:
				return cli.UsageError(i18n.Errorf("subjectcmd.bad-jobs", "--jobs must be from 1 to 64, not %d", flags.jobs))
			case flags.patience < 1 || flags.patience > 100:
				return cli.UsageError(i18n.Errorf("subjectcmd.patience-range", "--patience must be from 1 to 100, not %d", flags.patience))
			}
			return checkSubjects(cmd.Context(), global, *from, args, flags)
		},
		ValidArgsFunction: cli.CompleteSubjects,
	}
	cmd.Flags().BoolVar(&flags.all, "all", false, "check all subjects")
	cmd.Flags().BoolVar(&flags.ready, "ready", false, "leave out subjects that lack a tool on this machine")
	cmd.Flags().BoolVar(&flags.json, "json", false, "print JSON")
	cmd.Flags().IntVar(&flags.jobs, "jobs", 2, "builds at a time; starts are one at a time")
	cmd.Flags().IntVar(&flags.patience, "patience", 1, "so many times as long as usual may a subject take to get ready and to end, as on a busy machine")
	return cmd
}

func checkSubjects(ctx context.Context, global *cli.Global, from string, args []string, flags checkFlags) error {
	b, err := newBench(global, from)
	if err != nil {
		return err
	}
	subjects := b.catalog.List()
	if !flags.all {
		if subjects, err = b.named(args); err != nil {
			return err
		}
	}
	items, err := b.plan(ctx, subjects)
	if err != nil {
		return err
	}
	if flags.ready {
		items = onlyReady(items)
	}
	if err := b.room(items); err != nil {
		return err
	}
	results, err := b.check(ctx, items, flags)
	if err != nil {
		return err
	}
	if flags.json {
		err = cli.WriteJSON(os.Stdout, results)
	} else {
		err = table(os.Stdout, results)
	}
	return errors.Join(err, allOK(results))
}

func onlyReady(items []check.Item) (ready []check.Item) {
	for i := range items {
		if items[i].Ready() {
			ready = append(ready, items[i])
		}
	}
	return ready
}

// room tells what will be built, and refuses what the disk has no room for.
func (b *bench) room(items []check.Item) error {
	builds, bytes := check.Disk(items)
	if builds == 0 {
		return nil
	}
	size := "little"
	if bytes > 0 {
		size = "about " + present.Bytes(bytes)
	}
	b.say(i18n.New("subjectcmd.build-disk", "to build: %s, %s on disk, in %s", i18n.Plural(builds, i18n.New("count.subject", "%d subject", builds), i18n.New("count.subjects", "%d subjects", builds)), size, b.builder.Dir))
	free, err := subject.FreeSpace(b.builder.Dir)
	if err == nil && free < bytes {
		return i18n.Errorf("subjectcmd.disk-too-full", "the builds take about %s, but only %s are free at %s: make room, or set DYNO_HOME to a folder on a larger disk", present.Bytes(bytes), present.Bytes(free), b.builder.Dir)
	}
	return nil
}

// check builds all and tries one after another.
func (b *bench) check(ctx context.Context, items []check.Item, flags checkFlags) ([]check.Result, error) {
	if err := cli.Sweep(ctx, b.home); err != nil {
		return nil, err
	}
	done, total := 0, 0
	for i := range items {
		if items[i].Ready() && !items[i].Cached {
			total++
		}
	}
	c := &check.Checker{
		Catalog: b.catalog, Builder: b.builder, StateDir: b.home, Patience: flags.patience,
		OnBuild: func(m subject.Manifest, took time.Duration, err error) {
			done++
			what := i18n.New("subjectcmd.built", "built")
			if err != nil {
				what = i18n.New("subjectcmd.build-failed", "could not build")
			}
			b.say(i18n.New("subjectcmd.of-in", "[%d of %d] %s %s in %v", done, total, what, m.Name, took.Round(100*time.Millisecond)))
		},
	}
	builds := c.Build(ctx, items, flags.jobs)
	results := []check.Result{}
	for i := range items {
		r, err := c.Try(ctx, &items[i], builds)
		if err != nil {
			return nil, err
		}
		b.say(i18n.Format("%s: %s", r.Name, r.Status))
		results = append(results, r)
	}
	return results, nil
}

// say tells of progress.
func (b *bench) say(m i18n.Message) {
	if !b.global.Quiet {
		b.global.Err().Print(m)
	}
}

func table(to io.Writer, results []check.Result) error {
	rows := [][]string{{"NAME", "FRAMEWORK", "VERSION", "CHECK", "BUILD", "SIZE", "START", "STOP", "PROCESSES", "THREADS", "RSS"}}
	for _, r := range results {
		row := []string{r.Name, r.Framework, r.Version, string(r.Status)}
		if r.Status != check.OK {
			rows = append(rows, append(row, "", "", "", "", "", "", ""))
			continue
		}
		build := "cached"
		if !r.Cached {
			build = r.BuildTime.Round(100 * time.Millisecond).String()
		}
		size := "–" // nothing of it was built
		if r.Size > 0 {
			size = present.Bytes(r.Size)
		}
		rows = append(rows, append(row, build, size, present.Duration(float64(r.StartUp)), present.Duration(float64(r.Stop)), strconv.Itoa(r.Processes), strconv.Itoa(r.Threads), present.Bytes(r.RSS)))
	}
	const framework, stop, processes, threads = 1, 7, 8, 9
	var b strings.Builder
	report.TerminalTableWithout(&b, rows, cli.TableWidth(), framework, stop, processes, threads)
	if _, err := io.WriteString(to, b.String()); err != nil {
		return err
	}
	for _, r := range results {
		if r.Status != check.OK {
			fmt.Fprintf(to, "\n%s %s: %s\n", r.Name, r.Status, shortened(r.Problem))
		}
	}
	return nil
}

// Limits of a problem in the table; --json has all of it.
const (
	problemLines  = 20
	problemColumn = 200 // bytes
)

// shortened is the beginning of a problem's lines, and of its first lines.
func shortened(text string) string {
	lines := strings.Split(text, "\n")
	if len(lines) > problemLines {
		lines = append(lines[:problemLines], fmt.Sprintf("(%d lines more; --json has them)", len(lines)-problemLines))
	}
	for i, line := range lines {
		if len(line) > problemColumn {
			lines[i] = strings.ToValidUTF8(line[:problemColumn], "") + "…"
		}
	}
	return strings.Join(lines, "\n")
}

// allOK is an error if not all is well.
func allOK(results []check.Result) error {
	count := make(map[check.Status]int)
	for _, r := range results {
		count[r.Status]++
	}
	if count[check.OK] == len(results) {
		return nil
	}
	return i18n.Errorf("subjectcmd.check-summary", "%d of %d subjects are ok, %d failed, %d lack something (dyno subjects install shows what installs it)",
		count[check.OK], len(results), count[check.Failed], count[check.Lacks])
}
