//go:build linux

package main

import (
	"crypto/tls"
	"flag"

	"dyno.example/dyno/bench/rounds"
)

// drive is this program as a load generator, for loads that others have no way to
// put on a server. It prints what report.lua prints.
func drive(args []string) error {
	flags := flag.NewFlagSet("drive", flag.ExitOnError)
	url := flags.String("url", "", "what to get")
	certificate := flags.String("certificate", "", "PEM file of the server's certificate")
	seconds := flags.Int("seconds", 1, "how long")
	what := flags.String("what", "sse", "sse, ws or connect")
	open := flags.Int("connections", 1, "how many")
	pid := flags.Int("pid", 0, "of the server")
	flags.Parse(args)
	trusted, err := rounds.Trust(*certificate)
	if err != nil {
		return err
	}
	return driveEveryday(*what, *url, &tls.Config{RootCAs: trusted}, *open, *seconds, *pid)
}
