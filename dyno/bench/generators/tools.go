//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/published"
)

// The claim that campaign tools decides, and where its result goes.
const (
	toolsClaim     = "wrk drives the most, then hey, then ab"
	defaultPublish = "dyno/docs/results/fiber-tools"
)

// Servers of the rounds.
const (
	plainLevel = "1. net/http"
	stallLevel = "2. net/http, frozen 1 s in 5"
	nullLevel  = "3. null server"
)

// toolsCampaign drives three servers with every tool at its ease: closed loops,
// as these tools are used for such comparisons.
func toolsCampaign() campaign {
	return campaign{
		Name: "tools", Seconds: 10,
		Question: "Do wrk, hey and ab agree on one server, and which of them is the bottleneck? (fiber-tools)",
		Arms: func(_ context.Context, l *lab, r *rounds.Record) ([]arm, error) {
			var arms []arm
			add := func(level string, server serverSpec, more ...tool) {
				tools := append(l.dynos(), wrk(), ab("ab -k", "-k"), hey(), oha(), vegeta(), k6(), bombardier(), fortio())
				arms = append(arms, armsOf(append(tools, more...), level, l.closedJob(r), server)...)
			}
			add(plainLevel, serverSpec{Kind: "nethttp"}, ab("ab"))
			add(stallLevel, serverSpec{Kind: "nethttp", Script: "delay=0s,freeze=1s,every=5s"}, ab("ab"))
			add(nullLevel, serverSpec{Kind: "null"}) // always keeps connections: ab must ask for it
			return arms, nil
		},
		Show: rounds.Summary{
			Columns: []rounds.Column{
				rounds.Shown("requests_per_s", "requests/s", 4), rounds.Shown("cpu_us_per_request", "CPU µs/request", 3), rounds.Shown("server_cpus", "server's CPU", 2),
				rounds.Shown("p50_us", "p50 µs", 3), rounds.Shown("p99_us", "p99 µs", 3), rounds.Shown("p99.9_us", "p99.9 µs", 3), rounds.Shown("errors", "errors", 3),
			},
			More: showVerdict,
		},
	}
}

// publish writes the record, its summary and the verdict where the docs point to.
func publish(dir string, r *rounds.Record, disturbed bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	data, err := os.ReadFile(r.Path)
	if err != nil {
		return err
	}
	if err := writeCompressed(filepath.Join(dir, dataFile), data); err != nil {
		return err
	}
	return writeVerdicts(dir, r, disturbed)
}

// dataFile has all trials of a published campaign.
const dataFile = "data.json.gz"

// decideAgain writes report and verdict again from the data that a folder has, such as
// by a rule that has changed since.
func decideAgain(dir string) error {
	r, err := rounds.ReadRecord(filepath.Join(dir, dataFile))
	if err != nil {
		return err
	}
	if r.What != toolsCampaign().Name {
		return fmt.Errorf("%s is a record of %q, of which no verdict is published", r.Path, r.What)
	}
	return writeVerdicts(dir, r, false)
}

// writeVerdicts writes what follows from the data of a folder.
func writeVerdicts(dir string, r *rounds.Record, disturbed bool) error {
	var report bytes.Buffer
	fmt.Fprintln(&report, "<!-- written by go run ./dyno/bench/generators -what tools; do not edit -->")
	c := toolsCampaign()
	c.summary().Show(&report, r, disturbed)
	verdicts, err := toolsRecord(r, disturbed).Encode()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, published.FileName), verdicts, 0o644); err != nil {
		return err
	}
	fmt.Println("\npublished in", dir)
	return os.WriteFile(filepath.Join(dir, "report.md"), report.Bytes(), 0o644)
}

// writeCompressed writes a file as gzip does: what is kept with the source is small.
func writeCompressed(path string, data []byte) error {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}
