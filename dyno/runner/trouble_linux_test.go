package runner

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"dyno.example/dyno/analysis"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/probe"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
)

// troubled measures the test program as a subject that has the trouble named, on
// a machine whose own noise is accepted: what is looked for must be found in it
// all the same.
func troubled(t *testing.T, trouble, rhythm string, duration time.Duration, blocks int) *archive.Run {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds of load")
	}
	return measured(t, self(t), trouble, rhythm, duration, blocks)
}

// self is this program, which is a subject by its environment.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// measured measures a command that starts the test program.
func measured(t *testing.T, command, trouble, rhythm string, duration time.Duration, blocks int) *archive.Run {
	t.Helper()
	return deciding(t, command, trouble, rhythm, duration, blocks, "")
}

// claimed is troubled with a claim to decide.
func claimed(t *testing.T, trouble, rhythm string, duration time.Duration, blocks int, holds string) *archive.Run {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds of load")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return deciding(t, self, trouble, rhythm, duration, blocks, fmt.Sprintf("claims: [{id: a, holds: %q}]", holds))
}

func deciding(t *testing.T, command, trouble, rhythm string, duration time.Duration, blocks int, claims string) *archive.Run {
	t.Helper()
	return observed(t, command, trouble, rhythm, duration, blocks, claims, func(*Runner) {})
}

