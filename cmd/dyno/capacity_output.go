package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/spf13/pflag"
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
func (f *foundFlags) progress(global *globalFlags) io.Writer {
	if global.quiet || f.asJSON {
		return io.Discard
	}
	return os.Stderr
}

// write prints the result and writes the files that were asked for.
func (f *foundFlags) write(object any, text func(io.Writer), page func() *curvePage) error {
	var err error
	if f.asJSON {
		err = writeObject(os.Stdout, object)
	} else {
		text(os.Stdout)
	}
	if f.file != "" {
		err = errors.Join(err, writeFile(f.file, func(b *bytes.Buffer) error { return writeObject(b, object) }))
	}
	if f.html != "" {
		err = errors.Join(err, writeFile(f.html, func(b *bytes.Buffer) error { return page().write(b) }))
	}
	return err
}

func writeObject(w io.Writer, object any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(object)
}
