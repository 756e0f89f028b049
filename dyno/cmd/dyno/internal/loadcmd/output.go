package loadcmd

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/export"
	"dyno.example/dyno/present/loadpage"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
	"dyno.example/internal/spelling"
)

// endedLoad is a load that has ended, for all that is written about it.
type endedLoad struct {
	export.Load
	maxErrors   float64
	unreachable error         // why there is no result to speak of; nil if there is one
	lang        string        // of reports
	secrets     []string      // to keep out of them
	kept        *explainFlags // nil if there is no result
}

// format is a form that --out writes.
type format struct {
	name      string
	extension string
	write     func(w *bytes.Buffer, e *endedLoad) error // nil for what is written while the load runs
	always    bool                                      // also of a target that can't be reached
	// histograms says that it is made of the windows' histograms, which a soak
	// keeps only if they are needed.
	histograms bool
}

func formats() []format {
	return []format{
		{name: "hlog", extension: ".hlog", histograms: true, write: func(w *bytes.Buffer, e *endedLoad) error { return export.HistogramLog(w, &e.Load) }},
		{name: "csv", extension: ".csv", histograms: true, write: func(w *bytes.Buffer, e *endedLoad) error { return export.CSV(w, &e.Load) }},
		{name: "json", extension: ".json", always: true, write: func(w *bytes.Buffer, e *endedLoad) error { return export.JSON(w, &e.Load) }},
		{name: "jsonl", extension: ".jsonl"},
		{name: "benchstat", extension: ".bench", histograms: true, write: func(w *bytes.Buffer, e *endedLoad) error { return export.Benchstat(w, &e.Load, cli.Version()) }},
		{name: "junit", extension: ".xml", always: true, write: func(w *bytes.Buffer, e *endedLoad) error { return export.JUnit(w, e.suite()) }},
		{name: "html", extension: ".html", histograms: true, write: writeLoadHTML},
		{name: "md", extension: ".md", histograms: true, write: writeLoadMarkdown},
	}
}

// destination is where one form goes.
type destination struct {
	format
	flag string // that asked for it
	path string // "-" is standard output
}

// parseDestination reads a value of --out: FORMAT=FILE, or a file whose
// extension says which.
func parseDestination(value string) (destination, error) {
	names := make([]string, 0, len(formats()))
	name, path, named := strings.Cut(value, "=")
	for _, f := range formats() {
		names = append(names, f.name)
		switch {
		case named && f.name == name:
			if path == "" {
				return destination{}, i18n.Errorf("loadcmd.out-without-file", "--out %s: the file is missing", value)
			}
			return destination{f, "--out", path}, nil
		case !named && f.extension == strings.ToLower(filepath.Ext(value)):
			return destination{f, "--out", value}, nil
		}
	}
	hint := i18n.New("claim.there-are", "there are %s", i18n.Names(names...))
	if meant, ok := spelling.Nearest(name, names); ok && named {
		hint = i18n.New("loadcmd.meant", "did you mean %s?", meant)
	}
	if named {
		return destination{}, i18n.Errorf("loadcmd.out-unknown-format", "--out %s: no format %q; %s", value, name, hint)
	}
	return destination{}, i18n.Errorf("loadcmd.out-format-unclear", "--out %s: the format can't be told from the file's name; write FORMAT=FILE, where formats are %s", value, i18n.Names(names...))
}

// destinations collects what is to be written where.
func (f *Flags) destinations() ([]destination, error) {
	var list []destination
	for _, value := range f.out {
		d, err := parseDestination(value)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	for _, short := range []struct{ flag, path, format string }{{"--html", f.html, "html"}, {"--junit", f.junit, "junit"}} {
		if short.path == "" {
			continue
		}
		i := slices.IndexFunc(formats(), func(x format) bool { return x.name == short.format })
		list = append(list, destination{formats()[i], short.flag, short.path})
	}
	return list, f.checkDestinations(list)
}

// needHistograms reports whether an output is made of the histograms of single
// windows. One that is wrong is found out later.
func (f *Flags) needHistograms() bool {
	list, _ := f.destinations()
	return slices.ContainsFunc(list, func(d destination) bool { return d.histograms })
}

// checkDestinations finds what would be written over.
func (f *Flags) checkDestinations(list []destination) error {
	seen := make(map[string]string)
	if f.asJSON {
		seen["-"] = "--json"
	}
	for _, d := range list {
		path := d.path
		if path != "-" {
			path = filepath.Clean(path)
		}
		if before := seen[path]; before != "" {
			return i18n.Errorf("loadcmd.same-file-twice", "%s and %s %s both write to %s", before, d.flag, d.name, cmp.Or(map[string]string{"-": "standard output"}[path], path))
		}
		seen[path] = d.flag + " " + d.name
	}
	return nil
}

// toStdout reports whether a form takes the place of the text.
func toStdout(list []destination) bool {
	return slices.ContainsFunc(list, func(d destination) bool { return d.path == "-" })
}

// check finds out, before the load, whether the file can be written.
func (d *destination) check() error { return cli.CheckFile(d.flag, d.path) }

// save writes the form of a load that has ended: a file wholly or not at all.
func (d *destination) save(e *endedLoad) error {
	fill := func(w *bytes.Buffer) error { return d.write(w, e) }
	info, err := os.Stat(d.path)
	switch {
	case d.path == "-":
		return cli.WriteThrough(os.Stdout, "standard output", fill)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(d.path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(cli.WriteThrough(f, d.path, fill), f.Close())
	}
	return cli.WriteFile(cli.LinkTarget(d.path), fill)
}

// saveAll writes all forms that are written at the end. One that can't be
// written does not keep the others from it.
func saveAll(list []destination, e *endedLoad) error {
	var failed []error
	for _, d := range list {
		if d.write != nil && (e.unreachable == nil || d.always) {
			failed = append(failed, d.save(e))
		}
	}
	return errors.Join(failed...)
}

func writeLoadHTML(w *bytes.Buffer, e *endedLoad) error {
	texts, err := report.TextsIn(e.lang)
	if err != nil {
		return err
	}
	return loadpage.HTML(w, e.page(), texts)
}

func writeLoadMarkdown(w *bytes.Buffer, e *endedLoad) error {
	texts, err := report.TextsIn(e.lang)
	if err != nil {
		return err
	}
	return loadpage.Markdown(w, e.page(), texts)
}
