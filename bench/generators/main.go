//go:build linux

// Command generators compares the CPU time that load generators take for one
// request, on this machine, against one null server.
//
// Rounds are interleaved and their order is random; CPU time is that of the
// whole process, start and end included. Generator and server have a CPU each.
// The record of every round is written as JSON beside the summary.
//
//	go run ./bench/generators -rounds 9 -seconds 4
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"dyno/lab/machine"
	"dyno/lab/nullserver"
	"dyno/lab/stats"
)

// generator is a tool with the arguments that make it do the same work.
type generator struct {
	Name    string
	Command func(url string, seconds, connections int) []string
	Count   *regexp.Regexp // its first group is the number of requests done
}

// round is one generator's share of one round.
type round struct {
	Round      int     `json:"round"`
	Generator  string  `json:"generator"`
	Requests   float64 `json:"requests"`
	CPU        float64 `json:"cpu_s"`
	PerRequest float64 `json:"cpu_us_per_request"`
	Rate       float64 `json:"requests_per_s"`
}

// record is what is archived.
type record struct {
	Started     time.Time           `json:"started"`
	Command     []string            `json:"command"`
	Machine     machine.Fingerprint `json:"machine"`
	Connections int                 `json:"connections"`
	Seconds     int                 `json:"seconds"`
	Versions    map[string]string   `json:"versions"`
	Rounds      []round             `json:"rounds"`
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "serve" {
		if err := serve(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	rounds := flag.Int("rounds", 9, "interleaved rounds")
	seconds := flag.Int("seconds", 4, "length of each measurement")
	connections := flag.Int("connections", 64, "simultaneous connections")
	out := flag.String("out", "bench/generators/results", "folder for the record")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := compare(ctx, *rounds, *seconds, *connections, *out); err != nil {
		fmt.Fprintln(os.Stderr, "generators:", err)
		os.Exit(1)
	}
}

func serve(address string) error {
	s, err := nullserver.Listen(address)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	return s.Serve(ctx)
}

func compare(ctx context.Context, rounds, seconds, connections int, out string) error {
	dir, err := os.MkdirTemp("", "generators-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	dyno := filepath.Join(dir, "dyno")
	if output, err := exec.CommandContext(ctx, "go", "build", "-o", dyno, "./cmd/dyno").CombinedOutput(); err != nil {
		return fmt.Errorf("building dyno: %w\n%s", err, output)
	}
	url, stop, err := startServer(ctx)
	if err != nil {
		return err
	}
	defer stop()
	r := record{Started: time.Now(), Command: os.Args, Machine: machine.Read(), Connections: connections, Seconds: seconds, Versions: versions()}
	tools := installed(dyno)
	for i := range rounds {
		for _, k := range rand.Perm(len(tools)) {
			one, err := measure(ctx, tools[k], url, seconds, connections)
			if err != nil {
				return err
			}
			one.Round = i
			fmt.Printf("round %d  %-6s %7.2f µs/request  %9.0f requests/s\n", i+1, one.Generator, one.PerRequest, one.Rate)
			r.Rounds = append(r.Rounds, one)
		}
	}
	summarise(&r, tools)
	return write(&r, out)
}

// startServer runs this program as the null server, on the last CPU.
func startServer(ctx context.Context) (url string, stop func(), err error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address := ln.Addr().String()
	ln.Close()
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, "taskset", "-c", "1", self, "serve", address)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { cmd.Process.Signal(syscall.SIGTERM); cmd.Wait() }
	for range 100 {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return "http://" + address + "/plaintext", stop, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	stop()
	return "", nil, fmt.Errorf("the null server did not come up on %s", address)
}

// installed lists dyno and the peers that this machine has.
func installed(dyno string) []generator {
	all := []generator{
		{"dyno", func(url string, s, c int) []string {
			return []string{dyno, "load", "--json", "-d", fmt.Sprint(s, "s"), "-c", strconv.Itoa(c), "--max-errors", "100%", url}
		}, regexp.MustCompile(`"requests": (\d+)`)},
		{"wrk", func(url string, s, c int) []string {
			return []string{"wrk", "-t1", "-c", strconv.Itoa(c), "-d", strconv.Itoa(s), url}
		}, regexp.MustCompile(`(\d+) requests in`)},
		{"hey", func(url string, s, c int) []string {
			return []string{"hey", "-cpus", "1", "-c", strconv.Itoa(c), "-z", fmt.Sprint(s, "s"), url}
		}, regexp.MustCompile(`\[200\]\s+(\d+) responses`)},
		{"ab", func(url string, s, c int) []string {
			return []string{"ab", "-k", "-q", "-c", strconv.Itoa(c), "-t", strconv.Itoa(s), "-n", "10000000", url}
		}, regexp.MustCompile(`Complete requests:\s+(\d+)`)},
	}
	var have []generator
	for _, g := range all {
		if _, err := exec.LookPath(g.Command("", 1, 1)[0]); err == nil {
			have = append(have, g)
		} else {
			fmt.Printf("%s is not installed: left out\n", g.Name)
		}
	}
	return have
}

// measure runs one generator on the first CPU and reads its CPU time.
func measure(ctx context.Context, g generator, url string, seconds, connections int) (round, error) {
	args := append([]string{"-c", "0"}, g.Command(url, seconds, connections)...)
	ctx, cancel := context.WithTimeout(ctx, time.Duration(seconds+30)*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "taskset", args...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return round{}, fmt.Errorf("%s: %w\n%s", g.Name, err, output.String())
	}
	m := g.Count.FindSubmatch(output.Bytes())
	if m == nil {
		return round{}, fmt.Errorf("%s printed no number of requests:\n%s", g.Name, output.String())
	}
	requests, _ := strconv.ParseFloat(string(m[1]), 64)
	cpu := (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return round{Generator: g.Name, Requests: requests, CPU: cpu, PerRequest: cpu * 1e6 / requests, Rate: requests / float64(seconds)}, nil
}

func summarise(r *record, tools []generator) {
	per := make(map[string][]float64)
	for _, one := range r.Rounds {
		per[one.Generator] = append(per[one.Generator], one.PerRequest)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "\ngenerator\tCPU µs/request (median)\t95 % interval\tratio to wrk\t95 % interval")
	for _, g := range tools {
		median := stats.Median(per[g.Name], 0.95)
		fmt.Fprintf(w, "%s\t%.2f\t%.2f–%.2f", g.Name, median.Estimate, median.Low, median.High)
		if len(per["wrk"]) > 0 {
			ratio := stats.Ratio(per[g.Name], per["wrk"], 0.95)
			fmt.Fprintf(w, "\t%.3f\t%.3f–%.3f", ratio.Estimate, ratio.Low, ratio.High)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

func versions() map[string]string {
	found := make(map[string]string)
	for _, ask := range [][]string{{"wrk", "-v"}, {"ab", "-V"}, {"hey", "-h"}} {
		if output, _ := exec.Command(ask[0], ask[1:]...).CombinedOutput(); len(output) > 0 {
			found[ask[0]], _, _ = strings.Cut(string(output), "\n")
		}
	}
	return found
}

func write(r *record, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	document, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, r.Started.UTC().Format("20060102-150405")+".json")
	if err := os.WriteFile(path, append(document, '\n'), 0o644); err != nil {
		return err
	}
	fmt.Println("\nrecord", path)
	return nil
}
