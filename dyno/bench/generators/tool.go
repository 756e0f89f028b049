//go:build linux

package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dyno.example/dyno/bench/rounds"
)

// job is one piece of work for a load generator.
type job struct {
	URL         string
	Seconds     int
	Connections int
	Rate        float64  // requests per second, uniform; 0 is a closed loop
	Fresh       bool     // a new connection for every request
	Streams     int      // over HTTP/2, requests under way on each connection; 0: HTTP/1.1
	Extra       []string // dyno only: more flags
	Dir         string   // for the tool's own files
}

func (j job) seconds() string     { return fmt.Sprint(j.Seconds, "s") }
func (j job) connections() string { return strconv.Itoa(j.Connections) }
func (j job) rate() string        { return strconv.FormatFloat(j.Rate, 'f', -1, 64) }

// tool is a load generator: how it is told to do a job, and how its report is
// read. A nil command means that it can't do that kind of job.
type tool struct {
	Name    string
	Program string // found in PATH or in the folder of installed peers
	Version []string
	Closed  func(j job) []string
	Fresh   func(j job) []string
	Open    func(j job) []string
	// Multiplexed is a closed loop over HTTP/2.
	Multiplexed func(j job) []string
	// Report is run after the load, where the report is a program of its own.
	// Its output, or that of the load, or the file named, is what Parse reads.
	Report func(j job) []string
	File   func(j job) string
	Parse  func(text string) (outcome, error)
	// Lead is how many seconds it runs before it begins to record latency.
	Lead int
}

// command gives the arguments for a job; ok is false if the tool can't do it.
func (t *tool) command(j job) (args []string, ok bool) {
	make := t.Closed
	switch {
	case j.Streams > 0:
		make = t.Multiplexed
	case j.Fresh:
		make = t.Fresh
	case j.Rate > 0:
		make = t.Open
	}
	if make == nil {
		return nil, false
	}
	return make(j), true
}

// dynoTool is the dyno under test, with flags that every job of it gets.
func dynoTool(name, program string, flags ...string) tool {
	run := func(j job) []string {
		args := []string{program, "load", "--json", "-d", j.seconds(), "-c", j.connections(), "--max-errors", "100%"}
		if j.Rate > 0 {
			args = append(args, "-R", j.rate(), "--arrivals", "uniform")
		}
		if j.Fresh {
			args = append(args, "--reuse", "none")
		}
		if j.Streams > 0 {
			args = append(args, "--http2", "--streams", strconv.Itoa(j.Streams))
		}
		return append(slices.Concat(args, flags, j.Extra), j.URL)
	}
	return tool{Name: name, Program: program, Version: []string{"--version"}, Closed: run, Fresh: run, Open: run, Multiplexed: run, Parse: parseDyno}
}

// h2load is nghttp2's, with one thread. It has no histograms.
func h2load() tool {
	run := func(j job) []string {
		return []string{"h2load", "-t1", "-c", j.connections(), "-m", strconv.Itoa(j.Streams), "-D", strconv.Itoa(j.Seconds), j.URL}
	}
	return tool{Name: "h2load", Program: "h2load", Version: []string{"--version"}, Multiplexed: run, Parse: parseH2load}
}

func wrk() tool {
	closed := func(j job) []string {
		return []string{"wrk", "-t1", "-c", j.connections(), "-d", j.seconds(), "--latency", j.URL}
	}
	fresh := func(j job) []string { return append([]string{"wrk", "-H", "Connection: close"}, closed(j)[1:]...) }
	return tool{Name: "wrk", Program: "wrk", Version: []string{"-v"}, Closed: closed, Fresh: fresh, Parse: parseWrk}
}

// wrk2 has no closed loop; asked for more than it can do, it does what it can.
func wrk2() tool {
	const lead = 10
	open := func(j job) []string {
		return []string{"wrk2", "-t1", "-c", j.connections(), "-d", fmt.Sprint(j.Seconds+lead, "s"), "-R", j.rate(), "--latency", j.URL}
	}
	return tool{Name: "wrk2", Program: "wrk2", Version: []string{"-v"}, Open: open, Parse: parseWrk, Lead: lead}
}

func zrk() tool {
	open := func(j job) []string {
		return []string{"zrk", "-t1", "-c", j.connections(), "-d", j.seconds(), "-R", j.rate(), "--plain", "--format", "json", "-o", j.Dir + "/zrk.json", j.URL}
	}
	return tool{Name: "zrk", Program: "zrk", Version: []string{"--version"}, Open: open,
		File: func(j job) string { return j.Dir + "/zrk.json" }, Parse: parseZrk}
}

func oha() tool {
	common := func(j job, more ...string) []string {
		args := []string{"oha", "--no-tui", "--output-format", "json", "--insecure", "--worker-threads", "1", "-c", j.connections(), "-z", j.seconds()}
		return append(append(args, more...), j.URL)
	}
	return tool{Name: "oha", Program: "oha", Version: []string{"--version"}, Parse: parseOha,
		Closed: func(j job) []string { return common(j) },
		Fresh:  func(j job) []string { return common(j, "--disable-keepalive") },
		Open:   func(j job) []string { return common(j, "-q", j.rate(), "--latency-correction") }}
}

