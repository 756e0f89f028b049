//go:build linux

package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"os"
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
	trusted, err := trust(*certificate)
	if err != nil {
		return err
	}
	return driveEveryday(*what, *url, &tls.Config{RootCAs: trusted}, *open, *seconds, *pid)
}

// trust reads the certificates that a client takes for good.
func trust(certificate string) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	text, err := os.ReadFile(certificate)
	if err != nil || !pool.AppendCertsFromPEM(text) {
		return nil, errors.Join(fmt.Errorf("the certificate %q can't be used", certificate), err)
	}
	return pool, nil
}
