package runner

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/study"
)

// hogOn is a program that always wants the CPU, until the test ends.
func hogOn(t *testing.T, cpu int) {
	t.Helper()
	hog := exec.Command(os.Args[0])
	hog.Env = append(os.Environ(), troubleVariable+"=hog")
	if err := hog.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hog.Process.Kill(); hog.Wait() })
	var only unix.CPUSet
	only.Set(cpu)
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", hog.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks { // those that it makes later are like the one that makes them
		var id int
		fmt.Sscan(task.Name(), &id)
		if err := unix.SchedSetaffinity(id, &only); err != nil {
			t.Fatal(err)
		}
	}
}

// Of a CPU that another program always wants, who works 8 ms a request is interrupted in it, as
// the kernel gives nobody that long, and waits while the other runs; who works 20 µs has gone
// back to sleep by then.
func TestPreemptionsOnACPUOfTwo(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("takes two CPUs")
	}
	// Not in parallel: others confine this process to the generator's CPU meanwhile, and a hog is in their way.
	for name, slices := range map[string]string{"in trials": "off", "in slices": "{length: 100ms, rounds: 12}"} {
		t.Run(name, func(t *testing.T) {
			r := inTurns(t, 12, 1, "1", "1")
			s, err := study.Parse("test.yaml", fmt.Appendf(nil, `study: preempted
subjects: [{name: a, run: %q, ready: /0, ready_within: 1m, env: {%s: subject}}]
requests: [{name: long, get: /8000}, {name: short, get: /20}]
factors: {request: [long, short]}
loads: [{name: one, closed: {connections: 1}}]
placement: {generator: [0], subject: [1]}
trial: {warmup: 100ms, duration: 2s, slices: %s}
blocks: 1
twin: false
accept: [other-load, steal, generator-stalled, generator-full, subject-not-the-bottleneck]
`, self(t), workVariable, slices), nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Plan, err = study.Expand(s, 1); err != nil {
				t.Fatal(err)
			}
			r.Study, r.meter = s, nil
			hogOn(t, 1)
			// A subject that hardly had its CPU, with others on the machine too, shows nothing.
			a, err := analysis.Analyse(runUntil(t, r, func(trial *archive.Trial) bool { return !starved(trial) && worked(trial) >= 100*time.Millisecond }))
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]map[string]float64{}
			for _, g := range a.Groups {
				for _, c := range g.Cells {
					got[g.Levels["request"]] = map[string]float64{}
					for _, metric := range []string{"preemptions", "run_queue", "switches"} {
						if e := c.Estimates[metric]; e.N == 0 {
							t.Errorf("%s has no %s: %v", g.Title, metric, c.Omitted[metric])
						} else {
							got[g.Levels["request"]][metric] = e.Estimate
						}
					}
				}
			}
			long, short := got["long"], got["short"]
			t.Log(got)
			// How long the other one runs each time is for the kernel to say, and for what else wants the CPU.
			if long["preemptions"] < 0.5 || long["run_queue"] <= short["run_queue"] || long["preemptions"] > long["switches"] {
				t.Errorf("who works 8 ms beside another: %v a request, want interruptions, and to wait longer than who works 20 µs: %v", long, short)
			}
			if short["preemptions"] > long["preemptions"]/2 {
				t.Errorf("who works 20 µs has %v preemptions a request, who works 8 ms %v", short["preemptions"], long["preemptions"])
			}
		})
	}
}

// worked is how much CPU time a trial's subject is known to have had, in all windows that count; 0 if it had none in one.
func worked(trial *archive.Trial) (sum time.Duration) {
	for i := range trial.Windows {
		w := &trial.Windows[i]
		p := w.Server.Process
		if !w.Counts() {
			continue
		}
		if p == nil || p.CPU == 0 {
			return 0
		}
		sum += p.CPU
	}
	return sum
}
