package explaincmd

import (
	"bytes"
	"context"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/library"
	"dyno.example/dyno/explain"
	"dyno.example/dyno/probe/pprof"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// writeProfile writes where the time of one cell's traced requests went.
func (f *explainFlags) writeProfile(ctx context.Context, global *cli.Global, ref string, list []explain.Explanation) error {
	if len(list) != 1 {
		return cli.UsageError(i18n.Errorf("explaincmd.one-explanation", "run %s has %d subjects and loads to explain: for --out choose one with --subject and --load, as in --load %q", ref, len(list), list[0].Group()))
	}
	run, err := library.OpenRun(ctx, global, ref)
	if err != nil {
		return err
	}
	p, err := profileOfRequests(run, &list[0])
	if err != nil {
		return err
	}
	return f.write(global, p)
}

// profileOfRequests is of all usable trials of what an explanation is of; nil if none of them
// has traced both slow and ordinary requests.
func profileOfRequests(run *archive.Run, e *explain.Explanation) (*pprof.Profile, error) {
	var list []*pprof.Profile
	for i := range run.Trials {
		t := &run.Trials[i]
		cell := &run.Manifest.Plan.Cells[t.Cell]
		if !t.Usable() || cell.Twin || !explains(e, cell) {
			continue
		}
		header, records, err := run.Evidence(i)
		if err != nil {
			return nil, err
		}
		if header == nil {
			continue
		}
		var kinds []string
		for k := range cell.Requests {
			kinds = append(kinds, cell.Requests[k].Name)
		}
		if p := explain.Profile(header, records, kinds); p != nil {
			list = append(list, p)
		}
	}
	p, err := pprof.Merge(list...)
	if p != nil {
		p.Program = e.Subject + ", " + e.Group()
	}
	return p, err
}

func explains(e *explain.Explanation, cell *study.Cell) bool {
	if e.Subject != cell.Subject || e.Load != cell.Load || len(e.Levels) != len(cell.Levels) {
		return false
	}
	for factor, level := range e.Levels {
		if cell.Levels[factor] != level {
			return false
		}
	}
	return true
}

func (f *explainFlags) write(global *cli.Global, p *pprof.Profile) error {
	if p == nil {
		return i18n.Errorf("explaincmd.no-traced-requests", "there are no traced requests, slow ones and ordinary ones: those come with explain: true in a study, or dyno load --explain, as root on Linux")
	}
	if err := cli.WriteFile(f.out, func(b *bytes.Buffer) error { return p.Write(b) }); err != nil {
		return err
	}
	global.Out().Print(i18n.New("explaincmd.profile-written", "written; to open it: go tool pprof -http=: %s", f.out))
	return nil
}

// checkOut refuses what doesn't go with --out, before anything is measured or read.
func (f *explainFlags) checkOut() error {
	switch {
	case f.json:
		return i18n.Errorf("explaincmd.not-with-out", "--out doesn't go with --%s", "json")
	case f.test != "":
		return i18n.Errorf("explaincmd.not-with-out", "--out doesn't go with --%s", "test")
	}
	return cli.CheckFile("--out", f.out)
}
