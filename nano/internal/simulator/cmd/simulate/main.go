//go:build linux

// Command simulate runs whole apps in simulated worlds, by seed. It exits with 1 if something
// doesn't hold.
//
//	scripts/simulate nano [-seeds N] [-seed FIRST] [-exchanges N] [-trace] [-shrink RUNS]
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/internal/simulator"
	"dyno.example/nano/wire/simulated/shrink"
)

func main() {
	seeds := flag.Uint64("seeds", 1, "how many, from the first one on")
	seed := flag.Uint64("seed", 1, "the first seed")
	exchanges := flag.Int("exchanges", 60, "of each, about")
	total := flag.Int("total", 0, "exchanges in all after which it ends, however many seeds are left; 0: any")
	cpu := flag.Duration("cpu", 0, "of CPUs after which it ends; a world that then goes on for as long again is killed; 0: any")
	failures := flag.Int("failures", 1, "that are shown before it ends")
	smaller := flag.Int("shrink", 3000, "runs to make a world smaller in which something doesn't hold; 0: it isn't")
	shrinking := flag.Duration("shrink-cpu", time.Minute, "of a CPU for that at most")
	trace := flag.Bool("trace", false, "print all that happens")
	flag.Parse()
	if *cpu > 0 {
		most := uint64((2 * *cpu).Seconds()) + 1
		if err := unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			fmt.Fprintln(os.Stderr, "simulate:", err)
			os.Exit(1)
		}
	}
	debug.SetGCPercent(400) // worlds are short and small
	// Of the goroutines of a world one goes on at a time: to wake the next one on another thread
	// takes half as much time again as all that they do.
	runtime.GOMAXPROCS(1)
	o := simulator.Options{}
	if *trace {
		o.Trace = func(line string) { fmt.Println(line) }
	}
	began, worlds, done, failed := time.Now(), 0, 0, 0
	for s := *seed; s-*seed < *seeds && failed < *failures; s++ {
		if *total > 0 && done >= *total || *cpu > 0 && processor() >= *cpu {
			break
		}
		r := simulator.Run(simulator.Draw(s, *exchanges), o)
		worlds++
		done += r.Exchanges
		if !r.Failed() {
			continue
		}
		failed++
		until := processor() + *shrinking
		if *cpu > 0 {
			until = min(until, *cpu*19/10) // by the double of it the process is killed
		}
		show(s, *exchanges, r, *smaller, until)
	}
	fmt.Printf("%d worlds, %d exchanges, %d failures in %v: %.0f exchanges/s and CPU\n", worlds, done, failed,
		time.Since(began).Round(time.Millisecond), float64(done)/processor().Seconds())
	if failed > 0 {
		os.Exit(1)
	}
}

// mostShown is how many of the last things that happened are shown.
const mostShown = 60

// show shows a failure, in as small a world as can be found until so much of CPUs was used.
func show(seed uint64, exchanges int, r *simulator.Result, runs int, until time.Duration) {
	fmt.Printf("seed %d: something doesn't hold. Again:\n  scripts/simulate nano -seed %d -exchanges %d -trace\n", seed, seed, exchanges)
	if r.Err != nil {
		fmt.Println(r.Err)
		return
	}
	for _, v := range r.Violations[:min(3, len(r.Violations))] {
		fmt.Println(v)
	}
	if runs == 0 {
		return
	}
	sc, kind := simulator.Draw(seed, exchanges), r.Violations[0].Kind
	size := sc.Size()
	runs = simulator.Shrink(sc, simulator.Violates(kind), shrink.Effort{
		Runs: runs, Enough: func() bool { return processor() >= until }, Near: r.Near(r.Violations[0]),
	})
	fmt.Printf("of %d things that happen %d will do (found in %d runs):\n%s", size, sc.Size(), runs, sc)
	var trace []string
	again := simulator.Run(sc, simulator.Options{Until: kind, Trace: func(line string) { trace = append(trace, line) }})
	fmt.Println(strings.Join(trace[max(0, len(trace)-mostShown):], "\n"))
	for _, v := range again.Violations {
		fmt.Println(v)
	}
	fmt.Print(again.Log)
}

// processor is how much of CPUs this process has had.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
