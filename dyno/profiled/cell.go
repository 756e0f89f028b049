// Package profiled reads the profiles that a run has kept, cell by cell, and says which
// functions they name.
package profiled

import (
	"bytes"
	"slices"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/probe/pprof"
	"dyno.example/internal/i18n"
)

// Cell is the profiles of one kind of a cell's trials.
type Cell struct {
	Subject string
	Load    string // its name, without levels
	Group   string // the load and its levels
	Starts  []Start
	Missing []i18n.Message // why trials lack theirs
}

// Start is a trial's profile.
type Start struct {
	Trial    int
	File     string // where it is on disk; empty of a run in memory
	Profile  *pprof.Profile
	Requests uint64 // completed in the measured time
}

// Read reads the profiles of a kind from a run's usable trials. Cells whose trials neither
// have nor lack any are left out, and so is the reference's twin.
func Read(run *archive.Run, kind archive.Kind) ([]Cell, error) {
	cells := make([]Cell, len(run.Manifest.Plan.Cells))
	for i := range cells {
		c := &run.Manifest.Plan.Cells[i]
		cells[i] = Cell{Subject: c.Subject, Load: c.Load, Group: c.Title()}
	}
	for i := range run.Trials {
		t := &run.Trials[i]
		if !t.Usable() || run.Manifest.Plan.Cells[t.Cell].Twin {
			continue
		}
		if err := cells[t.Cell].add(run, i, kind); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(cells, func(c Cell) bool { return len(c.Starts)+len(c.Missing) == 0 }), nil
}

func (c *Cell) add(run *archive.Run, i int, kind archive.Kind) error {
	t := &run.Trials[i]
	for _, k := range t.Kept {
		if k.Kind == kind && k.Missing != "" {
			c.Missing = append(c.Missing, i18n.New("profiled.missing", "trial %d: %s", t.Index, k.Missing))
		}
	}
	content, err := run.Kept(i, kind)
	if err != nil || content == nil {
		return err
	}
	p, err := pprof.Read(bytes.NewReader(content))
	if err != nil {
		return &archive.Damage{File: run.KeptFile(i, kind), Err: err}
	}
	s := Start{Trial: t.Index, File: run.KeptFile(i, kind), Profile: p}
	for w := range t.Windows {
		if client := &t.Windows[w].Client; !client.Warmup() {
			s.Requests += client.Completed
		}
	}
	c.Starts = append(c.Starts, s)
	return nil
}

// Merged is all starts in one profile; nil if there are none.
func (c *Cell) Merged() (*pprof.Profile, error) {
	list := make([]*pprof.Profile, len(c.Starts))
	for i := range c.Starts {
		list[i] = c.Starts[i].Profile
	}
	return pprof.Merge(list...)
}
