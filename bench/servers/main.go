//go:build linux

// Command servers compares nano with its peers, on this machine: what a request
// costs the process that serves it, how long the tail is at half its capacity,
// what a blocked handler does to the others, and what a connection takes.
//
//	go run ./bench/servers -what all -plan            # what it would do, and how long it takes
//	go run ./bench/servers -what all -name quiet      # everything; again to continue
//	go run ./bench/servers -what plaintext,routes -rounds 9
//	go run ./bench/servers -what ways                 # what io_uring could save; not among all
//	go run ./bench/servers -show bench/servers/results/quiet-plaintext.json
//
// Server and generator have a CPU each and nothing else must run: what else did
// is noted with every trial. Rounds are interleaved in random order. Every trial
// is in the record, which is written after each, so that an interrupted campaign
// is continued by the same command.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"dyno/bench/rounds"
)

// options are the command line's.
type options struct {
	what, name, out         string
	rounds, seconds         int
	seed                    uint64
	generatorCPU, serverCPU int
	show                    string
	disturbed, plan         bool
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "servers:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) > 0 && args[0] == "serve" {
		return serve(args[1:])
	}
	if len(args) > 0 && args[0] == "drive" {
		return drive(args[1:])
	}
	o := parseOptions(args)
	if o.show != "" {
		return showFile(&o)
	}
	chosen, err := chosen(o.what)
	if err != nil {
		return err
	}
	if o.rounds < 1 || o.seconds < 0 {
		return errors.New("-rounds must be at least 1, -seconds not negative")
	}
	if o.plan {
		return plan(&o, chosen)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return measureAll(ctx, o, chosen)
}

func parseOptions(args []string) options {
	var o options
	flags := flag.NewFlagSet("servers", flag.ExitOnError)
	flags.StringVar(&o.what, "what", "plaintext", "campaigns to run, with commas between: all, or some of "+strings.Join(campaignNames(), ", "))
	flags.StringVar(&o.name, "name", time.Now().UTC().Format("20060102-150405"), "name of the records; one that exists is continued")
	flags.StringVar(&o.out, "out", "bench/servers/results", "folder for the records")
	flags.IntVar(&o.rounds, "rounds", 7, "interleaved rounds")
	flags.IntVar(&o.seconds, "seconds", 0, "length of each trial; 0 means what the campaign needs")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the order of trials")
	flags.IntVar(&o.generatorCPU, "generator-cpu", 0, "CPU of the generators")
	flags.IntVar(&o.serverCPU, "server-cpu", 1, "CPU of the servers")
	flags.StringVar(&o.show, "show", "", "print the summary of a record, as Markdown, and measure nothing")
	flags.BoolVar(&o.disturbed, "disturbed", false, "count disturbed trials too in summaries")
	flags.BoolVar(&o.plan, "plan", false, "say what would be done and how long it takes, and do nothing")
	flags.Parse(args)
	return o
}

func campaignNames() []string {
	var names []string
	for _, c := range campaigns() {
		names = append(names, c.Name)
	}
	return names
}

// chosen returns the campaigns named by -what, in the order of campaigns.
func chosen(what string) ([]campaign, error) {
	if what == "all" {
		return slices.DeleteFunc(campaigns(), func(c campaign) bool { return c.Aside }), nil
	}
	named := make(map[string]bool)
	for name := range strings.SplitSeq(what, ",") {
		named[name] = true
	}
	var found []campaign
	for _, c := range campaigns() {
		if named[c.Name] {
			found = append(found, c)
			delete(named, c.Name)
		}
	}
	for name := range named {
		return nil, fmt.Errorf("-what %q is none of all, %s", name, strings.Join(campaignNames(), ", "))
	}
	return found, nil
}

// plan says what would be done.
func plan(o *options, chosen []campaign) error {
	var total time.Duration
	for i := range chosen {
		c := &chosen[i]
		trials := len(c.Arms) * o.rounds
		took := c.duration(o.seconds, trials)
		total += took
		fmt.Printf("%-14s %4d trials, about %v: %s\n", c.Name, trials, took.Round(time.Second), c.Question)
		for _, a := range c.Arms {
			fmt.Printf("    %-14s %s\n", a.Server, a.Level)
		}
	}
	fmt.Printf("all together about %v, and some minutes for builds the first time\n", total.Round(time.Second))
	return nil
}

func measureAll(ctx context.Context, o options, chosen []campaign) error {
	l, err := openLab(ctx, o)
	if err != nil {
		return err
	}
	defer l.close()
	for i := range chosen {
		c := &chosen[i]
		r, err := l.run(ctx, c)
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted: what was measured is kept; go on with the same flags and -name %s", o.name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		c.summary().Show(os.Stdout, r, o.disturbed)
	}
	return nil
}

func showFile(o *options) error {
	r, err := rounds.ReadRecord(o.show)
	if err != nil {
		return err
	}
	for _, c := range campaigns() {
		if c.Name == r.What {
			c.summary().Show(os.Stdout, r, o.disturbed)
			return nil
		}
	}
	return fmt.Errorf("%s is a record of %q, which this program does not know", o.show, r.What)
}
