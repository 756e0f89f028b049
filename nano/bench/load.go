//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"dyno.example/dyno/bench/rounds"
)

// connections of all loads that don't say otherwise.
const connections = 64

// closed puts a closed loop on a path, by wrk, and takes what a request cost the
// server. Depth is how many requests are sent at once on each connection.
func closed(path string, connections, depth int) func(context.Context, *trial) error {
	return func(ctx context.Context, t *trial) error {
		command := func(seconds int) []string {
			return []string{"wrk", "-t1", "-c", strconv.Itoa(connections), "-d", fmt.Sprint(seconds, "s"), "-s", "nano/bench/testdata/report.lua", t.up.url(path)}
		}
		env := "PIPELINE=" + strconv.Itoa(depth)
		if _, err := t.lab.generate(ctx, command(1), env); err != nil {
			return fmt.Errorf("warming up: %w", err)
		}
		return t.cost(ctx, command(t.seconds), parseLine, env)
	}
}

// cost runs a generator, whose report parse reads, and takes CPU time per request of
// the server's process while it ran.
func (t *trial) cost(ctx context.Context, command []string, parse func(text string) (outcome, error), env ...string) error {
	t.Command = command
	t.lab.watch.Begin()
	before, begun := rounds.ProcessCPU(t.up.PID()), time.Now()
	g, err := t.lab.generate(ctx, command, env...)
	used, took := rounds.ProcessCPU(t.up.PID())-before, time.Since(begun)
	t.Beside = t.lab.watch.End(g.cpu, used)
	t.Disturbed = t.Beside.Disturbed()
	if err != nil {
		return err
	}
	o, err := parse(g.output)
	if err != nil {
		return err
	}
	t.take(o)
	t.Figures["requests_per_s"] = o.Requests / took.Seconds()
	t.Figures["cpu_us_per_request"] = used.Seconds() * 1e6 / o.Requests
	t.Figures["server_cpus"] = t.Beside.ServerCPU
	if o.Seconds > 0 {
		t.Figures["requests_per_s"] = o.Requests / o.Seconds
		t.Figures["cpu_us_per_request"] = o.CPU / o.Requests
		t.Figures["server_cpus"] = o.CPU / 1e6 / o.Seconds
	}
	return nil
}

// outcome is what a generator says of its run.
type outcome struct {
	Requests float64 `json:"requests"`
	Errors   float64 `json:"errors"`
	CPU      float64 `json:"cpu_us"`  // of the server, if the generator took it
	Seconds  float64 `json:"seconds"` // for which it did
	P50      float64 `json:"p50_us"`
	P99      float64 `json:"p99_us"`
	P999     float64 `json:"p99.9_us"`
}

// take notes an outcome.
func (t *trial) take(o outcome) {
	f := t.Figures
	f["requests"], f["errors"] = o.Requests, o.Errors
	for name, v := range map[string]float64{"p50_us": o.P50, "p99_us": o.P99, "p99.9_us": o.P999} {
		if v > 0 {
			f[name] = v
		}
	}
}

// parseLine reads the line of JSON that report.lua and drive print, behind what
// wrk prints for people. Responses that aren't right spoil the trial.
func parseLine(text string) (outcome, error) {
	at := strings.LastIndex(text, `{"requests"`)
	if at < 0 {
		return outcome{}, fmt.Errorf("the generator reported nothing: %s", rounds.Tail(text))
	}
	var o outcome
	if err := json.NewDecoder(strings.NewReader(text[at:])).Decode(&o); err != nil {
		return o, fmt.Errorf("reading the generator's report: %w", err)
	}
	return o, o.check()
}

// check refuses loads that say nothing.
func (o outcome) check() error {
	switch {
	case o.Requests <= 0:
		return errors.New("no request was answered")
	case o.Errors > o.Requests/1000:
		return fmt.Errorf("%.0f errors in %.0f requests", o.Errors, o.Requests)
	}
	return nil
}

// dynoLoad is the command of an open loop of dyno. Its own calibration is left
// out: it would take longer than the trial.
func (t *trial) dynoLoad(url string, rate float64, connections int, flags ...string) []string {
	args := []string{
		t.lab.dyno, "load", "--json", "--no-calibration", "--cpus", strconv.Itoa(t.lab.options.GeneratorCPU),
		"-R", strconv.FormatFloat(rate, 'f', 0, 64), "-c", strconv.Itoa(connections), "-d", fmt.Sprint(t.seconds, "s"), "-w", "1s",
		"--max-errors", "100%",
	}
	return append(append(args, flags...), url)
}

// parseDyno reads dyno's own report.
func parseDyno(text string) (o outcome, validity string, err error) {
	var d struct {
		Requests   float64            `json:"requests"`
		Shed       float64            `json:"shed"`
		Unfinished float64            `json:"unfinished"`
		Errors     map[string]float64 `json:"errors"`
		Validity   string             `json:"validity"`
		Latency    struct {
			Response map[string]float64 `json:"response"`
		} `json:"latency_us"`
	}
	at := strings.IndexByte(text, '{')
	if at < 0 {
		return o, "", fmt.Errorf("dyno reported nothing: %s", rounds.Tail(text))
	}
	if err := json.NewDecoder(strings.NewReader(text[at:])).Decode(&d); err != nil {
		return o, "", fmt.Errorf("reading dyno's report: %w", err)
	}
	o = outcome{Requests: d.Requests, Errors: d.Shed + d.Unfinished, P50: d.Latency.Response["p50"], P99: d.Latency.Response["p99"], P999: d.Latency.Response["p99.9"]}
	for _, n := range d.Errors {
		o.Errors += n
	}
	if d.Validity == "invalid" {
		return o, d.Validity, errors.New("dyno says that its measurement is invalid")
	}
	return o, d.Validity, o.check()
}

// generated is what a run of a generator left.
type generated struct {
	output string
	cpu    time.Duration
}

// generate runs a generator on its CPU. Its status tells nothing: it may be that
// of its thresholds.
func (l *lab) generate(ctx context.Context, command []string, env ...string) (generated, error) {
	cmd := rounds.Pinned(ctx, l.options.GeneratorCPU, command)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = append(os.Environ(), env...)
	err := cmd.Run()
	g := generated{output: out.String()}
	if cmd.ProcessState != nil {
		g.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		err = nil
	}
	return g, err
}
