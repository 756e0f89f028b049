package explaincmd

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/evidence"
	"dyno.example/dyno/explain"
	"dyno.example/dyno/load/request"
	"dyno.example/dyno/probe/pprof"
	"dyno.example/dyno/study"
)

// tracedRun has a slow and an ordinary request in each of two trials of one cell, and in one of
// another cell.
func tracedRun() *archive.Run {
	cell := func(connections string) study.Cell {
		return study.Cell{Subject: "shop", Load: "steady", Levels: map[string]string{"connections": connections}, Requests: []request.Request{{Name: "list"}}}
	}
	record := func(class evidence.Class, disk int64) evidence.Record {
		return evidence.Record{Class: class, Weight: 1, Done: 1e6 + disk, Intervals: []evidence.Interval{{Stage: evidence.Disk, To: disk, Reason: "fsync"}, {Stage: evidence.OnCPU, From: disk, To: 1e6 + disk}}}
	}
	run := &archive.Run{}
	run.Manifest.Plan.Cells = []study.Cell{cell("64"), cell("256")}
	for i, at := range []int{0, 1, 0} {
		t := archive.Trial{Status: archive.Complete, Windows: make([]archive.Window, 1)}
		t.Cell, t.Index = at, i
		t.Evidence = &archive.Evidence{Header: &evidence.Header{}, Records: []evidence.Record{record(evidence.Tail, 9e6), record(evidence.Match, 0), record(evidence.Match, 2e6)}}
		run.Trials = append(run.Trials, t)
	}
	return run
}

func TestProfileOfRequests(t *testing.T) {
	e := explain.Explanation{Subject: "shop", Load: "steady", Levels: map[string]string{"connections": "64"}}
	p, err := profileOfRequests(tracedRun(), &e)
	if err != nil {
		t.Fatal(err)
	}
	if slow, ordinary := p.Sum(p.Column("slow")), p.Sum(p.Column("ordinary")); slow != 2*10e6 || ordinary != 2*2e6 || p.Program != "shop, steady, connections=64" {
		t.Errorf("slow %d, ordinary %d of %s", slow, ordinary, p.Program)
	}
	f := explainFlags{out: filepath.Join(t.TempDir(), "slow.pb.gz")}
	if err := f.write(&cli.Global{Lang: "en"}, p); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(f.out)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if back, err := pprof.Read(file); err != nil || back.Sum(back.Column("more")) != 2*8e6 {
		t.Errorf("%+v, %v", back, err)
	}
	e.Subject = "another"
	if p, err := profileOfRequests(tracedRun(), &e); p != nil || err != nil || f.write(&cli.Global{Lang: "en"}, p) == nil {
		t.Errorf("of a subject without: %+v, %v", p, err)
	}
}

// One file has one cell's requests, and is not written beside something else.
func TestOutFlag(t *testing.T) {
	f := explainFlags{out: filepath.Join(t.TempDir(), "f")}
	if err := f.writeProfile(context.Background(), &cli.Global{Lang: "en"}, "latest", make([]explain.Explanation, 2)); err == nil {
		t.Error("two cells are one profile")
	}
	if err := f.checkOut(); err != nil {
		t.Error(err)
	}
	for _, bad := range []explainFlags{{out: f.out, json: true}, {out: f.out, test: "gc"}, {out: "/no/such/folder/f"}} {
		if bad.checkOut() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}
