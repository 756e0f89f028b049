//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"dyno.example/dyno/scripted"
)

// stopped is a load during which dyno is stopped.
type stopped struct {
	engine  string
	rate    int // 0 for a closed loop
	threads int
	streams int    // on each connection, over HTTP/2; 0: HTTP/1.1
	stops   []stop // from the first request on
	fail    string // a threshold that a healthy server meets
}

// stopSeconds is how long the loads last that are stopped.
const stopSeconds = 6

// stopCases cover engines, rates, lengths and places of stops, each pair of them
// at least once. The server responds after 1 ms, always.
func stopCases() (cases []Case) {
	at := func(s float64, length time.Duration) []stop {
		return []stop{{time.Duration(s * float64(time.Second)), length}}
	}
	const ms = time.Millisecond
	for _, s := range []stopped{
		{engine: "uring", rate: 500, threads: 1, stops: at(0.3, 100*ms)},
		{engine: "uring", rate: 500, threads: 1, stops: at(2.4, 3000*ms)},
		{engine: "uring", rate: 5000, threads: 1, stops: at(2.6, 1200*ms)},
		{engine: "uring", rate: 5000, threads: 2, stops: at(5.3, 500*ms)},
		{engine: "uring", rate: 25000, threads: 1, stops: at(2.5, 1200*ms), fail: "p99<100ms"},
		{engine: "uring", rate: 25000, threads: 2, stops: at(0.2, 500*ms)},
		{engine: "uring", rate: 40000, threads: 1, stops: at(2.1, 500*ms)},
		{engine: "epoll", rate: 500, threads: 2, stops: at(2.2, 1200*ms), fail: "p99<100ms"},
		{engine: "epoll", rate: 5000, threads: 1, stops: at(0.4, 3000*ms)},
		{engine: "epoll", rate: 5000, threads: 2, stops: at(3.7, 100*ms)},
		{engine: "epoll", rate: 25000, threads: 1, stops: at(4.9, 1000*ms)},
		{engine: "epoll", rate: 25000, threads: 2, stops: at(2.3, 3000*ms)},
		{engine: "portable", rate: 500, threads: 1, stops: at(5.5, 400*ms)},
		{engine: "portable", rate: 500, threads: 1, stops: at(2.2, 1200*ms), fail: "p99<100ms"},
		{engine: "portable", rate: 5000, threads: 1, stops: at(1.6, 500*ms)},
		{engine: "portable", rate: 5000, threads: 1, stops: at(2.5, 3000*ms)},
		{engine: "uring", rate: 5000, threads: 1, stops: []stop{{1200 * ms, 300 * ms}, {3100 * ms, 300 * ms}}},
		{engine: "uring", threads: 1, stops: at(2.5, 500*ms)},
		{engine: "epoll", threads: 2, stops: at(1.2, 1200*ms), fail: "p99<100ms"},
		{engine: "portable", threads: 1, stops: at(2.5, 500*ms)},
		{engine: "uring", rate: 500, threads: 1, streams: 10, stops: at(2.2, 1200*ms), fail: "p99<100ms"},
		{engine: "uring", rate: 5000, threads: 2, streams: 1, stops: at(3.7, 100*ms)},
		{engine: "uring", threads: 1, streams: 10, stops: at(2.5, 500*ms)},
		{engine: "epoll", rate: 5000, threads: 1, streams: 100, stops: at(0.4, 3000*ms)},
		{engine: "epoll", rate: 5000, threads: 1, streams: 10, stops: at(5.3, 500*ms)},
		{engine: "epoll", threads: 2, streams: 100, stops: at(1.2, 1200*ms), fail: "p99<100ms"},
		{engine: "portable", rate: 500, threads: 1, streams: 10, stops: at(2.5, 500*ms)},
	} {
		cases = append(cases, Case{Name: s.name(), Injected: s.injected(), Examine: s.examine})
	}
	return cases
}

func (s *stopped) name() string {
	rate := "closed"
	if s.rate > 0 {
		rate = strconv.Itoa(s.rate)
	}
	name := fmt.Sprintf("stops/%s-%s-t%d", s.engine, rate, s.threads)
	if s.streams > 0 {
		name += fmt.Sprintf("-h2x%d", s.streams)
	}
	for _, one := range s.stops {
		name += fmt.Sprintf("-%v@%v", one.For, one.At)
	}
	return name
}

