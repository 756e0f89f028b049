//go:build linux

// Command truth tells the lab things that are known to be so, and looks for a
// false word in what it says about them: a generator that was stopped, a server
// that froze, hung, failed or died, a machine that was busy, a service that got
// slower by a known share, a claim that is known to be right or wrong.
//
//	go run ./dyno/bench/truth                     # all cases, about twenty minutes
//	go run ./dyno/bench/truth -what stops,faults  # some groups
//	go run ./dyno/bench/truth -case 'stops/.*3s'   # cases by name
//	go run ./dyno/bench/truth -list               # what there is
//
// A statement of the lab is false if it is a figure outside of what is true, a
// VALID on a window that was spoiled, or a verdict against the truth. Saying
// nothing (INVALID, undecided, no figure) is not false, and is counted apart: a
// lab that never says anything would never be wrong. It runs the dyno binary, as
// users do; only verdicts by the hundred are taken from made-up runs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are the command line's.
type options struct {
	what      []string
	only      *regexp.Regexp
	list      bool
	name, out string
	dyno      string
	runs      int // of each cause that is to be explained
	seconds   int // of each of their loads
}

// subjects are what this program can also be, by its first argument.
var subjects = map[string]func(args []string) error{
	"serve":  serveMain,
	"suffer": suffer,
	"plain":  plain,
	"burn":   func([]string) error { burn(); return nil },
}

func main() {
	if len(os.Args) > 1 {
		if subject := subjects[os.Args[1]]; subject != nil {
			if err := subject(os.Args[2:]); err != nil {
				fmt.Fprintf(os.Stderr, "truth %s: %v\n", os.Args[1], err)
				os.Exit(1)
			}
			return
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "truth:", err)
		}
		stop()
		os.Exit(1)
	}
}

func parseOptions(args []string) (o options, err error) {
	flags := flag.NewFlagSet("truth", flag.ContinueOnError)
	what := flags.String("what", "all", "groups of cases, with commas between: all, or some of "+strings.Join(groups(), ", "))
	only := flags.String("case", "", "regular expression: cases by name")
	flags.BoolVar(&o.list, "list", false, "list the cases and what is injected, and run nothing")
	flags.StringVar(&o.name, "name", time.Now().UTC().Format("20060102-150405"), "name of the record")
	flags.StringVar(&o.out, "out", "dyno/bench/truth/results", "folder for the record")
	flags.StringVar(&o.dyno, "dyno", "", "the dyno binary to ask; empty builds that of this checkout")
	flags.IntVar(&o.runs, "runs", 1, "of group explain: how often each cause is injected; of group cost: how often each service is started")
	flags.IntVar(&o.seconds, "seconds", 15, "of groups explain and cost: how long each load is; of cost six make a pair")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, fmt.Errorf("-case: %w", err)
	}
	o.what = strings.Split(*what, ",")
	for _, w := range o.what {
		if w != "all" && !slices.Contains(groups(), w) {
			return o, fmt.Errorf("-what %q is none of all, %s", w, strings.Join(groups(), ", "))
		}
	}
	return o, nil
}

// chosen are the cases that the options ask for.
func (o *options) chosen() (cases []Case) {
	for _, c := range allCases() {
		if (slices.Contains(o.what, "all") || slices.Contains(o.what, c.group())) && o.only.MatchString(c.Name) {
			cases = append(cases, c)
		}
	}
	return cases
}

func run(ctx context.Context, args []string) error {
	o, err := parseOptions(args)
	if err != nil {
		return err
	}
	cases := o.chosen()
	if len(cases) == 0 {
		return errors.New("no case has such a name: see -list")
	}
	if o.list {
		for _, c := range cases {
			fmt.Printf("%-36s %s\n", c.Name, c.Injected)
		}
		return nil
	}
	lab, err := newLab(ctx, o.dyno)
	if err != nil {
		return err
	}
	defer lab.close()
	lab.each, lab.seconds = o.runs, o.seconds
	record := newRecord(args)
	for _, c := range cases {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e := lab.examine(ctx, c)
		record.Cases = append(record.Cases, e)
		e.print(os.Stdout)
	}
	record.Finished = time.Now().UTC()
	if err := record.save(o.out, o.name); err != nil {
		return err
	}
	fmt.Println(record.summary())
	if n := record.count(False) + record.count(Failed); n > 0 {
		return fmt.Errorf("%d cases hold a false statement or could not be examined", n)
	}
	return nil
}
