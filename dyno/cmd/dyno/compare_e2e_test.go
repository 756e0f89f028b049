package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dyno.example/dyno/analysis/analysistest"
	"dyno.example/dyno/archive"
	"dyno.example/dyno/cmd/dyno/internal/cli"
)

// archived puts a made-up run of the subjects into the archive, as of a day of
// November, and returns its ID. What stands first costs least.
func archived(t *testing.T, home string, day int, subjects ...string) string {
	t.Helper()
	return store(t, home, day, analysistest.Run(uint64(day), subjects...))
}

// store puts a made-up run into the archive, as of a day of November.
func store(t *testing.T, home string, day int, run *archive.Run) string {
	t.Helper()
	run.Manifest.Started = time.Date(2026, 11, day, 12, 0, 0, 0, time.UTC)
	w, err := archive.Store{Dir: filepath.Join(home, "runs")}.Create(run.Manifest)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range run.Trials {
		if err := w.AddTrial(trial); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(archive.Complete, nil); err != nil {
		t.Fatal(err)
	}
	return w.ID()
}

func TestCompareBaselineHistory(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	old, new := archived(t, home, 1, "good"), archived(t, home, 2, "good")
	t.Run("compare", func(t *testing.T) { compareCommand(t, home, old, new) })
	t.Run("baseline", func(t *testing.T) { baselineCommand(t, home, old, new) })
	t.Run("history", func(t *testing.T) { historyCommand(t, home, old, new) })
	t.Run("other machine", func(t *testing.T) { otherMachine(t, home, old, new) })
	t.Run("edited run", func(t *testing.T) { editedRun(t, home, old, new) })
}

// From the eighth run on a request costs 18 % more.
func TestHistoryNamesTheFirstBadRun(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	var ids []string
	for day := range 14 {
		run := analysistest.Run(uint64(1+day), "mine")
		if day >= 7 {
			costMore(run, 1.18)
		}
		ids = append(ids, store(t, home, 1+day, run))
	}
	o := dyno(t, home, "history", "made-up", "--metric", "cpu")
	o.want(t, 0, o.stdout, "made-up: 14 runs", "mine under saturate", "│", "which is worse, from "+ids[7]+" of 2026-11-08 on", "first bad run  "+ids[7]+"\n")
	o = dyno(t, home, "history", "made-up", "--metric", "cpu", "--last", "6")
	o.want(t, 0, o.stdout, "made-up: 6 runs", "no change for the worse was found")
}

// costMore has each second of a run take so much more CPU time.
func costMore(run *archive.Run, factor float64) {
	for _, trial := range run.Trials {
		for i := range trial.Windows {
			if p := trial.Windows[i].Server.Process; p != nil {
				p.CPU = time.Duration(factor * float64(p.CPU))
			}
		}
	}
}

func compareCommand(t *testing.T, home, old, new string) {
	o := dyno(t, home, "compare", old, new)
	o.want(t, 0, o.stdout, "old  "+old, "new  "+new, "saturate", "good", "throughput", "two runs are two occasions")
	for format, part := range map[string]string{"markdown": "| load | subject |", "csv": "old_run,new_run,across_machines", "json": `"across_machines": false`} {
		o := dyno(t, home, "compare", old, new, "--format", format, "--metric", "throughput")
		o.want(t, 0, o.stdout, part, "throughput")
	}
	o = dyno(t, home, "compare", old, new, "--metric", "throughput", "--margin", "50%", "--level", "90%")
	o.want(t, 0, o.stdout, "throughput is the same within 50 %")
	for _, c := range []struct {
		args []string
		code int
		why  string
	}{
		{[]string{old}, 2, "two runs"},
		{[]string{old, "nowhere"}, 1, `no run "nowhere"`},
		{[]string{old, new, "--metric", "trhoughput"}, 2, "did you mean throughput?"},
		{[]string{old, new, "--metric", "all", "--metric", "cpu"}, 2, "goes with no other"},
		{[]string{old, new, "--format", "xml"}, 2, "none of text, markdown"},
		{[]string{old, new, "--margin", "2"}, 2, "--margin"},
		{[]string{old, new, "--level", "100%"}, 2, "--level"},
	} {
		o := dyno(t, home, append([]string{"compare"}, c.args...)...)
		o.want(t, c.code, o.stderr, c.why)
	}
}

func baselineCommand(t *testing.T, home, old, new string) {
	o := dyno(t, home, "baseline", "list")
	o.want(t, 0, o.stdout, "no baselines in dyno-baselines")
	o = dyno(t, home, "baseline", "set", "main", old)
	o.want(t, 0, o.stdout, "wrote dyno-baselines/main.yaml: 1 cells of run "+old)
	file := filepath.Join(home, "dyno-baselines", "main.yaml")
	first := read(t, file)
	dyno(t, home, "baseline", "set", "main", old).want(t, 0, "")
	if read(t, file) != first {
		t.Error("the same run gave another file")
	}
	o = dyno(t, home, "baseline", "list")
	o.want(t, 0, o.stdout, "main", "made-up", old)
	o = dyno(t, home, "baseline", "show", "main")
	o.want(t, 0, o.stdout, "good under saturate", "throughput", "n = 6", "sha256:")

	o = dyno(t, home, "gate", new, "--baseline", "main", "--fail", "throughput < -90%", "--markdown", "gate.md")
	o.want(t, 0, o.stdout, "old  baseline main (run "+old+")", "new  run "+new, "OK  2 of 2 checks ok")
	contains(t, read(t, filepath.Join(home, "gate.md")), "### dyno gate: ok")
	o = dyno(t, home, "gate", new, "--baseline", "main", "--quick", "--fail", "throughput < -90%")
	o.want(t, cli.ExitUsage, o.stderr, "they don't go with a run")

	o = dyno(t, home, "baseline", "add", "main", new)
	o.want(t, 0, o.stdout, "wrote dyno-baselines/main.yaml: 1 cells of 2 runs of 2 days")
	o = dyno(t, home, "baseline", "add", "main", new)
	o.want(t, 1, o.stderr, "is in baseline main already")
	o = dyno(t, home, "gate", new, "--baseline", "main", "--fail", "throughput < -90%")
	o.want(t, cli.ExitUsage, o.stderr, "it would be held against itself")
	o = dyno(t, home, "baseline", "show", "main")
	o.want(t, 0, o.stdout, "before", old, "n = 12")

	if err := os.WriteFile(file, []byte(strings.Replace(first, "median: ", "median: 9", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	o = dyno(t, home, "gate", new, "--baseline", "main")
	o.want(t, cli.ExitUsage, o.stderr, "dyno-baselines/main.yaml:", "is not the median of the values")
	o = dyno(t, home, "baseline", "list")
	o.want(t, 0, o.stdout, "damaged")
	o = dyno(t, home, "baseline", "remove", "main")
	o.want(t, 0, o.stderr)
	o = dyno(t, home, "baseline", "show", "main")
	o.want(t, 1, o.stderr, "there are none")
	o = dyno(t, home, "baseline", "set", "../main", old)
	o.want(t, 1, o.stderr, "can't name a baseline")
}

func historyCommand(t *testing.T, home, old, new string) {
	o := dyno(t, home, "history", "made-up")
	o.want(t, 0, o.stdout, "made-up: 2 runs", "good under saturate", "no change for the worse was found", "2 runs are few")
	writeStudy(t, home, "study: made-up\nsubjects: [go/gin]\n")
	o = dyno(t, home, "history", "study.yaml", "--format", "json", "--metric", "throughput")
	var h struct {
		Runs   []struct{ ID string }
		Series []struct{ Metric string }
	}
	if err := json.Unmarshal([]byte(o.stdout), &h); err != nil || len(h.Runs) != 2 || h.Runs[0].ID != old || h.Runs[1].ID != new || len(h.Series) != 1 {
		t.Errorf("%v: %s%s", err, o.stdout, o.stderr)
	}
	o = dyno(t, home, "history", new, old, "--format", "markdown")
	o.want(t, 0, o.stdout, "## made-up: 2 runs", "| good |")
	for _, c := range []struct {
		args []string
		code int
		why  string
	}{
		{[]string{}, 2, "a study's name"},
		{[]string{"nothing"}, 1, `no complete run of a study "nothing"`},
		{[]string{"made-up", "--p", "2"}, 2, "--p"},
		{[]string{"made-up", "--last", "0"}, 2, "--last"},
		{[]string{"made-up", "--metric", "cqu"}, 2, "did you mean cpu?"},
	} {
		o := dyno(t, home, append([]string{"history"}, c.args...)...)
		o.want(t, c.code, o.stderr, c.why)
	}
}

// otherMachine moves a baseline to a machine with another processor.
func otherMachine(t *testing.T, home, old, new string) {
	dyno(t, home, "baseline", "set", "elsewhere", old).want(t, 0, "")
	file := filepath.Join(home, "dyno-baselines", "elsewhere.yaml")
	moved := strings.Replace(read(t, file), "- name: cpus\n      value: \"", "- name: cpus\n      value: \"9", 1)
	if moved == read(t, file) {
		t.Fatalf("the file has no number of CPUs:\n%s", moved)
	}
	if err := os.WriteFile(file, []byte(moved), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"gate", new, "--baseline", "elsewhere", "--fail", "throughput < -90%"}
	o := dyno(t, home, args...)
	o.want(t, cli.ExitUsage, o.stderr, "the machines differ (cpus: 9", "--across-machines")
	o = dyno(t, home, append(args, "--across-machines")...)
	o.want(t, 0, o.stdout, "ACROSS MACHINES")
}

// editedRun changes a run's raw data: nothing uses it any more.
func editedRun(t *testing.T, home, old, new string) {
	path := filepath.Join(home, "runs", old, "trials", "0000", "windows.jsonl")
	text := read(t, path)
	if err := os.WriteFile(path, []byte(strings.Replace(text, `"completed":`, `"completed":1`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	const why = "0000/windows.jsonl: was changed since the run ended: its SHA-256 is "
	for _, args := range [][]string{{"compare", old, new}, {"baseline", "set", "x", old}, {"history", old, new}} {
		o := dyno(t, home, args...)
		o.want(t, 1, o.stderr, why)
	}
	o := dyno(t, home, "gate", old, "--baseline", "elsewhere")
	o.want(t, cli.ExitCannotTell, o.stderr, "can't tell: ", why)
	o = dyno(t, home, "history", "made-up")
	o.want(t, 0, o.stdout, "made-up: 1 run,", "Left out", "was changed since the run ended")
}
