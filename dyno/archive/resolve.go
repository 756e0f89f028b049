package archive

import (
	"cmp"
	"dyno.example/internal/i18n"
	"dyno.example/internal/spelling"
	"path/filepath"
	"slices"
	"strings"
)

// resolve finds the folder of the run that ref means.
func (s Store) resolve(ref string) (string, error) {
	names, err := s.names(likeAddress(ref) || isName(ref))
	if err != nil {
		return "", i18n.Errorf("archive.finding-run", "finding run %q: %w", ref, err)
	}
	found := Match(names, ref)
	if len(found) == 0 && ref != "" && isRun(ref) {
		return filepath.Abs(ref)
	}
	name, err := Pick(found, names, ref, s.Dir)
	if err != nil {
		return "", err
	}
	return filepath.Join(s.Dir, name.ID), nil
}

// names returns the runs in the store, oldest first, with their addresses if addresses
// is set: for those a file of each run must be read. A run whose address can't be read
// is there without one.
func (s Store) names(addresses bool) ([]Name, error) {
	ids, err := s.ids()
	if err != nil {
		return nil, err
	}
	names := make([]Name, len(ids))
	for i, id := range ids {
		names[i].ID = id
		if addresses {
			names[i].Address, _ = readAddress(filepath.Join(s.Dir, id))
		}
	}
	return names, nil
}

// some lists a few names.
func some(names []string) i18n.Message {
	const few = 5
	if len(names) > few {
		return i18n.Join(i18n.Names(names[:few]...), i18n.New("study.and-more", " and %d more", len(names)-few))
	}
	return i18n.Names(names...)
}

// nearest returns the three names most like ref, best first: those that contain
// it, then those with the fewest edits between ref and their beginning.
func nearest(names []string, ref string) []string {
	const few = 3
	ordered := slices.Clone(names)
	slices.Reverse(ordered) // of equally near ones, the newest
	distance := func(name string) int {
		if strings.Contains(name, ref) {
			return -1
		}
		return spelling.Distance(name[:min(len(name), len(ref))], ref)
	}
	slices.SortStableFunc(ordered, func(a, b string) int { return cmp.Compare(distance(a), distance(b)) })
	return ordered[:min(few, len(ordered))]
}
