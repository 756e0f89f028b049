//go:build linux

package main

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"time"

	"dyno.example/dyno/scripted"
	"dyno.example/nano/wire/clock"
)

// spin is a generator that sends nothing: one thread that looks at the clock
// until the next request would be due. How late it notices is the machine's
// doing, and no generator on this CPU can be better.
func spin(args []string) error {
	flags := flag.NewFlagSet("spin", flag.ExitOnError)
	rate := flags.Float64("rate", 1000, "times a second")
	length := flags.Duration("length", time.Second, "how long")
	flags.Parse(args)
	late := spinFor(*rate, *length)
	slices.Sort(late)
	o := outcome{Requests: float64(len(late)), Lag: latencies(late)}
	return json.NewEncoder(os.Stdout).Encode(o)
}

func spinFor(rate float64, length time.Duration) []int64 {
	n := int(rate * length.Seconds())
	late, gap, start := make([]int64, n), 1e9/rate, clock.Now()
	for k := range late {
		due := start + int64(float64(k)*gap)
		now := clock.Now()
		for now < due {
			now = clock.Now()
		}
		late[k] = now - due
	}
	return late
}

// latencies returns the quantiles of sorted times in ns, in µs.
func latencies(sorted []int64) map[string]float64 {
	named := make(map[string]float64)
	for _, q := range quantiles {
		named[q.name] = float64(scripted.Percentile(sorted, q.at)) / 1e3
	}
	named["max"] = float64(scripted.Percentile(sorted, 100)) / 1e3
	return named
}

// spinTool runs spin as if it were a load generator.
func spinTool(self string) tool {
	return tool{Name: "bare thread", Program: self, Parse: parseSpin, Open: func(j job) []string {
		return []string{self, "spin", "-rate", j.rate(), "-length", j.seconds()}
	}}
}