// observed is deciding with a runner that is changed before it runs.
func observed(t *testing.T, command, trouble, rhythm string, duration time.Duration, blocks int, claims string, change func(*Runner)) *archive.Run {
	t.Helper()
	dir := t.TempDir()
	s, err := study.Parse("test.yaml", fmt.Appendf(nil, `study: trouble
subjects: [{name: troubled, run: %q, ready: /, ready_within: 1m, env: {%s: %q, %s: %q}}]
requests: [{name: root, get: /, expect: [body == ok]}]
loads: [{name: steady, %s}]
trial: {warmup: 0s, duration: %v}
blocks: %d
accept: [other-load, steal, generator-stalled, generator-late, generator-full, rate-missed, arrivals-off, throttled]
%s
`, command, troubleVariable, trouble, stateVariable, dir, rhythm, duration, blocks, claims), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := study.Expand(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{KeepGoing: true, Study: s, Plan: plan, Command: []string{"dyno"}, Version: "test", StateDir: dir, Store: archive.Store{Dir: dir + "/runs"}}
	change(r)
	run := archivedBy(t, r)
	return run
}

const (
	gentle = "open: {rate: 200, connections: 4}"
	eager  = "closed: {connections: 4}"
)

// named measures until the first trial has a finding, which a busy machine may hide: some
// times at most.
func named(t *testing.T, measure func() *archive.Run, names ...finding.Name) *archive.Run {
	t.Helper()
	var run *archive.Run
	for range 4 {
		if run = measure(); isNamed(&run.Trials[0], names...) {
			break
		}
	}
	wantNamed(t, &run.Trials[0], names...)
	return run
}

// isNamed reports whether a trial that is complete has one of the findings.
func isNamed(trial *archive.Trial, names ...finding.Name) bool {
	return trial.Status == archive.Complete && slices.ContainsFunc(trial.Findings, func(f finding.Finding) bool { return slices.Contains(names, f.Name) })
}

// wantNamed fails unless the trial has one of the findings.
func wantNamed(t *testing.T, trial *archive.Trial, names ...finding.Name) {
	t.Helper()
	if isNamed(trial, names...) {
		return
	}
	if trial.Status != archive.Complete {
		t.Fatalf("the trial is %s: %s", trial.Status, trial.Error)
	}
	skipIfDisturbed(t, trial)
	t.Errorf("found %+v, want one of %q", trial.Findings, names)
}

// skipIfDisturbed ends a test that found nothing on a machine on which nothing
// can be found: the trial would not count, had its noise not been accepted.
func skipIfDisturbed(t *testing.T, trial *archive.Trial) {
	t.Helper()
	for _, f := range trial.Findings {
		if f.Accepted && f.Validity == finding.Invalid {
			t.Skipf("this machine is too busy to measure on: %s", f.Detail)
		}
	}
}

// A subject that is slow for the first seconds, and one that keeps all memory.
func TestWarmUpAndLeakAreNamed(t *testing.T) {
	t.Parallel()
	run := named(t, func() *archive.Run { return troubled(t, "warm-up,leak", gentle, 10*time.Second, 1) }, finding.StillWarmingUp)
	wantNamed(t, &run.Trials[0], finding.Leak)
}

// A trial that failed by no fault of its subject, which was never executed, is repeated
// in its block and the repetition takes its place.
func TestSpoiledTrialsAreRepeated(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds of load")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	started := 0
	var repeated []study.PlannedTrial
	run := observed(t, self, "none", gentle, time.Second, 2, "", func(r *Runner) {
		r.Repeats = 2
		var starts map[string]subject.StartSpec
		r.ready = func(p *preparation) { starts = p.contenders["troubled"].starts }
		move := func(dir string) (from string) {
			start := starts[""]
			from, start.Dir = start.Dir, dir
			starts[""] = start
			return from
		}
		home := ""
		r.Observe = func(e Event) {
			switch e.Kind {
			case TrialStarted:
				if started++; started == 1 {
					home = move(filepath.Join(r.Store.Dir, "nowhere"))
				}
			case TrialFinished:
				move(home)
			case Repeating:
				repeated = append(repeated, *e.Trial)
			}
		}
	})
	if len(run.Trials) != 3 || len(run.Manifest.Plan.Trials) != 3 || len(repeated) != 1 {
		t.Fatalf("%d trials, the first %s by the fault of %q (%s), repeated %+v", len(run.Trials), run.Trials[0].Status, run.Trials[0].Fault, run.Trials[0].Error, repeated)
	}
	first, again, last := run.Trials[0], run.Trials[1], run.Trials[2]
	if first.Validity != finding.Invalid || first.Fault != "" || again.Repeats == nil || *again.Repeats != 0 || again.Block != 0 || again.Seed != first.Seed || last.Block != 1 || last.Repeats != nil {
		t.Errorf("first %s %q %+v, again %s %+v, last %+v", first.Validity, first.Fault, first.PlannedTrial, again.Validity, again.PlannedTrial, last.PlannedTrial)
	}
	a, err := analysis.Analyse(run)
	if err != nil {
		t.Fatal(err)
	}
	if c := a.Groups[0].Cells[0]; !slices.Contains(c.Left, 0) || slices.Contains(c.Trials, 0) || len(c.Failed) > 0 {
		t.Errorf("used %v, failed %v, left out %v", c.Trials, c.Failed, c.Left)
	}
}

// A subject that fails in every second start keeps what it failed: nothing is
// measured again until it comes out well, and no claim is confirmed by what is left.
func TestFailuresOfTheSubjectStay(t *testing.T) {
	t.Parallel()
	const blocks = 4
	for _, c := range []struct {
		trouble string
		failed  int // trials that could not be measured
	}{{"fails", 0}, {"no-start", blocks / 2}} {
		t.Run(c.trouble, func(t *testing.T) {
			t.Parallel()
			run := claimed(t, c.trouble, gentle, time.Second, blocks, "errors < 1%")
			if len(run.Trials) != blocks {
				t.Errorf("%s: %d trials, want the %d planned and no other", c.trouble, len(run.Trials), blocks)
			}
			a, err := analysis.Analyse(run)
			if err != nil {
				t.Fatal(err)
			}
			cell, out := a.Groups[0].Cells[0], a.Claims[0]
			if len(cell.Failed) != c.failed || len(cell.Trials)+len(cell.Failed) != blocks || len(cell.Left) > 0 {
				t.Errorf("%s: used %v, failed %v, left out %v", c.trouble, cell.Trials, cell.Failed, cell.Left)
			}
			if out.Verdict.Confirms() || out.Parts[0].Failed != blocks/2 || len(out.Basis.Doubts) == 0 {
				t.Errorf("%s: %s, %+v, doubts %q", c.trouble, out.Word(), out.Parts[0], out.Basis.Doubts)
			}
		})
	}
}

func TestErrorsAreNamed(t *testing.T) {
	t.Parallel()
	named(t, func() *archive.Run { return troubled(t, "errors", eager, time.Second, 1) }, finding.Errors)
}

func TestWrongResponsesAreNamed(t *testing.T) {
	t.Parallel()
	named(t, func() *archive.Run { return troubled(t, "wrong", eager, time.Second, 1) }, finding.WrongResponses)
}

func TestRestartPlateausAreNamed(t *testing.T) {
	t.Parallel()
	var run *archive.Run
	var a *analysis.Analysis
	for range 4 { // a busy machine may hide it
		run = troubled(t, "plateaus", "open: {rate: 30, connections: 16}", time.Second, 8)
		var err error
		if a, err = analysis.Analyse(run); err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(a.Findings, func(f analysis.Finding) bool { return f.Name == finding.RestartPlateau }) {
			return
		}
	}
	for i := range run.Trials {
		skipIfDisturbed(t, &run.Trials[i])
	}
	t.Errorf("found %+v; throughput %v", a.Findings, a.Groups[0].Cells[0].Values["response.p50"])
}

func TestOtherLoadIsNamed(t *testing.T) {
	_, subj := placed(t)
	hogs := hog(t, 1, subj)
	run := named(t, func() *archive.Run { return troubled(t, "", gentle, 2*time.Second, 1) }, finding.OtherLoad)
	if !namesAny(&run.Trials[0], hogs) {
		t.Errorf("none of the hogs, processes %v, is named in %+v", hogs, run.Trials[0].Windows)
	}
}

// namesAny reports whether a trial's record has one of the processes among those that
// were busy.
func namesAny(t *archive.Trial, pids []int) bool {
	return slices.ContainsFunc(t.Windows, func(w archive.Window) bool {
		m := w.Server.Machine
		return m != nil && m.Programs != nil && slices.ContainsFunc(m.Programs.Top, func(p probe.Program) bool { return slices.Contains(pids, p.PID) })
	})
}

// Programs on the generator's CPU keep it from sending on time.
func TestASlowedGeneratorIsNamed(t *testing.T) {
	generator, _ := placed(t)
	hog(t, 12, generator)
	named(t, func() *archive.Run { return troubled(t, "", gentle, 2*time.Second, 1) }, finding.GeneratorStalled, finding.GeneratorLate, finding.GeneratorFull, finding.ArrivalsOff)
}

func TestThrottlingIsNamed(t *testing.T) {
	group := throttledGroup(t)
	command := fmt.Sprintf("echo $$ > %s/cgroup.procs; exec %s", group, os.Args[0])
	named(t, func() *archive.Run { return measured(t, command, "", eager, 2*time.Second, 1) }, finding.Throttled)
}

// placed returns the CPUs that the generator and the subject of a study get.
func placed(t *testing.T) (generator, subj []int) {
	t.Helper()
	online, err := subject.OnlineCPUs()
	if err != nil || len(online) < 2 {
		t.Skipf("needs two CPUs: %v, %v", online, err)
	}
	generator, subj, _, err = subject.Place("split", nil, nil, online)
	if err != nil {
		t.Fatal(err)
	}
	return generator, subj
}

// hog starts so many programs for each of the CPUs that use it all.
func hog(t *testing.T, each int, cpus []int) (pids []int) {
	t.Helper()
	for _, cpu := range cpus {
		for range each {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), troubleVariable+"=hog")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				cmd.Process.Kill()
				cmd.Wait()
			})
			var set unix.CPUSet
			set.Set(cpu)
			if err := pin(cmd.Process.Pid, &set); err != nil {
				t.Fatal(err)
			}
			if each == 1 { // so that it is what uses most, also while others keep the machine busy
				unix.Setpriority(unix.PRIO_PROCESS, cmd.Process.Pid, -10) // only root may; without, it has its share
			}
			pids = append(pids, cmd.Process.Pid)
		}
	}
	return pids
}

