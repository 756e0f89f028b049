package loadcmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/evidence"
	"dyno.example/dyno/evidence/collect"
	"dyno.example/dyno/explain"
	"dyno.example/dyno/load"
	"dyno.example/dyno/machine/busy"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// ownPlace is the value of --explain without a file.
const ownPlace = "auto"

// explainFlags have evidence of a load's requests collected.
type explainFlags struct {
	file string // empty: none is collected
	keep keepFlags

	header  *evidence.Header
	records []evidence.Record
}

func (f *explainFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "explain", "", "collect evidence of single requests, say why the slow ones were slow, and keep it in this file (without one: in DYNO_HOME)")
	flags.Lookup("explain").NoOptDefVal = ownPlace
	f.keep.register(flags)
}

// check makes sure of the files before the load.
func (f *explainFlags) check(spec *load.Spec) error {
	switch f.file {
	case "":
		return f.keep.check("", spec)
	case ownPlace:
		home, err := cli.Home()
		if err != nil {
			return err
		}
		folder := filepath.Join(home, "evidence")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		f.file = filepath.Join(folder, time.Now().UTC().Format("20060102-150405.000")+".jsonl.gz")
	}
	if err := f.keep.check(f.file, spec); err != nil {
		return err
	}
	return cli.CheckFile("--explain", f.file)
}

// run runs the load, and collects if that is asked for.
func (f *explainFlags) run(ctx context.Context, spec load.Spec) (*load.Result, error) {
	if f.file == "" {
		return load.Run(ctx, spec)
	}
	config := configOf(ctx, &spec)
	if err := f.keep.begin(&spec, config.Processes); err != nil {
		return nil, err
	}
	c := collect.Start(config)
	defer func() {
		f.header, f.records = c.End()
		f.keep.end(ctx, f.header, f.records)
	}()
	return load.Run(ctx, spec.CollectedBy(c))
}

// fewestForCost is the length from which on some windows are without probes.
const fewestForCost = 10 * time.Second

// configOf is what is known of a load's server: a process that listens on this machine.
func configOf(ctx context.Context, spec *load.Spec) collect.Config {
	c := collect.Config{Port: collect.PortOf(spec.Target), Connections: spec.Profile.Connections, Seed: spec.Seed, Cost: max(spec.Duration, spec.Profile.Length()) >= fewestForCost}
	pids, err := busy.Server(ctx, spec.Target)
	c.Processes = pids
	switch {
	case err != nil:
		c.Missing = append(c.Missing, evidence.Missing{What: "server", Why: err.Error()})
	case pids == nil:
		c.Missing = append(c.Missing, evidence.Missing{What: "server", Why: "it is on another machine: only the generator's own times are known"})
	}
	return c
}

// finish keeps what was collected, and says what it explains unless quiet.
func (f *explainFlags) finish(global *cli.Global, quiet bool) error {
	if f.header == nil {
		return nil
	}
	if err := f.save(); err != nil {
		return err
	}
	if !quiet {
		fmt.Println()
		list := []explain.Explanation{explain.Records(f.header, f.records)}
		if err := report.Explained(os.Stdout, list, global.Lang, cli.Width(), cli.Colour()); err != nil {
			return err
		}
	}
	for _, m := range f.header.Missing {
		global.Err().Print(i18n.New("loadcmd.evidence-missing", "not seen (%s): %s", m.What, m.Why))
	}
	global.Err().Print(i18n.New("loadcmd.evidence-kept", "evidence of %d requests is in %s", len(f.records), f.file))
	return f.keep.save(global)
}

// save writes the file wholly or not at all.
func (f *explainFlags) save() error {
	to, err := os.CreateTemp(filepath.Dir(f.file), ".dyno-*")
	if err != nil {
		return i18n.Errorf("loadcmd.explain-file", "--explain: %w", err)
	}
	defer os.Remove(to.Name()) // gone already if all went well
	if err := evidence.Write(to, f.header, f.records); err != nil {
		to.Close()
		return i18n.Errorf("loadcmd.explain-file", "--explain: %w", err)
	}
	if err := to.Close(); err != nil {
		return i18n.Errorf("loadcmd.explain-file", "--explain: %w", err)
	}
	return os.Rename(to.Name(), f.file)
}
