package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/study"
	"dyno.example/dyno/subject"
)

// startedRunner plans a study of this test's program as a subject. rest is the
// study from its requests on; %s in command is the program.
func startedRunner(t *testing.T, command, rest string) *Runner {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	src := fmt.Sprintf("study: test\nsubjects:\n  - name: started\n    env: {%s: yes}\n    tls: true\n%s\n%s\ntrial: {warmup: 0s, duration: 1s}\nblocks: 1\ntwin: false\n",
		subjectVariable, fmt.Sprintf(command, program), rest)
	s, err := study.Parse(filepath.Join(t.TempDir(), "test.yaml"), []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := study.Expand(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return &Runner{KeepGoing: true, Study: s, Plan: plan, Version: "test", StateDir: dir, CacheDir: filepath.Join(dir, "cache"), Store: archive.Store{Dir: filepath.Join(dir, "runs")}}
}

const steady = "loads: [{name: steady, open: {rate: 100, connections: 2}}]\n"

// run carries out a study that must succeed, and returns its archived run. A run that says of a
// trial that the generator was kept from its CPU in all of it has nothing to be judged.
func run(t *testing.T, r *Runner) *archive.Run {
	t.Helper()
	return runUntil(t, r, func(trial *archive.Trial) bool { return !starved(trial) })
}

// archivedBy is a run as it was archived, whatever became of its trials.
func archivedBy(t *testing.T, r *Runner) *archive.Run {
	t.Helper()
	id, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run, err := r.Store.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// runUntil makes the run again, up to three times, until all of its trials are as they are to be.
func runUntil(t *testing.T, r *Runner, as func(*archive.Trial) bool) *archive.Run {
	t.Helper()
	for range 3 {
		run := archivedBy(t, r)
		for _, trial := range run.Trials {
			if trial.Status != archive.Complete || !served(&trial) && !starved(&trial) && !held(&trial) {
				t.Errorf("trial %d: %s %s, %v", trial.Index, trial.Status, trial.Error, trial.Findings)
			}
		}
		if !slices.ContainsFunc(run.Trials, func(trial archive.Trial) bool { return !as(&trial) }) {
			return run
		}
	}
	t.Skip("the machine kept the generator or a subject from its CPU in three runs, and so they say")
	return nil
}

// starved reports whether a trial says that nothing of it counts, or that its subject gave no
// response in any of its slices, as on a busy machine may be.
func starved(trial *archive.Trial) bool { return held(trial) && void(trial) || tooShort(trial) }

// tooShort reports whether a trial says that its slices were shorter than responses took.
func tooShort(trial *archive.Trial) bool {
	return slices.ContainsFunc(trial.Findings, func(f finding.Finding) bool {
		return f.Name == finding.MeasuredAlone && strings.Contains(f.Detail.String(), "shorter than its responses take")
	})
}

// void reports whether nothing of a trial counts.
func void(trial *archive.Trial) bool {
	if trial.Sliced != nil {
		return len(trial.Slices) == 0
	}
	return !served(trial)
}

// served reports whether a trial had responses.
func served(trial *archive.Trial) bool {
	return slices.ContainsFunc(trial.Windows, func(w archive.Window) bool { return w.Client.Completed > 0 })
}

// held reports whether a trial says that the generator was kept from its CPU, as on a busy
// machine it may be all the time.
func held(trial *archive.Trial) bool {
	return slices.ContainsFunc(trial.Findings, func(f finding.Finding) bool { return f.Name == finding.GeneratorStalled })
}

// TestLevelsReachTheSubject has a subject say how it was started; every response
// of every trial is held to it.
func TestLevelsReachTheSubject(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("subjects are kept and pinned on Linux")
	}
	for _, c := range []struct{ name, factors, want string }{
		{"arguments", `args.workers: [7], args: ["-v 'a b'"]`, "args=first,--workers=7,-v,a b "},
		{"environment", `env.TEST_LEVEL: [high]`, "level=high"},
		{"number of CPUs", "cpus: [1]}\nplacement: shared\nreport: [cpu]\nquick: {blocks: 1", "cpus=1 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := startedRunner(t, "    run: exec %s first", fmt.Sprintf("requests: [{get: /, expect: ['body contains \"%s\"']}]\n%sfactors: {%s}", c.want, steady, c.factors))
			run(t, r)
		})
	}
}

func TestSizesReachTheSubject(t *testing.T) {
	r := startedRunner(t, "    run: exec %s", `requests: [{post: /length, expect: ["body contains 3000 bytes"]}]`+"\n"+steady+"factors: {size: [3000]}")
	run(t, r)
}

// TestEachLevelHasItsBuild: the build writes the flags to a file, which the
// program is then started with.
func TestEachLevelHasItsBuild(t *testing.T) {
	r := startedRunner(t, "    build: echo \"$DYNO_BUILD_FLAGS\" > $OUT/flags\n    run: exec %s $(cat $OUT/flags)",
		"requests: [{get: /, name: a}]\n"+steady+"factors: {build.flags: [-race, -gcflags=-l]}")
	var starts map[string]subject.StartSpec
	r.ready = func(p *preparation) { starts = p.contenders["started"].starts }
	run(t, r)
	for _, flags := range []string{"-race", "-gcflags=-l"} {
		text, err := os.ReadFile(filepath.Join(starts[flags].Env["OUT"], "flags"))
		if err != nil || strings.TrimSpace(string(text)) != flags {
			t.Errorf("%s: the build was told %q, %v", flags, text, err)
		}
	}
	if starts["-race"].Env["OUT"] == starts["-gcflags=-l"].Env["OUT"] {
		t.Error("both builds are in one folder")
	}
}

// TestHandshakesAreFullOrResumed measures one subject without TLS and with both
// kinds of handshakes.
func TestHandshakesAreFullOrResumed(t *testing.T) {
	r := startedRunner(t, "    run: exec %s", `requests: [{get: /}]
loads: [{name: steady, open: {rate: 100, connections: 2}, reuse: none}]
factors: {tls: [off, full, resumed]}`)
	var made *certificate
	r.ready = func(p *preparation) { made = p.starter.certificate }
	archived := run(t, r)
	for i := range archived.Trials {
		full, resumed := int64(0), int64(0)
		for w, err := range archived.Windows(i) {
			if err != nil {
				t.Fatal(err)
			}
			full += recorded(&w, measure.FullHandshake)
			resumed += recorded(&w, measure.ResumedHandshake)
		}
		level := r.Plan.Cells[archived.Trials[i].Cell].Levels["tls"]
		ok := map[string]bool{
			"off": full+resumed == 0, study.TLSFull: full > 0 && resumed == 0, study.TLSResumed: resumed > full,
		}
		if !ok[level] {
			t.Errorf("tls=%s: %d full and %d resumed handshakes", level, full, resumed)
		}
	}
	if made == nil {
		t.Fatal("no certificate was made")
	}
	if _, err := os.Stat(made.dir); err == nil {
		t.Error("the certificate's key is left behind")
	}
}

// recorded is how many values of a clock a window holds.
func recorded(w *archive.Window, clock measure.Clock) int64 {
	if h := w.Client.Hist[clock]; h != nil {
		return h.TotalCount()
	}
	return 0
}

// TestSettingsAreSetForTheTrial looks at a machine's setting while a trial runs
// and after the run.
func TestSettingsAreSetForTheTrial(t *testing.T) {
	r := newRunner(t, server(t, respond), 1)
	file := fakeSetting(t, r, "60")
	r.Plan.Cells[0].Kernel = map[string]string{"vm.swappiness": "7"}
	var during string
	r.Observe = func(e Event) {
		if e.Kind == WindowDone {
			during = read(t, file)
		}
	}
	run(t, r)
	if after := read(t, file); during != "7" || after != "60" {
		t.Errorf("it was %q during the trial and is %q after, want 7 and 60", during, after)
	}
	if _, err := os.Stat(filepath.Join(r.StateDir, "tuning.jsonl")); err == nil {
		t.Error("the journal is still there")
	}
}

// TestSettingsOfAKilledRunArePutBack: what another run has set and not lived to
// put back is not what this one is measured with.
func TestSettingsOfAKilledRunArePutBack(t *testing.T) {
	r := newRunner(t, server(t, respond), 1)
	file := fakeSetting(t, r, "60")
	if _, err := newTuner(r).Assign(map[string]string{"vm.swappiness": "7"}); err != nil {
		t.Fatal(err)
	}
	var during string
	r.Observe = func(e Event) {
		if e.Kind == WindowDone {
			during = read(t, file)
		}
	}
	run(t, r)
	if after := read(t, file); during != "60" || after != "60" {
		t.Errorf("it was %q during the trial and is %q after, want 60", during, after)
	}
}

func TestSettingsThatCannotBeSetAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ setting, want string }{
		"unknown":  {"vm.no_such", "factor kernel.vm.no_such: vm.no_such: this machine has no such setting"},
		"no value": {"swappines", `did you mean "swappiness"?`},
		"misspelt": {"vm.swapiness", `s.yaml:7:3: factor kernel.vm.swapiness: vm.swapiness: this machine has no such setting (did you mean "vm.swappiness"?)`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRunner(t, server(t, respond), 1)
			fakeSetting(t, r, "60")
			r.Plan.Cells[0].Kernel = map[string]string{c.setting: "7"}
			if name == "misspelt" {
				r.Study.Factors = []study.Factor{{Name: "kernel." + c.setting, Levels: []string{"7"}, Place: "s.yaml:7:3"}}
			}
			id, err := r.Run(t.Context())
			if id != "" || err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("run %q, %v, want %q", id, err, c.want)
			}
		})
	}
}

// fakeSetting gives the runner a machine with one setting.
func fakeSetting(t *testing.T, r *Runner, value string) (file string) {
	t.Helper()
	r.root = t.TempDir()
	file = filepath.Join(r.root, "proc/sys/vm/swappiness")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(value+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}
