//go:build linux

// Command simulate runs whole apps in simulated worlds, by seed. It exits with 1 if something
// doesn't hold.
//
//	scripts/simulate nano [-seeds N] [-seed FIRST] [-exchanges N] [-trace]
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/nano/internal/simulator"
)

func main() {
	seeds := flag.Uint64("seeds", 1, "how many, from the first one on")
	seed := flag.Uint64("seed", 1, "the first seed")
	exchanges := flag.Int("exchanges", 60, "of each, about")
	total := flag.Int("total", 0, "exchanges in all after which it ends, however many seeds are left; 0: any")
	cpu := flag.Duration("cpu", 0, "of CPUs after which it ends; a world that then goes on for as long again is killed; 0: any")
	failures := flag.Int("failures", 1, "that are shown before it ends")
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
		fmt.Printf("seed %d, -exchanges %d:\n", s, *exchanges)
		if r.Err != nil {
			fmt.Println(r.Err)
		}
		for _, v := range r.Violations {
			fmt.Println(v)
		}
	}
	fmt.Printf("%d worlds, %d exchanges, %d failures in %v: %.0f exchanges/s and CPU\n", worlds, done, failed,
		time.Since(began).Round(time.Millisecond), float64(done)/processor().Seconds())
	if failed > 0 {
		os.Exit(1)
	}
}

// processor is how much of CPUs this process has had.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
