package baseline

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dyno.example/internal/i18n"
	"dyno.example/internal/spelling"
)

// DefaultDir is where baselines are, in the folder dyno is used in: beside the
// code they belong to.
const DefaultDir = "dyno-baselines"

// ending of the files.
const ending = ".yaml"

// Store is a folder of baselines, one file each.
type Store struct{ Dir string }

// Path is the file of a baseline of this name.
func (s Store) Path(name string) string { return filepath.Join(s.Dir, name+ending) }

func nameOf(path string) string { return strings.TrimSuffix(filepath.Base(path), ending) }

// Names are those of all baselines, sorted. A folder that does not exist has
// none.
func (s Store) Names() ([]string, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, i18n.Errorf("baseline.listing-baselines", "listing baselines: %w", err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ending); ok && !e.IsDir() && validName(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Load reads a baseline.
func (s Store) Load(name string) (*Baseline, error) {
	if !validName(name) {
		return nil, nameError(name)
	}
	f, err := os.Open(s.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, s.missing(name)
	}
	if err != nil {
		return nil, i18n.Errorf("baseline.reading-baseline", "reading baseline %s: %w", name, err)
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if err != nil {
		return nil, i18n.Errorf("baseline.reading-baseline", "reading baseline %s: %w", name, err)
	}
	return Parse(s.Path(name), src)
}

// Remove deletes the file of a baseline, whatever is in it.
func (s Store) Remove(name string) error {
	if !validName(name) {
		return nameError(name)
	}
	err := os.Remove(s.Path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return s.missing(name)
	}
	return err
}

// missing is the error for a baseline that is not there.
func (s Store) missing(name string) error {
	names, err := s.Names()
	switch {
	case err != nil:
		return err
	case len(names) == 0:
		return i18n.Errorf("baseline.none-yet", "no baseline %q: there are none in %s; dyno baseline set %s RUN makes it", name, s.Dir, name)
	}
	hint := i18n.Message{}
	if near, ok := spelling.Nearest(name, names); ok {
		hint = i18n.New("subject.did-you-mean", "; did you mean %q?", near)
	}
	return i18n.Errorf("baseline.not-found", "no baseline %q in %s%s (there are %s)", name, s.Dir, hint, i18n.Names(names...))
}
