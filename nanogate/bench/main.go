//go:build linux

// Command gateways compares nanogate with its peers, on this machine: what a proxied
// request costs the gateway, in front of the lab's null server, alone and with what
// gateways do besides, and how long it takes at half of a gateway's capacity; what a call
// over gRPC costs, one that is made of JSON, and a hit of the cache; and what mirroring
// does to the first responses. HAProxy, nginx, Envoy, Caddy and Traefik are those in PATH,
// a gateway made with grpc-gateway is built from testdata; who is missing is said and left
// out.
//
//	go run ./nanogate/bench -what all -plan       # what it would do, and how long it takes
//	go run ./nanogate/bench -what all -name today # again to continue
//	go run ./nanogate/bench -what builds -other FILE   # before and after a change; not among all
//	go run ./nanogate/bench -show nanogate/bench/gateways/results/NAME-plain64.json.gz
//
// The gateway has a CPU, generator and null server have the other one, and nothing else
// must run: what else did is noted with every trial. Rounds are interleaved in random
// order, and every trial is in the record.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/nullserver"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gateways:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 2 {
		switch args[0] {
		case "null":
			return null(args[1])
		case "calls":
			return calls(args[1])
		case "service":
			return service(args[1])
		case "origin":
			return origin(args[1])
		case "nano":
			return plain(args[1])
		}
	}
	var o rounds.Options
	var offers []rounds.Offer
	for _, c := range campaigns() {
		offers = append(offers, rounds.Offer{Name: c.name, Aside: c.name == buildsName, Summary: c.summary()})
	}
	flags := flag.NewFlagSet("gateways", flag.ExitOnError)
	o.Register(flags, "all", "nanogate/bench/results", "do nothing", offers)
	otherBuild := flags.String("other", "", "another build of nanogate, which takes part in the campaign builds")
	flags.Parse(args)
	if o.Show != "" {
		return o.ShowFile(os.Stdout, offers)
	}
	indices, err := o.Choose(offers)
	if err != nil {
		return err
	}
	if o.Rounds < 1 || o.Seconds < 0 {
		return errors.New("-rounds must be at least 1, -seconds not negative")
	}
	if o.Plan {
		plan(&o, indices)
		return nil
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return measure(ctx, o, indices, *otherBuild)
}

// plan says what would be done.
func plan(o *rounds.Options, indices []int) {
	var total time.Duration
	for _, i := range indices {
		c := campaigns()[i]
		took := time.Duration(o.Rounds*len(c.gateways)) * (time.Duration(o.Length(c.seconds))*time.Second + around)
		total += took
		fmt.Printf("%-10s %3d trials, about %v: %s\n", c.name, o.Rounds*len(c.gateways), took.Round(time.Second), c.question)
	}
	fmt.Printf("all together about %v\n", total.Round(time.Second))
}

func measure(ctx context.Context, o rounds.Options, indices []int, otherBuild string) error {
	l, err := openLab(ctx, o)
	if err != nil {
		return err
	}
	defer l.close()
	for _, i := range indices {
		if err := l.useOther(otherBuild, campaigns()[i].name == buildsName); err != nil {
			return err
		}
		c := campaigns()[i]
		r, err := l.run(ctx, &c)
		if ctx.Err() != nil {
			return o.Interrupted()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		c.summary().Show(os.Stdout, r, o.Disturbed)
	}
	return nil
}

// null is this program as the upstream.
func null(address string) error {
	s, err := nullserver.Listen(address)
	if err != nil {
		return err
	}
	return serve(s)
}

// serve answers until this program is asked to end.
func serve(s *nullserver.Server) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return s.Serve(ctx)
}
