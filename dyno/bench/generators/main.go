//go:build linux

// Command generators compares dyno's load generator with its peers, on this
// machine: what a request costs, how punctual it is, and whether what it reports
// is true.
//
//	go run ./dyno/bench/generators -install                    # peers, from packages
//	go run ./dyno/bench/generators -what all -name today       # everything; again to continue
//	go run ./dyno/bench/generators -what cpu,tls -rounds 9
//	go run ./dyno/bench/generators -show dyno/bench/generators/results/2026-11-21-cpu.json.gz
//	go run ./dyno/bench/generators -decide dyno/docs/results/fiber-tools   # by today's rule, from the data published there
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

	"dyno.example/dyno/bench/rounds"
)

// options are the command line's.
type options struct {
	rounds.Options
	peerRounds, connections int
	engines                 []string
	dyno, publish, decide   string
	install                 bool
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
	case o.Show != "":
		return o.ShowFile(os.Stdout, offers())
	case o.decide != "":
		return decideAgain(o.decide)
	case o.install:
		return installPeers(ctx)
	}
	return measureAll(ctx, o)
}

func parseOptions(args []string) options {
	var o options
	flags := flag.NewFlagSet("generators", flag.ExitOnError)
	o.Register(flags, "cpu", "dyno/bench/generators/results", "measure nothing but capacities", offers())
	flags.IntVar(&o.peerRounds, "peer-rounds", 3, "rounds in which peers take part where only their mistakes are shown (truth, frozen)")
	flags.IntVar(&o.connections, "connections", 64, "simultaneous connections")
	flags.StringVar(&o.dyno, "dyno", "", "dyno program to measure; empty builds the one of this source")
	flags.StringVar(&o.publish, "publish", defaultPublish, "folder for data and report of a finished campaign tools; empty for none")
	flags.StringVar(&o.decide, "decide", "", "folder of published data whose report and verdicts are written anew; nothing is measured")
	flags.BoolVar(&o.install, "install", false, "install the peers that come as packages, and measure nothing")
	engines := flags.String("engine", "", "dyno's engines to compare, such as epoll,uring; empty lets dyno choose")
	flags.Parse(args)
	if *engines != "" {
		o.engines = strings.Split(*engines, ",")
	}
	return o
}

// offers are the campaigns as the command line knows them.
func offers() []rounds.Offer {
	var all []rounds.Offer
	for _, c := range campaigns() {
		all = append(all, rounds.Offer{Name: c.Name, Summary: c.summary()})
	}
	return all
}

func measureAll(ctx context.Context, o options) error {
	chosen, err := o.Choose(offers())
	if err != nil {
		return err
	}
	if o.Rounds < 1 || o.connections < 1 || o.Seconds < 0 {
		return errors.New("-rounds and -connections must be at least 1, -seconds not negative")
	}
	l, err := openLab(ctx, o)
	if err != nil {
		return err
	}
	defer l.close()
	all := campaigns()
	for _, i := range chosen {
		if err := l.finish(ctx, &all[i]); err != nil {
			if ctx.Err() != nil {
				return o.Interrupted()
			}
			return fmt.Errorf("%s: %w", all[i].Name, err)
		}
	}
	return nil
}

// finish runs a campaign and shows what came out.
func (l *lab) finish(ctx context.Context, c *campaign) error {
	r, err := c.run(ctx, l)
	if err != nil || l.options.Plan {
		return err
	}
	c.summary().Show(os.Stdout, r, l.options.Disturbed)
	if c.Name == "tools" && l.options.publish != "" {
		return publish(l.options.publish, c, r, l.options.Disturbed)
	}
	return nil
}

// commandLine is how this campaign can be repeated.
func (l *lab) commandLine() []string {
	return append([]string{"go", "run", "./dyno/bench/generators"}, os.Args[1:]...)
}
