package explaincmd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/cmd/dyno/internal/library"
	"dyno.example/dyno/probe/pprof"
	"dyno.example/dyno/profiled"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// profileFlags choose what is shown of a run's profiles.
type profileFlags struct {
	subject, load string
	kind, value   string
	top           int
	json          bool
	out           string
}

// NewProfile is dyno profile.
func NewProfile(global *cli.Global) *cobra.Command {
	var f profileFlags
	cmd := &cobra.Command{
		Use:   "profile RUN",
		Short: "Show in which functions a run's subjects spent their time",
		Long: `Show in which functions a run's subjects spent their CPU time, or allocated, from the
profiles that the run has kept (keep: [cpu, pprof] in its study); of all starts together.

Of a study with explain: true there are also the shares of what ran for slow requests, and
for ordinary ones, of those that were traced.

--of off-cpu (keep: [off-cpu]) is where threads were while they were off the CPU, with the system
call that they waited in at the tip; with explain: true first those functions below which slow
requests waited for more than ordinary ones.

With --out the profile goes to a file, which go tool pprof opens, with flame graphs:
  dyno profile latest --subject NAME --load NAME --out cpu.pb.gz
  go tool pprof -http=: cpu.pb.gz`,
		Args: cli.ExactArgs(1, i18n.New("archivecmd.run-arg", "a run's ID, or latest")),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return cli.UsageError(err)
			}
			return showProfile(cmd.Context(), global, &f, args[0])
		},
		ValidArgsFunction: library.CompleteRuns,
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.subject, "subject", "", "only this subject")
	flags.StringVar(&f.load, "load", "", "only this load")
	flags.StringVar(&f.kind, "of", "", "which profile: cpu, cpu-slow, cpu-others, off-cpu, off-cpu-slow, off-cpu-others, pprof-cpu, pprof-allocs or pprof-heap (default: the first that there is)")
	flags.StringVar(&f.value, "value", "", "which of its values, such as alloc_objects (default: its main one)")
	flags.IntVar(&f.top, "top", 20, "so many functions")
	flags.BoolVar(&f.json, "json", false, "as JSON")
	flags.StringVar(&f.out, "out", "", "write the profile to this file, for go tool pprof")
	return cmd
}

func (f *profileFlags) check() error {
	if f.kind != "" && !slices.Contains(archive.Kinds(), archive.Kind(f.kind)) {
		return i18n.Errorf("explaincmd.no-such-profile", "--of %q is none of %s", f.kind, kindNames())
	}
	if f.top < 1 {
		return i18n.Errorf("explaincmd.top-too-small", "--top %d: it must be at least 1", f.top)
	}
	if f.out != "" {
		return cli.CheckFile("--out", f.out)
	}
	return nil
}

