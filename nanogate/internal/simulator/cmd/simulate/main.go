//go:build linux

// Command simulate runs whole gateways in simulated worlds, by seed, and says what doesn't
// hold.
//
//	go run ./nanogate/internal/simulator/cmd/simulate -seeds 1000 -exchanges 1000
//	go run ./nanogate/internal/simulator/cmd/simulate -seed 7 -trace
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/internal/build"
	"dyno.example/nano/wire/simulated/shrink"
	"dyno.example/nanogate/internal/simulator"
)

func main() {
	seed := flag.Uint64("seed", 1, "the first seed")
	seeds := flag.Int("seeds", 1, "how many, from the first one on")
	exchanges := flag.Int("exchanges", 100, "of each, about")
	trace := flag.Bool("trace", false, "print all that happens")
	shrink := flag.Int("shrink", 3000, "runs to make a world smaller in which something doesn't hold; 0: it isn't")
	digests := flag.Bool("digests", false, "print a digest of what happens in each world, by which builds can be compared")
	shrinking := flag.Duration("shrink-cpu", time.Minute, "of a CPU for that at most")
	workers := flag.Int("workers", runtime.GOMAXPROCS(0), "worlds at once")
	most := flag.Int("failures", 1, "that are shown before it ends")
	limit := flag.Duration("for", 0, "how long at most, however many seeds are left; 0: as long as it takes")
	cpu := flag.Duration("cpu", 0, "of CPUs after which it ends; a world that then goes on for as long again is killed; 0: any")
	total := flag.Int("total", 0, "exchanges in all after which it ends, however many seeds are left; 0: any")
	every := flag.Duration("progress", 0, "how often to say how far it is; 0: never")
	file := flag.String("record", "", "a file of JSON that says what came of it: one that is there, of the same size of worlds, is gone on from")
	flag.Parse()
	collectLess()
	r := run{exchanges: *exchanges, trace: *trace, shrink: *shrink, most: *most, counts: map[string]int{}}
	r.total, r.cpu, r.digests, r.shrinking = *total, *cpu, *digests, *shrinking
	if err := limitCPU(2 * *cpu); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(2)
	}
	rec, err := readRecord(*file, *exchanges, build.Read().Revision)
	if err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(2)
	}
	if rec.Worlds > 0 {
		*seed = rec.Last + 1
	}
	r.last = *seed + uint64(*seeds) - 1
	r.next.Store(*seed)
	began := time.Now()
	stop := r.tell(rec, *file, *seed, *every)
	if *limit > 0 {
		time.AfterFunc(*limit, func() { r.next.Store(r.last + 1) })
	}
	var all sync.WaitGroup
	for range *workers {
		all.Go(r.work)
	}
	all.Wait()
	if err := stop(); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(2)
	}
	fmt.Printf("%d worlds, %d exchanges, %d failures in %v: %.0f exchanges/s and CPU\n", r.worlds, r.done, r.failures, time.Since(began).Round(time.Millisecond), float64(r.done)/processor().Seconds())
	for _, what := range slices.Sorted(maps.Keys(r.counts)) {
		fmt.Printf("  %s: %d\n", what, r.counts[what])
	}
	if r.failures > 0 {
		os.Exit(1)
	}
}

// collectLess has garbage collected less often, unless GOGC says how often: worlds live for a moment
// and are small, so that a quarter of a CPU went for a heap of 20 MB. A worker needs some 120 MB with it.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// processor is how much of CPUs this process has had.
func processor() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// limitCPU has the system end this process when it has had so much of CPUs; 0: any.
func limitCPU(most time.Duration) error {
	if most == 0 {
		return nil
	}
	seconds := uint64(max(most/time.Second, 1))
	return unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: seconds, Max: seconds})
}

type run struct {
	exchanges, shrink, most int
	trace, digests          bool
	next                    atomic.Uint64
	last                    uint64
	total                   int
	cpu                     time.Duration // 0: any
	shrinking               time.Duration // of CPUs

	mu                     sync.Mutex
	worlds, done, failures int
	through                uint64 // the last seed that is done
	failed                 []string
	counts                 map[string]int
}

func (r *run) work() {
	for {
		seed := r.next.Add(1) - 1
		r.mu.Lock()
		over := seed > r.last || r.failures >= r.most || r.total > 0 && r.done >= r.total || r.cpu > 0 && processor() >= r.cpu
		r.mu.Unlock()
		if over {
			return
		}
		var o simulator.Options
		if r.trace {
			o.Trace = func(line string) { fmt.Println(line) }
		}
		result := simulator.Run(simulator.Draw(seed, r.exchanges), o)
		r.mu.Lock()
		if r.digests {
			fmt.Printf("%d: %016x, %d exchanges, %d violations\n", seed, result.Hash, result.Exchanges, len(result.Violations))
		}
		r.worlds++
		r.through = max(r.through, seed)
		r.done += result.Exchanges
		for what, n := range result.Counts {
			r.counts[what] += n
		}
		if result.Failed() && r.failures < r.most {
			r.failures++
			r.failed = append(r.failed, fmt.Sprintf("%d: %v", seed, result.Violations[:min(1, len(result.Violations))]))
			r.show(seed, result)
		}
		r.mu.Unlock()
	}
}

// mostShown is how many of the last things that happened are shown.
const mostShown = 60

// show shows a failure, in as small a world as can be found.
func (r *run) show(seed uint64, result *simulator.Result) {
	fmt.Printf("seed %d: something doesn't hold. Again:\n  scripts/simulate -seed %d -exchanges %d -trace\n", seed, seed, r.exchanges)
	if result.Err != nil {
		fmt.Println(result.Err)
		return
	}
	for _, v := range result.Violations[:min(3, len(result.Violations))] {
		fmt.Println(v)
	}
	if r.shrink == 0 {
		return
	}
	sc := simulator.Draw(seed, r.exchanges)
	size := sc.Size()
	until := processor() + r.shrinking
	if r.cpu > 0 {
		until = min(until, r.cpu*19/10) // by the double of it the process is killed
	}
	runs := simulator.Shrink(sc, simulator.Violates(result.Violations[0].Kind), shrink.Effort{
		Runs: r.shrink, Enough: func() bool { return processor() >= until }, Near: result.Near(result.Violations[0]),
	})
	fmt.Printf("of %d things that happen %d will do (found in %d runs):\n%s", size, sc.Size(), runs, sc)
	var trace []string
	again := simulator.Run(sc, simulator.Options{Until: result.Violations[0].Kind, Trace: func(line string) { trace = append(trace, line) }})
	fmt.Println(strings.Join(trace[max(0, len(trace)-mostShown):], "\n"))
	for _, v := range again.Violations {
		fmt.Println(v)
	}
	fmt.Print(again.Log)
}
