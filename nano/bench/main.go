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
	"flag"
	"fmt"
	"os"

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
	l := &lab{programs: make(map[string]program)}
	p := &rounds.Program{
		Folder: "nano/bench", Usual: "plaintext", Planned: "do nothing", First: nanoName, Lab: &l.Lab, Prepare: l.prepare, Campaigns: l.campaigns(),
		Flags: func(flags *flag.FlagSet) {
			flags.StringVar(&l.other, "other", "", "another build of this program, whose nano takes part in the campaign builds")
		},
	}
	return p.Main(args)
}
