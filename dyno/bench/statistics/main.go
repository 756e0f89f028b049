// Command statistics shows by simulation how far the lab's statistics can be
// trusted: how often intervals hold the truth, how often two identical subjects
// are called different, and how often a real difference is found, each also with
// early stopping on.
//
//	go run ./dyno/bench/statistics                                        # synthetic series
//	go run ./dyno/bench/statistics -what unequal                          # subjects that scatter each in its own way
//	go run ./dyno/bench/statistics -what days,history,knee,sobol,modes    # gates, series of runs, and single methods
//	go run ./dyno/bench/statistics -what shapes,gates,calendars,levels    # the same under noise of other shapes
//	go run ./dyno/bench/statistics -what dismissed -studies 200           # doubts of a run that were dismissed, rightly or not
//	go run ./dyno/bench/statistics -what trace -for 10m -name speed       # record how fast this machine is
//	go run ./dyno/bench/statistics -what slices,pairs -trace FILE         # slices, and gates in pairs, on such machines
//	go run ./dyno/bench/statistics -what slices -from RUN                 # and in runs of equal subjects
//	go run ./dyno/bench/statistics -what bias -from RUN,RUN                # ratios of one study in slices of several lengths, and in trials
//	go run ./dyno/bench/statistics -what settling -from RUN                # what slices of a run cost in their first part, against the rest
//	go run ./dyno/bench/statistics -what states -from RUN                  # how subjects of runs in slices follow the machine's states
//	go run ./dyno/bench/statistics -what covariate -from RUN,RUN           # what the machine's speed beside each slice does for intervals
//	go run ./dyno/bench/statistics -what aa -from RUN                     # recorded trials of one subject
//	go run ./dyno/bench/statistics -what power -from RUN                  # and of a slowed one
//	go run ./dyno/bench/statistics -what aa,power -from RUN,RUN -studies 5000
//	go run ./dyno/bench/statistics -what live -from RUN,RUN,RUN           # whole studies with a twin, as they were run
//
// RUN is an archived run: its ID, the beginning of it, or its folder. Those of
// the studies aa-recording and power-recording are made for this. But for -what
// trace it measures nothing itself; the same seed gives the same record.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options are the command line's.
type options struct {
	what      []string
	from      []string
	traces    []string
	length    time.Duration // of a trace
	blocks    []int
	first     int
	studies   int
	quantiles int
	seed      uint64
	name, out string
	progress  func(format string, a ...any)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "statistics:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parseOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	command := append([]string{"go", "run", "./dyno/bench/statistics"}, args...)
	if o.wants("trace") {
		return o.trace(ctx, command, out)
	}
	r := &Record{Version: recordVersion, Command: command, Seed: o.seed}
	if len(o.from) == 0 {
		if err := o.synthetic(r); err != nil {
			return err
		}
	} else if err := o.archived(r); err != nil {
		return err
	}
	if len(r.Results) == 0 {
		return fmt.Errorf("-what %s has nothing to say about recorded runs: leave -from out", strings.Join(o.what, ","))
	}
	fmt.Fprint(out, r.Markdown())
	return r.save(o.out, o.name)
}

// asked is what can be asked for, kinds those of results: flagged trials are
// counted with live studies.
var (
	asked = []string{"coverage", "aa", "power", "live", "unequal", "days", "history", "knee", "sobol", "modes", "verdicts", "shapes", "gates", "calendars", "levels", "slices", "pairs", "dismissed", "trace", "bias", "settling", "states", "covariate"}
	kinds = append(asked[:len(asked):len(asked)], "flagged", "unequal-aa")
)

func parseOptions(args []string) (o options, err error) {
	flags := flag.NewFlagSet("statistics", flag.ContinueOnError)
	what := flags.String("what", strings.Join(asked[:3], ","), "what to simulate or count: some of "+strings.Join(asked, ", "))
	from := flags.String("from", "", "archived runs to draw trials from, with commas between; empty for synthetic series")
	traces := flags.String("trace", "", "records of -what trace to simulate slices on, with commas between")
	flags.DurationVar(&o.length, "for", 5*time.Minute, "how long to record with -what trace")
	blocks := flags.String("blocks", "6,12,25,50", "lengths of studies, in blocks")
	flags.IntVar(&o.first, "first", 5, "block after which studies that stop early are first looked at")
	flags.IntVar(&o.studies, "studies", 4000, "studies to simulate for each figure")
	flags.IntVar(&o.quantiles, "quantiles", 1000, "trials to simulate for the coverage of quantiles, which takes longer")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of all draws")
	flags.StringVar(&o.name, "name", time.Now().UTC().Format("20060102-150405"), "name of the record")
	flags.StringVar(&o.out, "out", "dyno/bench/statistics/results", "folder for the record")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.what = strings.Split(*what, ",")
	for _, w := range o.what {
		if !slices.Contains(asked, w) {
			return o, fmt.Errorf("-what %q is none of %s", w, strings.Join(asked, ", "))
		}
	}
	if *from != "" {
		o.from = strings.Split(*from, ",")
	}
	if *traces != "" {
		o.traces = strings.Split(*traces, ",")
	}
	for part := range strings.SplitSeq(*blocks, ",") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 2 || n > 1000 {
			return o, fmt.Errorf("-blocks: expected numbers from 2 to 1000 with commas between, got %q", part)
		}
		o.blocks = append(o.blocks, n)
	}
	if *from == "" && o.wants("bias") {
		return o, fmt.Errorf("-what bias compares runs of one study with each other: name two or more with -from")
	}
	for _, what := range []string{"covariate", "settling", "states"} {
		if *from == "" && o.wants(what) {
			return o, fmt.Errorf("-what %s looks at runs in slices: name them with -from", what)
		}
	}
	if *from == "" && o.wants("live") {
		return o, fmt.Errorf("-what live counts over archived runs: name them with -from")
	}
	if o.wants("trace") && (len(o.what) > 1 || o.length < time.Second) {
		return o, fmt.Errorf("-what trace records this machine, for -for 1s and more, and goes with nothing else")
	}
	if o.studies < 1 || o.quantiles < 1 || o.first < 2 {
		return o, fmt.Errorf("-studies and -quantiles must be at least 1, -first at least 2")
	}
	o.progress = func(format string, a ...any) { fmt.Fprintf(os.Stderr, format+"\n", a...) }
	return o, nil
}

// wants reports whether a kind of simulation was asked for.
func (o *options) wants(kind string) bool { return slices.Contains(o.what, kind) }
