package loadcmd

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/export"
	"dyno.example/dyno/load"
	"dyno.example/dyno/load/measure"
	"dyno.example/internal/i18n"
	"dyno.example/nano/wire/clock"
)

// outputFlags are the flags of dyno load that say what is to hold and what is
// written where.
type outputFlags struct {
	fail               []string
	out                []string
	junit              string
	remoteWrite        string
	remoteWriteHeaders []string
	otlp               string
	otlpHeaders        []string
	labels             []string
}

func (f *outputFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.fail, "fail", nil, "what must hold, or the exit status is 1, such as 'p99<20ms, errors<0.1%' or 'every window: p99<50ms' (repeatable)")
	flags.StringArrayVarP(&f.out, "out", "o", nil, "also write FORMAT=FILE, - for standard output: hlog, csv, json, jsonl, benchstat, junit, html or md (repeatable)")
	flags.StringVar(&f.junit, "junit", "", "also write the thresholds to this file as JUnit XML")
	flags.StringVar(&f.remoteWrite, "remote-write", "", "send every finished window to this URL by Prometheus remote write")
	flags.StringArrayVar(&f.remoteWriteHeaders, "remote-write-header", nil, "header for it, as 'Name: value' (repeatable; or in DYNO_REMOTE_WRITE_HEADERS, one a line)")
	flags.StringVar(&f.otlp, "otlp", "", "send every finished window to this URL by OTLP over HTTP")
	flags.StringArrayVar(&f.otlpHeaders, "otlp-header", nil, "header for it, as 'Name: value' (repeatable; or in DYNO_OTLP_HEADERS, one a line)")
	flags.StringArrayVar(&f.labels, "label", nil, "label of what is sent, as NAME=VALUE (repeatable)")
}

// loadOutputs are all outputs of one load apart from its text: those written while
// it runs, and those written at its end.
type loadOutputs struct {
	spec         *load.Spec
	destinations []destination
	endpoints    []*endpoint
	labels       map[string]string
	events       []*export.LoadEvents

	measured int64     // CLOCK_MONOTONIC at the start of the measured time
	started  time.Time // the same on the wall clock
}

// openOutputs checks all that the flags ask for and opens what is written while
// the load runs, so that nothing is found wanting after it.
func (f *Flags) openOutputs(spec *load.Spec) (*loadOutputs, error) {
	o := &loadOutputs{spec: spec}
	var err error
	if o.destinations, err = f.destinations(); err != nil {
		return nil, cli.UsageError(err)
	}
	if o.endpoints, err = f.endpoints(); err != nil {
		return nil, cli.UsageError(err)
	}
	if o.labels, err = f.pushLabels(spec); err != nil {
		return nil, cli.UsageError(err)
	}
	for i := range o.destinations {
		if err := o.destinations[i].check(); err != nil {
			return nil, err
		}
	}
	for i := range o.destinations {
		if d := &o.destinations[i]; d.write == nil {
			stream, err := openEvents(d)
			if err != nil {
				return nil, err
			}
			o.events = append(o.events, stream)
		}
	}
	return o, nil
}

// begin is called when the measured time begins, before the first window.
func (o *loadOutputs) begin(measured int64) {
	wall, mono := time.Now(), clock.Now()
	o.measured, o.started = measured, wall.Add(time.Duration(measured-mono))
	source := &export.Source{Labels: o.labels, Wall: o.started, Mono: measured, Since: o.started.Add(-o.spec.Warmup)}
	for _, e := range o.endpoints {
		e.start(source)
	}
	for _, stream := range o.events {
		stream.Started(o.spec, o.started, cli.Version())
	}
}

// window is given every finished window. It does not wait for anything.
func (o *loadOutputs) window(w *measure.Window) {
	for _, e := range o.endpoints {
		e.push.Window(w)
	}
	for _, stream := range o.events {
		stream.Window(w, o.started.Add(time.Duration(w.Start-o.measured)+w.Length))
	}
}

// finish writes what is written at the end, and waits for what was under way.
// Metrics that could not be delivered are no error of the load: they are reported
// on warnings.
func (o *loadOutputs) finish(e *endedLoad, warnings i18n.Printer) error {
	e.Started = o.started
	if e.Started.IsZero() {
		e.Started = time.Now()
	}
	failed := saveAll(o.destinations, e)
	for _, stream := range o.events {
		if e.unreachable != nil {
			stream.Failed(e.unreachable)
		} else {
			stream.Finished(&e.Load)
		}
		failed = errors.Join(failed, stream.Close())
	}
	for _, to := range o.endpoints {
		if err := to.close(); err != nil {
			warnings.Print(i18n.Format("dyno: %v", err))
		}
	}
	return failed
}

// has reports whether an output of the form was asked for.
func (o *loadOutputs) has(format string) bool {
	return slices.ContainsFunc(o.destinations, func(d destination) bool { return d.name == format })
}

// openEvents opens the file of a destination, which is emptied.
func openEvents(d *destination) (*export.LoadEvents, error) {
	if d.path == "-" {
		return export.NewLoadEvents("standard output", os.Stdout, nil), nil
	}
	f, err := os.Create(d.path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.flag, err)
	}
	return export.NewLoadEvents(d.path, f, f), nil
}
