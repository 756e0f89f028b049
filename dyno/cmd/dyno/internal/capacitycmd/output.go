package capacitycmd

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/spf13/pflag"

	"dyno.example/dyno/capacity"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/finding"
	"dyno.example/dyno/present/curve"
	"dyno.example/dyno/report"
	"dyno.example/internal/i18n"
)

// foundFlags say where the result of a search or sweep goes.
type foundFlags struct {
	asJSON bool
	html   string
	file   string
}

func (f *foundFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object instead of text")
	flags.StringVar(&f.html, "html", "", "also write a page with the curve to this file")
	flags.StringVarP(&f.file, "out", "o", "", "also write the JSON object to this file")
}

// progress is where lines go that say how far it is.
func (f *foundFlags) progress(global *cli.Global) i18n.Printer {
	if global.Quiet || f.asJSON {
		return i18n.Printer{To: io.Discard, Say: i18n.Message.String}
	}
	return global.Err()
}

// write prints the result, as text in the language given, and writes the files that
// were asked for.
func (f *foundFlags) write(lang string, object any, text func(io.Writer, report.Texts), page func(report.Texts) *curve.Page) error {
	texts, err := report.TextsIn(lang)
	switch {
	case err != nil:
	case f.asJSON:
		err = cli.WriteJSON(os.Stdout, object)
	default:
		text(os.Stdout, texts)
	}
	if f.file != "" {
		err = errors.Join(err, cli.WriteFile(f.file, func(b *bytes.Buffer) error { return cli.WriteJSON(b, object) }))
	}
	if f.html != "" {
		err = errors.Join(err, cli.WriteFile(f.html, func(b *bytes.Buffer) error { return page(texts).Write(b) }))
	}
	return err
}

// worthless is the error that a result must not be used.
func worthless(d *capacity.Disturbed) error {
	if d.Validity != finding.Invalid {
		return nil
	}
	var names []finding.Name
	for i := range d.Findings {
		if d.Findings[i].Weight() == finding.Invalid {
			names = append(names, d.Findings[i].Name)
		}
	}
	return i18n.Errorf("capacitycmd.invalid-disturbed", "the result is INVALID: this machine was disturbed (%s); wait until it is quiet (dyno machine says who is busy), or take that into account no more with --accept", i18n.Names(finding.Words(names)...))
}
