package study

import (
	_ "embed"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"dyno.example/dyno/studies"
	"dyno.example/internal/i18n"
)

// Open reads the study that a user named: a built-in one, or a file. Words with
// a dot or a slash are files. subjects are the names of the shipped subjects.
// The error is of type [Problems] if the study was read and is wrong.
func Open(name string, subjects []string) (*Study, error) {
	if slices.Contains(studies.Names(), name) {
		src, err := studies.Read(name)
		if err != nil {
			return nil, err
		}
		return Parse("builtin:"+name, src, subjects)
	}
	src, err := readFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, `./\`):
		return nil, unknown(name)
	case err != nil:
		return nil, i18n.Errorf("study.reading-study", "reading the study: %w", err)
	}
	in := newInput(name, subjects)
	in.onDisk = true
	return in.parse(src)
}

// unknown is the error for a name that is neither a built-in study nor a file.
func unknown(name string) error {
	hint := didYouMean(name, studies.Names())
	if !hint.IsZero() {
		hint = i18n.Join(" (", hint, ")")
	}
	return i18n.Errorf("study.unknown-study", "there is no built-in study %q%s; dyno studies lists them, and a file is named with its ending, such as my-study.yaml", name, hint)
}

// readFile reads a file, but not more than one byte above maxSource: what is
// named could be a device without an end.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSource+1))
}

//go:embed starter.yaml
var starter []byte

// Starter returns the commented study that dyno study init writes. It is the
// caller's.
func Starter() []byte { return slices.Clone(starter) }