func kindNames() string {
	var names []string
	for _, k := range archive.Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

func showProfile(ctx context.Context, global *cli.Global, f *profileFlags, ref string) error {
	run, err := library.OpenRun(ctx, global, ref)
	if err != nil {
		return err
	}
	cells, kind, err := f.cells(run)
	if err != nil {
		tellFlights(global, run)
		return err
	}
	if f.out != "" {
		return f.write(global, run, cells, kind)
	}
	tables, err := f.tables(run, cells, kind)
	if err != nil {
		return err
	}
	if f.json {
		return cli.WriteJSON(os.Stdout, tables)
	}
	for i := range tables {
		if err := tables[i].print(global, i); err != nil {
			return err
		}
	}
	tellFlights(global, run)
	global.Out().Print(i18n.New("explaincmd.open-in-pprof", "\nin the browser, with flame graphs: dyno profile %s --of %s --out FILE (with --subject and --load if there are several), then: go tool pprof -http=: FILE", run.Manifest.ID, string(kind)))
	return nil
}

// tellFlights lists the first execution traces that a run has.
func tellFlights(global *cli.Global, run *archive.Run) {
	const most = 10
	told := 0
	for i := range run.Trials {
		for _, f := range run.Flights(i) {
			if told++; told > most {
				return
			}
			before := ""
			if told == 1 {
				before = "\n"
			}
			global.Out().Print(i18n.Join(before, i18n.New("explaincmd.flight", "go tool trace %s  (%s)", f[0], f[1])))
		}
	}
}

// cells are those of the kind that the flags ask for, or of the first that the run has.
func (f *profileFlags) cells(run *archive.Run) ([]profiled.Cell, archive.Kind, error) {
	kinds := archive.Kinds()
	if f.kind != "" {
		kinds = []archive.Kind{archive.Kind(f.kind)}
	}
	for _, kind := range kinds {
		all, err := profiled.Read(run, kind)
		if err != nil {
			return nil, kind, err
		}
		if len(all) == 0 {
			continue
		}
		chosen := slices.DeleteFunc(all, func(c profiled.Cell) bool {
			return f.subject != "" && f.subject != c.Subject || f.load != "" && f.load != c.Load
		})
		if len(chosen) == 0 {
			return nil, kind, cli.UsageError(i18n.Errorf("explaincmd.no-profile-of-cell", "run %s has no profile of --subject %q and --load %q; leave out one of them", run.Manifest.ID, f.subject, f.load))
		}
		return chosen, kind, nil
	}
	return nil, "", i18n.Errorf("explaincmd.no-profiles", "run %s has kept no such profile: add keep: [cpu] to its study, or also pprof for what the subject offers itself", run.Manifest.ID)
}

// write writes the one cell's profile.
func (f *profileFlags) write(global *cli.Global, run *archive.Run, cells []profiled.Cell, kind archive.Kind) error {
	if len(cells) != 1 {
		return cli.UsageError(i18n.Errorf("explaincmd.one-profile", "run %s has profiles of %d subjects and loads: choose one with --subject and --load", run.Manifest.ID, len(cells)))
	}
	p, err := cells[0].Merged()
	if err != nil {
		return err
	}
	if p == nil {
		return i18n.Errorf("explaincmd.profile-missing", "%s under %s has no profile: %s", cells[0].Subject, cells[0].Group, i18n.List("; ", cells[0].Missing...))
	}
	p.Program = cells[0].Subject + ", " + cells[0].Group + " (" + string(kind) + ")"
	if err := cli.WriteFile(f.out, func(b *bytes.Buffer) error { return p.Write(b) }); err != nil {
		return err
	}
	global.Out().Print(i18n.New("explaincmd.profile-written", "written; to open it: go tool pprof -http=: %s", f.out))
	return nil
}

// profileTable is a cell's functions as they are shown.
type profileTable struct {
	Subject string         `json:"subject"`
	Load    string         `json:"load"`
	Kind    archive.Kind   `json:"kind"`
	Value   string         `json:"value"`
	Unit    string         `json:"unit"`
	Starts  int            `json:"starts"`
	Sum     int64          `json:"sum"`              // of all functions, in the unit
	Slow    *int64         `json:"slow,omitempty"`   // the same of slow requests, if there is such a profile
	Others  *int64         `json:"others,omitempty"` // and of ordinary ones
	Rows    []profiled.Row `json:"functions"`        // others: slow, then ordinary requests' shares
	Missing []string       `json:"missing,omitempty"`

	missing []i18n.Message
}

// ofRequests are the profiles of slow requests and of ordinary ones that belong to one of all.
var ofRequests = map[archive.Kind][2]archive.Kind{
	archive.CPUProfile:    {archive.SlowProfile, archive.OtherProfile},
	archive.OffCPUProfile: {archive.SlowOffCPUProfile, archive.OtherOffCPUProfile},
}

func (f *profileFlags) tables(run *archive.Run, cells []profiled.Cell, kind archive.Kind) (list []profileTable, err error) {
	var slow, others []profiled.Cell
	if beside, ok := ofRequests[kind]; ok {
		if slow, err = profiled.Read(run, beside[0]); err != nil {
			return nil, err
		}
		if others, err = profiled.Read(run, beside[1]); err != nil {
			return nil, err
		}
	}
	for i := range cells {
		t, err := f.table(&cells[i], kind, slow, others)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}

func (f *profileFlags) table(c *profiled.Cell, kind archive.Kind, slow, others []profiled.Cell) (profileTable, error) {
	t := profileTable{Subject: c.Subject, Load: c.Group, Kind: kind, Starts: len(c.Starts), missing: c.Missing}
	for _, m := range c.Missing {
		t.Missing = append(t.Missing, m.String())
	}
	all, err := c.Merged()
	if err != nil || all == nil {
		return t, err
	}
	column := len(all.Types) - 1
	if f.value != "" {
		if column = all.Column(f.value); column < 0 {
			return t, cli.UsageError(i18n.Errorf("explaincmd.no-such-value", "--value %q: the profile has %s", f.value, typeNames(all)))
		}
	}
	t.Value, t.Unit = all.Types[column].Name, all.Types[column].Unit
	profiles := []*pprof.Profile{all}
	for _, of := range [][]profiled.Cell{slow, others} {
		at := slices.IndexFunc(of, func(o profiled.Cell) bool { return o.Subject == c.Subject && o.Group == c.Group })
		if at < 0 {
			continue
		}
		p, err := of[at].Merged()
		if err != nil {
			return t, err
		}
		profiles = append(profiles, p)
	}
	var top profiled.Table
	if kind == archive.OffCPUProfile && len(profiles) == 3 && profiles[1] != nil {
		top = profiled.Waited(t.Value, f.top, all, profiles[1], profiles[2])
	} else {
		top = profiled.Top(t.Value, f.top, profiles...)
	}
	t.Sum, t.Rows = top.Sums[0], top.Rows
	if len(top.Sums) == 3 {
		t.Slow, t.Others = &top.Sums[1], &top.Sums[2]
	}
	return t, nil
}

func typeNames(p *pprof.Profile) string {
	var names []string
	for _, t := range p.Types {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

func (t *profileTable) print(global *cli.Global, at int) error {
	out, say := global.Out(), global.Texts().Say
	before := ""
	if at > 0 {
		before = "\n"
	}
	out.Print(i18n.Join(before, i18n.New("explaincmd.profile-of", "%s under %s: %s of %s in %d starts", t.Subject, t.Load, inUnit(t.Sum, t.Unit), t.Value, t.Starts)))
	for _, m := range t.missing {
		out.Print(i18n.Join("- ", m))
	}
	if len(t.Rows) == 0 {
		return nil
	}
	head := []string{say(i18n.New("explaincmd.head-self", "SELF")), say(i18n.New("explaincmd.head-total", "TOTAL"))}
	if t.Slow != nil {
		head = append(head, say(i18n.New("explaincmd.head-slow", "SLOW")), say(i18n.New("explaincmd.head-ordinary", "ORDINARY")))
	}
	rows := [][]string{append(head, say(i18n.New("explaincmd.head-function", "FUNCTION")))}
	for _, r := range t.Rows {
		row := []string{share(r.Self), share(r.Total)}
		if t.Slow != nil {
			row = append(row, shareOf(r.Others[0], *t.Slow), shareOf(r.Others[1], *t.Others))
		}
		rows = append(rows, append(row, report.TerminalText(r.Function)))
	}
	if err := cli.PrintTable(rows); err != nil {
		return err
	}
	switch {
	case t.Slow == nil:
	case t.Kind == archive.OffCPUProfile:
		out.Print(i18n.New("explaincmd.slow-waits", "SLOW and ORDINARY are shares of what requests that were traced waited for, in each function and what it called: of %s and %s of %s", inUnit(*t.Slow, t.Unit), inUnit(*t.Others, t.Unit), t.Value))
	default:
		out.Print(i18n.New("explaincmd.slow-and-ordinary", "SLOW and ORDINARY are shares of what ran for requests that were traced: %s and %s of %s", inUnit(*t.Slow, t.Unit), inUnit(*t.Others, t.Unit), t.Value))
	}
	return nil
}

func share(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// shareOf is a dash of a profile that has nothing.
func shareOf(x float64, of int64) string {
	if of == 0 {
		return "–"
	}
	return share(x)
}

// inUnit is a sum in the units of pprof.
func inUnit(x int64, unit string) string {
	switch unit {
	case "nanoseconds":
		return report.Quantity("µs", float64(x)/1e3)
	case "bytes":
		return report.Quantity("bytes", float64(x))
	}
	return fmt.Sprint(x)
}
