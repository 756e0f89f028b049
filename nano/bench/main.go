//go:build linux

// Command servers compares nano with its peers, on this machine: what a request
// costs the process that serves it, how long the tail is at half its capacity,
// what a blocked handler does to the others, and what a connection takes.
//
//	go run ./nano/bench -what all -plan            # what it would do, and how long it takes
//	go run ./nano/bench -what all -name today      # everything; again to continue
//	go run ./nano/bench -what plaintext,routes -rounds 9
//	go run ./nano/bench -what files,post,sse,ws,tls-connect -rounds 7   # not among all
//	go run ./nano/bench -what h2 -rounds 7             # HTTP/2, by h2load, beside nghttpd and h2o; not among all
//	go run ./nano/bench -what grpc -rounds 7           # gRPC, by h2load, beside grpc-go, connect-go and tonic; not among all
//	go run ./nano/bench -what memory-h2 -rounds 7      # 10,000 idle connections of HTTP/2; not among all
//	go run ./nano/bench -what slow-readers -rounds 7   # not among all
//	go run ./nano/bench -what builds -other FILE   # before and after a change; not among all
//	go run ./nano/bench -what ways                 # what io_uring could save; not among all
//	go run ./nano/bench -show nano/bench/results/2026-11-21-2111-plaintext.json.gz
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
	"syscall"
	"time"

	"dyno.example/dyno/bench/rounds"
)

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
	o, other := parseOptions(args)
	if o.Show != "" {
		return o.ShowFile(os.Stdout, offers())
	}
	chosen, err := chosen(&o)
	if err != nil {
		return err
	}
	if o.Rounds < 1 || o.Seconds < 0 {
		return errors.New("-rounds must be at least 1, -seconds not negative")
	}
	if o.Plan {
		return plan(&o, chosen)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if other == "" && slices.ContainsFunc(chosen, func(c campaign) bool { return c.Name == buildsName }) {
		return errors.New("-what builds needs -other FILE: another build of this program (go build -o FILE ./nano/bench, from another commit)")
	}
	return measureAll(ctx, o, other, chosen)
}

func parseOptions(args []string) (o rounds.Options, other string) {
	flags := flag.NewFlagSet("servers", flag.ExitOnError)
	o.Register(flags, "plaintext", "nano/bench/results", "do nothing", offers())
	flags.StringVar(&other, "other", "", "another build of this program, whose nano takes part in the campaign builds")
	flags.Parse(args)
	return o, other
}

// offers are the campaigns as the command line knows them.
func offers() []rounds.Offer {
	var all []rounds.Offer
	for _, c := range campaigns() {
		all = append(all, rounds.Offer{Name: c.Name, Aside: c.Aside, Summary: c.summary()})
	}
	return all
}

// chosen returns the campaigns named by -what, in the order of campaigns.
func chosen(o *rounds.Options) (found []campaign, err error) {
	indices, err := o.Choose(offers())
	all := campaigns()
	for _, i := range indices {
		found = append(found, all[i])
	}
	return found, err
}

// plan says what would be done.
func plan(o *rounds.Options, chosen []campaign) error {
	var total time.Duration
	for i := range chosen {
		c := &chosen[i]
		trials := len(c.Arms) * o.Rounds
		took := c.duration(o, trials)
		total += took
		fmt.Printf("%-14s %4d trials, about %v: %s\n", c.Name, trials, took.Round(time.Second), c.Question)
		for _, a := range c.Arms {
			fmt.Printf("    %-14s %s\n", a.Server, a.Level)
		}
	}
	fmt.Printf("all together about %v, and some minutes for builds the first time\n", total.Round(time.Second))
	return nil
}

func measureAll(ctx context.Context, o rounds.Options, other string, chosen []campaign) error {
	l, err := openLab(ctx, o, other)
	if err != nil {
		return err
	}
	defer l.close()
	for i := range chosen {
		c := &chosen[i]
		r, err := l.run(ctx, c)
		if ctx.Err() != nil {
			return o.Interrupted()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		c.summary().Show(os.Stdout, r, o.Disturbed)
	}
	return nil
}
