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
	"syscall"

	"dyno.example/dyno/bench/rounds"
)

// options are the command line's.
type options struct {
	*rounds.Options
	peerRounds, connections       int
	engine, dyno, publish, decide string
	install                       bool
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
	l := &lab{}
	p := &rounds.Program{
		Folder: "dyno/bench/generators", Usual: "cpu", Planned: "measure nothing but capacities", First: "dyno",
		Flags: l.options.register, Lab: &l.Lab, Prepare: l.prepare, PlansMeasured: true, Campaigns: l.campaigns(), Finished: l.publish,
	}
	l.options.Options = &p.Options
	p.Parse(args)
	if l.Dyno = l.options.dyno; l.options.connections < 1 {
		return errors.New("-connections must be at least 1")
	}
	for i := range p.Campaigns {
		p.Campaigns[i].Connections = l.options.connections
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch o := &l.options; {
	case o.decide != "":
		return decideAgain(o.decide)
	case o.install:
		return installPeers(ctx)
	}
	return p.Run(ctx)
}

// register adds the flags that only this program has.
func (o *options) register(flags *flag.FlagSet) {
	flags.IntVar(&o.peerRounds, "peer-rounds", 3, "rounds in which peers take part where only their mistakes are shown (truth, frozen)")
	flags.IntVar(&o.connections, "connections", 64, "simultaneous connections")
	flags.StringVar(&o.dyno, "dyno", "", "dyno program to measure; empty builds the one of this source")
	flags.StringVar(&o.publish, "publish", defaultPublish, "folder for data and report of a finished campaign tools; empty for none")
	flags.StringVar(&o.decide, "decide", "", "folder of published data whose report and verdicts are rewritten; nothing is measured")
	flags.BoolVar(&o.install, "install", false, "install the peers that come as packages, and measure nothing")
	flags.StringVar(&o.engine, "engine", "", "dyno's engines to compare, such as epoll,uring; empty lets dyno choose")
}

// publish publishes the record of the campaign tools, if asked to.
func (l *lab) publish(c *rounds.Campaign, r *rounds.Record) error {
	if c.Name != "tools" || l.options.publish == "" {
		return nil
	}
	return publish(l.options.publish, r, l.options.Disturbed)
}
