package explaincmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe/offcpu"
	"dyno.example/dyno/probe/pprof"
	"dyno.example/dyno/study"
)

// keptRun is a run in memory: b's profile has "burn", and of slow requests "wait".
func keptRun(t *testing.T) *archive.Run {
	t.Helper()
	run := &archive.Run{}
	run.Manifest.ID = "r"
	run.Manifest.Plan.Cells = []study.Cell{{Subject: "a", Load: "l"}, {Subject: "b", Load: "l"}}
	for cell := range 2 {
		one := archive.Trial{PlannedTrial: study.PlannedTrial{Index: cell, Cell: cell}, Status: archive.Complete, Validity: finding.Valid}
		one.Windows = []archive.Window{{Client: measure.Window{Completed: 5}, Level: finding.Valid}}
		for kind, name := range map[archive.Kind]string{archive.CPUProfile: "burn", archive.SlowProfile: "wait", archive.OtherProfile: "burn"} {
			p := &pprof.Profile{Types: []pprof.Type{pprof.Samples, pprof.CPU}, Samples: []pprof.Sample{{Stack: []string{name, "main"}, Values: []int64{2, 2e6}}, {Stack: []string{"burn"}, Values: []int64{2, 2e6}}}}
			var b bytes.Buffer
			if err := p.Write(&b); err != nil {
				t.Fatal(err)
			}
			one.Keep(kind, b.Bytes(), nil, nil)
		}
		run.Trials = append(run.Trials, one)
	}
	return run
}

func TestProfileTables(t *testing.T) {
	run := keptRun(t)
	f := profileFlags{subject: "b", top: 5}
	cells, kind, err := f.cells(run)
	if err != nil || kind != archive.CPUProfile || len(cells) != 1 {
		t.Fatalf("%+v, %v", cells, err)
	}
	tables, err := f.tables(run, cells, kind)
	if err != nil || len(tables) != 1 {
		t.Fatal(tables, err)
	}
	got := tables[0]
	if got.Value != "cpu" || got.Sum != 4e6 || got.Slow == nil || *got.Slow != 4e6 || got.Rows[0].Function != "burn" || got.Rows[0].Self != 1 || got.Rows[0].Others[0] != 0.5 || got.Rows[0].Others[1] != 1 {
		t.Errorf("%+v", got)
	}
	for _, bad := range []profileFlags{{subject: "c", top: 5}, {kind: "pprof-heap", top: 5}} {
		if _, _, err := bad.cells(run); err == nil {
			t.Errorf("%+v is there", bad)
		}
	}
	bad := profileFlags{value: "allocs", top: 5}
	if _, err := bad.tables(run, cells, kind); err == nil || !strings.Contains(err.Error(), "samples, cpu") {
		t.Errorf("%v", err)
	}
	for _, bad := range []profileFlags{{kind: "gpu", top: 5}, {top: 0}, {top: 5, out: "/no/such/folder/f"}} {
		if bad.check() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// Of waits the functions come first below which slow requests waited for more than ordinary ones.
func TestWaits(t *testing.T) {
	run := keptRun(t)
	for i := range run.Trials {
		for kind, name := range map[archive.Kind]string{archive.OffCPUProfile: "idle", archive.SlowOffCPUProfile: "save", archive.OtherOffCPUProfile: "answer"} {
			p := &pprof.Profile{Types: []pprof.Type{pprof.Samples, offcpu.OffCPU}, Samples: []pprof.Sample{{Stack: []string{"[futex]", name, "main"}, Values: []int64{2, 2e6}}, {Stack: []string{"[fsync]", "save", "main"}, Values: []int64{1, 1e6}}}}
			var b bytes.Buffer
			if err := p.Write(&b); err != nil {
				t.Fatal(err)
			}
			run.Trials[i].Keep(kind, b.Bytes(), nil, nil)
		}
	}
	f := profileFlags{subject: "b", top: 1, kind: string(archive.OffCPUProfile)}
	cells, kind, err := f.cells(run)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := f.tables(run, cells, kind)
	if err != nil || len(tables) != 1 || tables[0].Value != "off-cpu" || len(tables[0].Rows) != 1 || tables[0].Rows[0].Function != "save" || tables[0].Rows[0].Others[0] != 1 {
		t.Errorf("%+v, %v", tables, err)
	}
	if err := tables[0].print(&cli.Global{Lang: "en"}, 0); err != nil {
		t.Error(err)
	}
}

func TestProfileIsWritten(t *testing.T) {
	run := keptRun(t)
	f := profileFlags{top: 5, out: filepath.Join(t.TempDir(), "cpu.pb.gz")}
	global := &cli.Global{Lang: "en"}
	cells, kind, err := f.cells(run)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.write(global, run, cells, kind); err == nil {
		t.Error("two cells are one profile")
	}
	if err := f.write(global, run, cells[:1], kind); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(f.out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if p, err := pprof.Read(file); err != nil || p.Sum(1) != 4e6 || !strings.Contains(p.Program, "a, l") {
		t.Errorf("%+v, %v", p, err)
	}
}