func vegeta() tool {
	attack := func(j job, more ...string) []string {
		args := []string{"vegeta", "attack", "-targets", j.Dir + "/targets", "-output", j.Dir + "/vegeta.bin", "-insecure",
			"-duration", j.seconds(), "-connections", j.connections(), "-workers", j.connections()}
		return append(args, more...)
	}
	return tool{Name: "vegeta", Program: "vegeta", Version: []string{"-version"}, Parse: parseVegeta,
		Closed: func(j job) []string { return attack(j, "-rate", "0", "-max-workers", j.connections()) },
		Open:   func(j job) []string { return attack(j, "-rate", j.rate()+"/1s") },
		Report: func(j job) []string { return []string{"vegeta", "report", "-type", "hdrplot", j.Dir + "/vegeta.bin"} }}
}

func k6() tool {
	run := func(j job) []string {
		return []string{"k6", "run", "-q", "--no-usage-report", "--insecure-skip-tls-verify", "--summary-export", j.Dir + "/k6.json",
			"-e", "TARGET=" + j.URL, "-e", "RATE=" + j.rate(), "-e", "USERS=" + j.connections(), "-e", "LENGTH=" + j.seconds(), j.Dir + "/k6.js"}
	}
	return tool{Name: "k6", Program: "k6", Version: []string{"version"}, Closed: run, Open: run,
		File: func(j job) string { return j.Dir + "/k6.json" }, Parse: parseK6}
}

// k6Script does a closed loop when RATE is 0, else arrivals at a constant rate.
const k6Script = `import http from 'k6/http';
const users = Number(__ENV.USERS), rate = Number(__ENV.RATE);
const closed = { executor: 'constant-vus', vus: users, duration: __ENV.LENGTH };
const open = { executor: 'constant-arrival-rate', rate: rate, timeUnit: '1s', duration: __ENV.LENGTH,
  preAllocatedVUs: users, maxVUs: users };
export const options = {
  scenarios: { load: rate > 0 ? open : closed },
  summaryTrendStats: ['p(50)', 'p(90)', 'p(99)', 'p(99.9)', 'p(99.99)', 'max'],
  discardResponseBodies: true,
};
export default function () { http.get(__ENV.TARGET); }
`

func ab(name string, flags ...string) tool {
	run := func(j job) []string {
		args := append([]string{"ab"}, flags...)
		return append(args, "-q", "-c", j.connections(), "-t", strconv.Itoa(j.Seconds), "-n", "100000000", j.URL)
	}
	t := tool{Name: name, Program: "ab", Version: []string{"-V"}, Closed: run, Parse: parseAB}
	if len(flags) == 0 {
		t.Fresh = run
	}
	return t
}

func hey() tool {
	common := func(j job, more ...string) []string {
		args := append([]string{"hey", "-cpus", "1", "-c", j.connections(), "-z", j.seconds()}, more...)
		return append(args, j.URL)
	}
	return tool{Name: "hey", Program: "hey", Version: nil, Parse: parseHey,
		Closed: func(j job) []string { return common(j) },
		Fresh:  func(j job) []string { return common(j, "-disable-keepalive") },
		// its rate is that of one connection
		Open: func(j job) []string { return common(j, "-q", fmt.Sprint(j.Rate/float64(j.Connections))) }}
}

func bombardier() tool {
	common := func(j job, more ...string) []string {
		args := append([]string{"bombardier", "-l", "-p", "r", "-o", "json", "-k", "-c", j.connections(), "-d", j.seconds()}, more...)
		return append(args, j.URL)
	}
	return tool{Name: "bombardier", Program: "bombardier", Version: []string{"--version"}, Parse: parseBombardier,
		Closed: func(j job) []string { return common(j) },
		Fresh:  func(j job) []string { return common(j, "-H", "Connection: close") },
		Open:   func(j job) []string { return common(j, "-r", j.rate()) }}
}

func fortio() tool {
	common := func(j job, qps string, more ...string) []string {
		args := append([]string{"fortio", "load", "-quiet", "-json", "-", "-k", "-p", "50,90,99,99.9,99.99", "-c", j.connections(), "-t", j.seconds(), "-qps", qps}, more...)
		return append(args, j.URL)
	}
	return tool{Name: "fortio", Program: "fortio", Version: []string{"version"}, Parse: parseFortio,
		Closed: func(j job) []string { return common(j, "0") },
		Open:   func(j job) []string { return common(j, j.rate(), "-uniform") }}
}

// locate finds the tool's program, in PATH or among the installed peers.
func (t *tool) locate(peers string) (path string, ok bool) {
	if path, err := exec.LookPath(t.Program); err == nil {
		return path, true
	}
	path, err := exec.LookPath(filepath.Join(peers, t.Program))
	return path, err == nil
}

// version asks a program for its version; it is what it prints first.
func (t *tool) version(ctx context.Context, path string) string {
	if t.Version == nil {
		return moduleVersion(path)
	}
	version, _ := rounds.Version(ctx, path, t.Version...) // wrk -v ends with status 1
	return version
}

// moduleVersion reads the version that a Go program was built from.
func moduleVersion(path string) string {
	output, _ := exec.Command("go", "version", "-m", path).Output()
	for line := range strings.Lines(string(output)) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[0] == "mod" {
			return fields[1] + " " + fields[2]
		}
	}
	return "unknown"
}
