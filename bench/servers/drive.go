//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Streams of the load over HTTP/2.
const (
	h2Connections = 2
	h2Streams     = 64 // on each connection
)

// streams puts a closed loop over HTTP/2 on the plaintext, by this program: what
// it costs itself is not what is measured.
func streams(ctx context.Context, t *trial) error {
	command := func(seconds int) []string {
		return []string{t.lab.self, "drive", "-url", t.up.url("/plaintext"), "-certificate", t.lab.certificate, "-seconds", fmt.Sprint(seconds)}
	}
	if _, err := t.lab.generate(ctx, command(1)); err != nil {
		return fmt.Errorf("warming up: %w", err)
	}
	return t.cost(ctx, command(t.seconds), "GOMAXPROCS=1")
}

// tally is what the streams came to.
type tally struct {
	requests, errors atomic.Int64
}

// drive is this program as a load generator for HTTP/2. It prints what
// report.lua prints.
func drive(args []string) error {
	flags := flag.NewFlagSet("drive", flag.ExitOnError)
	url := flags.String("url", "", "what to get")
	certificate := flags.String("certificate", "", "PEM file of the server's certificate")
	seconds := flags.Int("seconds", 1, "how long")
	what := flags.String("what", "h2", "h2, sse, ws or connect")
	open := flags.Int("connections", 1, "of the loads sse, ws and connect")
	pid := flags.Int("pid", 0, "of the server, for the loads sse, ws and connect")
	flags.Parse(args)
	trusted, err := trust(*certificate)
	if err != nil {
		return err
	}
	if *what != "h2" {
		return driveEveryday(*what, *url, &tls.Config{RootCAs: trusted}, *open, *seconds, *pid)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(*seconds)*time.Second)
	defer cancel()
	var sum tally
	var all sync.WaitGroup
	for range h2Connections {
		client := h2Client(trusted)
		for range h2Streams {
			all.Go(func() { sum.loop(ctx, client, *url) })
		}
	}
	all.Wait()
	fmt.Printf("{\"requests\": %d, \"errors\": %d}\n", sum.requests.Load(), sum.errors.Load())
	return nil
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

// h2Client is a client with a connection of its own.
func h2Client(trusted *x509.CertPool) *http.Client {
	return &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: trusted}}}
}

// loop sends one request after the other until ctx ends; those that the end cuts
// off don't count.
func (s *tally) loop(ctx context.Context, client *http.Client, url string) {
	for ctx.Err() == nil {
		err := get(ctx, client, url)
		switch {
		case err == nil:
			s.requests.Add(1)
		case ctx.Err() == nil:
			s.errors.Add(1)
		}
	}
}

func get(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.ProtoMajor != 2 || answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s", answer.Proto, answer.Status)
	}
	return nil
}
