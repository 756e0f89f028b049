//go:build linux

// Command generators compares dyno's load generator with its peers, on this
// machine: what a request costs, how punctual it is, and whether what it reports
// is true.
//
//	go run ./bench/generators -install                    # peers, from packages
//	go run ./bench/generators -what all -name quiet       # everything; again to continue
//	go run ./bench/generators -what cpu,tls -rounds 9
//	go run ./bench/generators -show bench/generators/results/quiet-cpu.json
//
// Generator and server have a CPU each and nothing else must run: what else did
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
	"strings"
	"syscall"
	"time"

	"dyno/bench/rounds"
)

// options are the command line's.
type options struct {
	what, name, out          string
	rounds, peerRounds       int
	seconds, connections     int
	seed                     uint64
	engines                  []string
	dyno                     string
	generatorCPU, serverCPU  int
	show, publish            string
	disturbed, install, plan bool
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "generators:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) > 0 && args[0] == "serve" {
		return serve(args[1:])
	}
	if len(args) > 0 && args[0] == "spin" {
		return spin(args[1:])
	}
	o := parseOptions(args)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch {
	case o.show != "":
		return showFile(&o)
	case o.install:
		return installPeers(ctx)
	}
	return measureAll(ctx, o)
}

func parseOptions(args []string) options {
	var o options
	flags := flag.NewFlagSet("generators", flag.ExitOnError)
	flags.StringVar(&o.what, "what", "cpu", "campaigns to run, with commas between: all, or some of "+strings.Join(campaignNames(), ", "))
	flags.StringVar(&o.name, "name", time.Now().UTC().Format("20060102-150405"), "name of the records; one that exists is continued")
	flags.StringVar(&o.out, "out", "bench/generators/results", "folder for the records")
	flags.IntVar(&o.rounds, "rounds", 7, "interleaved rounds")
	flags.IntVar(&o.peerRounds, "peer-rounds", 3, "rounds in which peers take part where only their mistakes are shown (truth, frozen)")
	flags.IntVar(&o.seconds, "seconds", 0, "length of each trial; 0 means what the campaign needs")
	flags.IntVar(&o.connections, "connections", 64, "simultaneous connections")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the order of trials")
	flags.StringVar(&o.dyno, "dyno", "", "dyno program to measure; empty builds the one of this source")
	flags.IntVar(&o.generatorCPU, "generator-cpu", 0, "CPU of the generators")
	flags.IntVar(&o.serverCPU, "server-cpu", 1, "CPU of the servers")
	flags.StringVar(&o.show, "show", "", "print the summary of a record, as Markdown, and measure nothing")
	flags.StringVar(&o.publish, "publish", defaultPublish, "folder for data and report of a finished campaign tools; empty for none")
	flags.BoolVar(&o.disturbed, "disturbed", false, "count disturbed trials too in summaries")
	flags.BoolVar(&o.install, "install", false, "install the peers that come as packages, and measure nothing")
	flags.BoolVar(&o.plan, "plan", false, "say what would be done and how long it takes, and measure nothing but capacities")
	engines := flags.String("engine", "", "dyno's engines to compare, such as epoll,uring; empty lets dyno choose")
	flags.Parse(args)
	if *engines != "" {
		o.engines = strings.Split(*engines, ",")
	}
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
		return campaigns(), nil
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

func measureAll(ctx context.Context, o options) error {
	chosen, err := chosen(o.what)
	if err != nil {
		return err
	}
	if o.rounds < 1 || o.connections < 1 || o.seconds < 0 {
		return errors.New("-rounds and -connections must be at least 1, -seconds not negative")
	}
	l, err := openLab(ctx, o)
	if err != nil {
		return err
	}
	defer l.close()
	for i := range chosen {
		if err := l.finish(ctx, &chosen[i]); err != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("interrupted: what was measured is kept; go on with the same flags and -name %s", o.name)
			}
			return fmt.Errorf("%s: %w", chosen[i].Name, err)
		}
	}
	return nil
}

// finish runs a campaign and shows what came out.
func (l *lab) finish(ctx context.Context, c *campaign) error {
	r, err := c.run(ctx, l)
	if err != nil || l.options.plan {
		return err
	}
	c.summary().Show(os.Stdout, r, l.options.disturbed)
	if c.Name == "tools" && l.options.publish != "" {
		return publish(l.options.publish, c, r, l.options.disturbed)
	}
	return nil
}

// commandLine is how this campaign can be repeated.
func (l *lab) commandLine() []string {
	return append([]string{"go", "run", "./bench/generators"}, os.Args[1:]...)
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
