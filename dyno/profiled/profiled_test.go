package profiled

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/load/measure"
	"dyno.example/dyno/probe/pprof"
	"dyno.example/dyno/study"
)

// profileOf is one with so many ns at each function, below main.
func profileOf(ns map[string]int64) *pprof.Profile {
	p := &pprof.Profile{Types: []pprof.Type{pprof.Samples, pprof.CPU}}
	for name, n := range ns {
		p.Samples = append(p.Samples, pprof.Sample{Stack: []string{name, "main"}, Values: []int64{n / 1e6, n}})
	}
	return p
}

// trial is one of a cell, with a profile and so many requests in its two measured seconds.
func trial(t *testing.T, index, cell int, requests uint64, p *pprof.Profile) archive.Trial {
	t.Helper()
	one := archive.Trial{PlannedTrial: study.PlannedTrial{Index: index, Cell: cell}, Status: archive.Complete, Validity: finding.Valid}
	for i := -1; i < 2; i++ {
		one.Windows = append(one.Windows, archive.Window{Client: measure.Window{Index: i, Completed: requests / 2}, Level: finding.Valid})
	}
	if p == nil {
		one.Lack(archive.CPUProfile, errors.New("no rights"))
		return one
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	one.Keep(archive.CPUProfile, b.Bytes(), nil, nil)
	return one
}

func TestRead(t *testing.T) {
	run := &archive.Run{}
	run.Manifest.Plan.Cells = []study.Cell{{Subject: "a", Load: "l", Levels: map[string]string{"size": "1"}}, {Subject: "a", Load: "l", Twin: true}, {Subject: "b", Load: "l"}, {Subject: "c", Load: "l"}}
	p := profileOf(map[string]int64{"burn": 3e6})
	failed := trial(t, 4, 0, 10, p)
	failed.Status = archive.Failed
	run.Trials = []archive.Trial{trial(t, 0, 0, 10, p), trial(t, 1, 1, 10, p), trial(t, 2, 2, 10, nil), trial(t, 3, 0, 20, p), failed}
	cells, err := Read(run, archive.CPUProfile)
	if err != nil || len(cells) != 2 {
		t.Fatalf("%+v, %v", cells, err)
	}
	a, b := cells[0], cells[1]
	if a.Subject != "a" || a.Group != "l, size=1" || len(a.Starts) != 2 || a.Starts[0].Requests != 10 || a.Starts[1].Requests != 20 {
		t.Errorf("%+v", a)
	}
	if len(b.Starts) != 0 || len(b.Missing) != 1 || !strings.Contains(b.Missing[0].String(), "no rights") {
		t.Errorf("%+v", b)
	}
	if merged, err := a.Merged(); err != nil || merged.Sum(1) != 6e6 {
		t.Errorf("%+v, %v", merged, err)
	}
	if merged, err := b.Merged(); merged != nil || err != nil {
		t.Errorf("%+v, %v", merged, err)
	}
	run.Trials[0].Kept[0].Content = []byte("spoilt")
	if _, err := Read(run, archive.CPUProfile); err == nil {
		t.Error("what is no profile is read")
	}
}

// starts is a cell whose starts cost so many ns in each function, at 100 requests each.
func starts(costs ...map[string]int64) *Cell {
	c := &Cell{}
	for _, ns := range costs {
		c.Starts = append(c.Starts, Start{Profile: profileOf(ns), Requests: 100})
	}
	return c
}

// A function that costs more in all starts stands out of the noise; one that varies as much
// in either run doesn't.
func TestCompare(t *testing.T) {
	old := starts(map[string]int64{"same": 100e6, "grows": 10e6, "tiny": 1e5}, map[string]int64{"same": 120e6, "grows": 11e6}, map[string]int64{"same": 90e6, "grows": 10e6})
	new := starts(map[string]int64{"same": 95e6, "grows": 30e6}, map[string]int64{"same": 119e6, "grows": 31e6}, map[string]int64{"same": 96e6, "grows": 29e6})
	list := Compare(old, new, "cpu")
	if len(list) != 2 || list[0].Function != "same" || list[1].Function != "grows" {
		t.Fatalf("%+v", list)
	}
	if same := list[0]; same.Noise < 1e5 || same.More.Low > 0 || same.More.High < 0 {
		t.Errorf("%+v", same)
	}
	if grows := list[1]; grows.More.Low <= 0 || grows.Noise <= 0 || grows.Noise > 0.5e5 || grows.New != 300e3 {
		t.Errorf("%+v", grows)
	}
	if one := Compare(starts(map[string]int64{"f": 1e6}), new, "cpu"); one[0].Noise != 0 || one[0].More.Level != 0 {
		t.Errorf("an interval of one start: %+v", one)
	}
	if list := Compare(old, new, "alloc_space"); list != nil {
		t.Errorf("%+v", list)
	}
	if list := Compare(&Cell{}, new, "cpu"); list != nil {
		t.Errorf("%+v", list)
	}
}

func TestTop(t *testing.T) {
	all := profileOf(map[string]int64{"a": 30e6, "b": 10e6})
	slow := profileOf(map[string]int64{"b": 10e6})
	top := Top("cpu", 1, all, slow, nil)
	if len(top.Rows) != 1 || top.Rows[0].Function != "a" || top.Rows[0].Self != 0.75 || top.Rows[0].Others[0] != 0 || top.Sums[1] != 10e6 || top.Sums[2] != 0 {
		t.Errorf("%+v", top)
	}
	top = Top("cpu", 9, all, slow, nil)
	if len(top.Rows) != 3 || top.Rows[1].Function != "b" || top.Rows[1].Others[0] != 1 || top.Rows[2].Function != "main" || top.Rows[2].Total != 1 {
		t.Errorf("%+v", top)
	}
}

// Waits are ranked by how much larger a part of slow requests' than of ordinary ones' is below a
// function, whatever threads without requests waited for.
func TestWaited(t *testing.T) {
	of := func(stacks ...pprof.Sample) *pprof.Profile {
		return &pprof.Profile{Types: []pprof.Type{{Name: "off-cpu", Unit: "nanoseconds"}}, Samples: stacks}
	}
	at := func(ns int64, stack ...string) pprof.Sample { return pprof.Sample{Stack: stack, Values: []int64{ns}} }
	all := of(at(900, "[futex]", "idle"), at(80, "[fsync]", "write", "save", "serve"), at(20, "[fsync]", "write", "log", "serve"))
	slow, ordinary := of(at(90, "[fsync]", "write", "save", "serve"), at(10, "[fsync]", "write", "log", "serve")), of(at(10, "[fsync]", "write", "log", "serve"))
	got := Waited("off-cpu", 2, all, slow, ordinary)
	if len(got.Rows) != 2 || got.Rows[0].Function != "save" || got.Rows[0].Others[0] != 0.9 || got.Rows[0].Others[1] != 0 || got.Rows[0].Total != 0.08 {
		t.Errorf("%+v", got)
	}
	if got := Waited("off-cpu", 20, all, slow, nil); len(got.Rows) != 7 || got.Sums[2] != 0 || got.Rows[6].Function != "idle" {
		t.Errorf("%+v", got)
	}
}