func (s *stopped) injected() string {
	return fmt.Sprintf("the server takes 1 ms, always; dyno is stopped for %v after %v", s.stops[0].For, s.stops[0].At)
}

func (s *stopped) examine(ctx context.Context, l *lab, e *Examined) error {
	address, end, err := s.serve(ctx)
	if err != nil {
		return err
	}
	defer end()
	args := []string{"--engine", s.engine, "-t", strconv.Itoa(s.threads), "-d", fmt.Sprintf("%ds", stopSeconds), "-w", "0s", "--seed", "7"}
	if s.streams > 0 {
		args = append(args, "-c", "8", "--http2", "--streams", strconv.Itoa(s.streams))
	} else {
		args = append(args, "-c", "64")
	}
	if s.rate > 0 {
		args = append(args, "-R", strconv.Itoa(s.rate), "--arrivals", "uniform")
	}
	if s.fail != "" {
		args = append(args, "--fail", s.fail)
	}
	begun := make(chan struct{})
	time.AfterFunc(300*time.Millisecond, func() { close(begun) }) // about when it begins to send
	r, err := l.load(ctx, e, begun, s.stops, append(args, "http://"+address+"/")...)
	if err != nil {
		return err
	}
	s.judge(r, e, end())
	return nil
}

// stopDelay is what the server takes for each response.
const stopDelay = time.Millisecond

// serve starts the server. end stops it and tells its slowest response, as it saw it
// itself; it may be called again.
func (s *stopped) serve(ctx context.Context) (address string, end func() (slowest time.Duration), err error) {
	if s.streams > 0 {
		return serveHTTP2(stopDelay)
	}
	server, err := scripted.Listen("127.0.0.1:0", scripted.Options{Script: scripted.Script{Delay: stopDelay}, Requests: max(s.rate, 60_000) * (stopSeconds + 4)})
	if err != nil {
		return "", nil, err
	}
	records := make(chan *scripted.Record, 1)
	serving, cancel := context.WithCancel(ctx)
	go func() {
		record, _ := server.Serve(serving)
		records <- record
	}()
	return server.Addr().String(), sync.OnceValue(func() time.Duration {
		cancel()
		return slowestOf(<-records)
	}), nil
}

// slowestOf is the longest that a server took by its record.
func slowestOf(record *scripted.Record) (slowest time.Duration) {
	for i, responded := range record.Response {
		if responded != 0 {
			slowest = max(slowest, time.Duration(responded-record.Arrival[i]))
		}
	}
	return slowest
}

// judge holds what was said against what the server did: it never took longer
// than slowest, so that whatever is much slower is the stop.
func (s *stopped) judge(r *loadReport, e *Examined, slowest time.Duration) {
	longest := s.stops[0].For
	limit := float64((slowest + longest/2).Microseconds())
	so := fmt.Sprintf("the server's slowest response took %v, the stop %v", slowest.Round(time.Microsecond), longest)

	spoiled := 0
	for _, w := range r.Windows {
		most := w.Response["max"]
		if w.Second < 0 || w.Validity == "invalid" || most == nil {
			continue
		}
		if *most > limit {
			spoiled++
			e.say(fmt.Sprintf("second %d", w.Second), false, fmt.Sprintf("%s with a response of %.0f µs", w.Validity, *most), so)
		}
	}
	if spoiled == 0 {
		e.say("windows that count", true, fmt.Sprintf("none has the stop in it (%d left out)", r.LeftOut), so)
	}
	for _, name := range []string{"p50", "p90", "p99", "p99.9", "max"} {
		us, known, there := r.figure("response", name)
		switch {
		case !there || r.Validity == "invalid":
			e.silent(name, r.says(), so)
		default:
			text := fmt.Sprintf("%.0f µs", us)
			if !known {
				text = ">= " + text
			}
			e.say(name, us <= limit && us >= 1000, text, so)
		}
	}
	named := r.LeftOut > 0 || slices.ContainsFunc(r.Findings, func(f finding) bool { return f.Name == "generator-stalled" })
	e.say("the stop itself", named, r.says(), "dyno stood still")
	if s.fail != "" && len(r.Thresholds) > 0 {
		decision := r.Thresholds[0].Decision
		e.say("--fail "+s.fail, decision != "fails", decision, "the server meets it")
	}
}
