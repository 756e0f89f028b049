package study

import (
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"

	"dyno/studies"
)

// Open reads the study that a user named: a built-in one, or a file. Words with
// a dot or a slash are files. subjects are the names of the shipped subjects.
func Open(name string, subjects []string) (*Study, error) {
	if slices.Contains(studies.Names(), name) {
		src, err := studies.Read(name)
		if err != nil {
			return nil, err
		}
		return Parse("builtin:"+name, src, subjects)
	}
	if !strings.ContainsAny(name, "./\\") {
		if _, err := os.Stat(name); err != nil {
			hint := didYouMean(name, studies.Names())
			if hint != "" {
				hint = " (" + hint + ")"
			}
			return nil, fmt.Errorf("there is no built-in study %q%s; dyno studies lists them, and a file is named with its ending, such as %s.yaml", name, hint, name)
		}
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("reading the study: %w", err)
	}
	if info.Size() > maxSource {
		return nil, fmt.Errorf("%s: expected at most %d bytes, got %d", name, maxSource, info.Size())
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the study: %w", err)
	}
	return Parse(name, src, subjects)
}

//go:embed starter.yaml
var starter []byte

// Starter returns the commented study that dyno study init writes. It is the
// caller's.
func Starter() []byte { return slices.Clone(starter) }
