//go:build linux

// Command gateways compares nanogate with its peers, on this machine: what a proxied
// request costs the gateway, in front of the lab's null server, plainly and with what
// gateways usually do, and how long it takes at half of a gateway's capacity; what a call
// over gRPC costs, one that is made of JSON, and a hit of the cache; and what mirroring
// does to the first responses. HAProxy, nginx, Envoy, Caddy and Traefik are those in PATH,
// a gateway made with grpc-gateway is built from testdata; what is missing is reported and left
// out.
//
//	go run ./nanogate/bench -what all -plan       # what it would do, and how long it takes
//	go run ./nanogate/bench -what all -name today # again to continue
//	go run ./nanogate/bench -what builds -other FILE   # before and after a change; not among all
//	go run ./nanogate/bench -show nanogate/bench/results/NAME-plain64.json.gz
//
// The gateway has a CPU, generator and null server have the other one, and nothing else
// must run: what else did is noted with every trial. Rounds are interleaved in random
// order, and every trial is in the record.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"dyno.example/dyno/bench/closedloop"
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
		case "echo":
			return echo(args[1])
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
	l := &lab{}
	p := &rounds.Program{
		Folder: "nanogate/bench", Usual: "all", Planned: "do nothing", First: nanogate, Lab: &l.Lab, Prepare: l.prepare, Campaigns: l.campaigns(),
		Flags: func(flags *flag.FlagSet) {
			flags.StringVar(&l.other, "other", "", "another build of nanogate, which takes part in the campaign builds")
		},
	}
	return p.Main(args)
}

// null is this program as the upstream.
func null(address string) error {
	s, err := nullserver.Listen(address)
	if err != nil {
		return err
	}
	return serve(s)
}

// echo is this program as the upstream of WebSockets.
func echo(address string) error {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return closedloop.ServeEcho(ln)
}

// serve runs until this program is asked to end.
func serve(s *nullserver.Server) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return s.Serve(ctx)
}