// pin keeps all threads of a process on the CPUs; those it starts later too.
func pin(pid int, set *unix.CPUSet) error {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return err
	}
	for _, task := range tasks {
		tid, err := strconv.Atoi(task.Name())
		if err != nil {
			continue
		}
		if err := unix.SchedSetaffinity(tid, set); err != nil && err != unix.ESRCH {
			return err
		}
	}
	return nil
}

// throttledGroup makes a cgroup that gives a fiftieth of a CPU.
func throttledGroup(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds of load")
	}
	name := fmt.Sprintf("dyno-test-%d", os.Getpid())
	for _, version := range []struct{ root, file, quota string }{
		{"/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "2000"},
		{"/sys/fs/cgroup", "cpu.max", "2000 100000"},
	} {
		group := filepath.Join(version.root, name)
		if os.Mkdir(group, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { os.Remove(group) })
		if _, err := os.Stat(filepath.Join(group, version.file)); err != nil {
			continue // no controller for CPU time here
		}
		if os.WriteFile(filepath.Join(group, version.file), []byte(version.quota), 0o644) == nil {
			return group
		}
	}
	t.Skip("no cgroup with a CPU quota can be made here")
	return ""
}

// A subject that dies under its load fails the trial, which has the windows up to
// then, both ends of them: they are the evidence of what it died of.
func TestADeadSubjectKeepsItsWindows(t *testing.T) {
	t.Parallel()
	run := troubled(t, "dies", gentle, 10*time.Second, 1)
	trial := &run.Trials[0]
	if trial.Status != archive.Failed || !strings.Contains(trial.Error.String(), "died: exit status 3") || trial.Validity != finding.Invalid {
		t.Errorf("the trial is %s and %s: %s", trial.Status, trial.Validity, trial.Error)
	}
	if n := len(trial.Windows); n < 2 || n > 5 || trial.Windows[0].Client.Completed == 0 || trial.Windows[0].Server.Process == nil {
		t.Errorf("it has %d windows: %+v", n, trial.Windows)
	}
	for _, err := range run.Windows(0) {
		if err != nil {
			t.Error(err)
		}
	}
}

// A worker that dies and is replaced while it is measured is seen, and named.
func TestAReplacedWorkerIsNamed(t *testing.T) {
	t.Parallel()
	trial := &named(t, func() *archive.Run { return troubled(t, "replaces", gentle, 4*time.Second, 1) }, finding.ProcessEnded).Trials[0]
	at := slices.IndexFunc(trial.Findings, func(f finding.Finding) bool { return f.Name == finding.ProcessEnded })
	if at >= 0 && !strings.Contains(trial.Findings[at].Detail.String(), "(process ") {
		t.Errorf("it does not name the process: %s", trial.Findings[at].Detail)
	}
}
