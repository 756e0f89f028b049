package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/evidence"
)

const (
	// stall is how long each injected cause holds a request up at first.
	stall = 60 * time.Millisecond
	// longest is what it stays below if it is made longer: ten tries.
	longest = 40 * stall
)

// injected injects a stall of a length, and fails the test if try says that something is
// wrong with what was seen of it. That says nothing if the test or the subjects waited for a
// CPU meanwhile, and the wait was not small against the stall: then it is tried again with a
// longer one, and the test skipped if none is long enough. How much was waited the kernel's
// own account says, not the probes: what these take for a wait excuses nothing.
func injected(t *testing.T, pids []int, try func(stall time.Duration) (wrong string)) {
	t.Helper()
	wrong, waited := "", time.Duration(0)
	for length := stall; length < longest; length += length / 2 {
		before := waitedForCPU(t, pids)
		if wrong = try(length); wrong == "" {
			return
		}
		if waited = before.until(waitedForCPU(t, pids)); waited*8 < length {
			t.Errorf("of a stall of %v, in which a CPU was waited for %v: %s", length, waited, wrong)
			return
		}
	}
	t.Skipf("a CPU was waited for too long to see the cause, %v in the last try: %s", waited, wrong)
}

// lacks says that stages do not have most of an injected stall, or not most of what a record
// took but for the time in which there was no CPU to be had: tests share the machine.
func lacks(r *evidence.Record, stall time.Duration, stages ...evidence.Stage) (wrong string) {
	budget := r.Budget()
	var held int64
	for _, s := range stages {
		held += budget[s]
	}
	took := r.Response()
	for _, s := range []evidence.Stage{evidence.CPUWait, evidence.Throttled, evidence.Generator} {
		if !slices.Contains(stages, s) {
			took -= budget[s]
		}
	}
	if held*2 >= took && held*2 >= int64(stall) {
		return ""
	}
	return fmt.Sprintf("%v holds %v of %v; the budget is %v", stages, time.Duration(held), time.Duration(took), budget)
}

// waits are how long each thread has waited for a CPU so far, and the machine's CPUs for a
// real one.
type waits struct {
	threads map[string]time.Duration
	stolen  time.Duration
}

// until is how long was waited since then, by all together. A thread that has begun since
// waited for all that it has.
func (w waits) until(now waits) time.Duration {
	sum := now.stolen - w.stolen
	for thread, waited := range now.threads {
		sum += waited - w.threads[thread]
	}
	return sum
}

// waitedForCPU is what the kernel says of processes and of the test's own: for a CPU that
// others had, or because their group had used up its quota.
func waitedForCPU(t *testing.T, pids []int) waits {
	t.Helper()
	w := waits{threads: make(map[string]time.Duration)}
	for _, pid := range append([]int{os.Getpid()}, pids...) {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				continue // the thread has ended
			}
			var ran, waited int64
			if _, err := fmt.Sscan(string(text), &ran, &waited); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			w.threads[file] = time.Duration(waited)
		}
	}
	if len(w.threads) == 0 {
		t.Skip("this kernel keeps no account of waits for a CPU")
	}
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	if f := strings.Fields(string(text)); len(f) > 8 {
		var ticks int64
		if _, err := fmt.Sscan(f[8], &ticks); err != nil {
			t.Fatal(err)
		}
		w.stolen = time.Duration(ticks) * 10 * time.Millisecond // USER_HZ is 100
	}
	return w
}

// TestWaitsOfThreads: of one that ended nothing more is known, of one that began all counts.
func TestWaitsOfThreads(t *testing.T) {
	begin := waits{threads: map[string]time.Duration{"kept": 5, "ended": 7}, stolen: 1}
	now := waits{threads: map[string]time.Duration{"kept": 8, "begun": 2}, stolen: 4}
	if got := begin.until(now); got != 3+2+3 {
		t.Errorf("%d", got)
	}
}

// TestWhatARecordLacks: a stage must have most of the stall that was injected, also where
// nearly all of the request's time was waited for a CPU.
func TestWhatARecordLacks(t *testing.T) {
	const ms = int64(time.Millisecond)
	for _, tt := range []struct {
		lock, cpuWait, network int64
		ok                     bool
	}{
		{60, 0, 0, true}, {60, 0, 50, true}, {60, 500, 50, true}, {29, 0, 0, false}, {0, 60, 0, false}, {1, 59, 0, false}, {60, 0, 70, false},
	} {
		r := evidence.Record{Done: (tt.lock + tt.cpuWait + tt.network) * ms}
		at := int64(0)
		for _, v := range []struct {
			stage evidence.Stage
			took  int64
		}{{evidence.Lock, tt.lock}, {evidence.CPUWait, tt.cpuWait}, {evidence.Network, tt.network}} {
			r.Intervals = append(r.Intervals, evidence.Interval{Stage: v.stage, From: at * ms, To: (at + v.took) * ms})
			at += v.took
		}
		if wrong := lacks(&r, stall, evidence.Lock); (wrong == "") != tt.ok {
			t.Errorf("%+v: %q", tt, wrong)
		}
	}
}
