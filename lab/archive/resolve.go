package archive

import (
	"cmp"
	"dyno/internal/spelling"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Latest is the reference that means the newest run.
const Latest = "latest"

// resolve finds the folder of the run that ref means.
func (s Store) resolve(ref string) (string, error) {
	if ref == "" {
		return "", errors.New("no run named; give an ID, its beginning, a folder or \"" + Latest + "\"")
	}
	ids, err := s.ids()
	if err != nil {
		return "", fmt.Errorf("finding run %q: %w", ref, err)
	}
	if ref == Latest && len(ids) > 0 {
		return filepath.Join(s.Dir, ids[len(ids)-1]), nil
	}
	if slices.Contains(ids, ref) {
		return filepath.Join(s.Dir, ref), nil
	}
	matches := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !strings.HasPrefix(id, ref) })
	switch {
	case len(matches) == 1:
		return filepath.Join(s.Dir, matches[0]), nil
	case len(matches) > 1:
		return "", fmt.Errorf("%q begins the names of %d runs: %s", ref, len(matches), some(matches))
	case isRun(ref):
		return filepath.Abs(ref)
	case len(ids) == 0:
		return "", fmt.Errorf("no run %q: there are no runs in %s", ref, s.Dir)
	}
	return "", fmt.Errorf("no run %q in %s; the nearest are %s", ref, s.Dir, some(nearest(ids, ref)))
}

// some lists a few names.
func some(names []string) string {
	const few = 5
	if len(names) > few {
		return strings.Join(names[:few], ", ") + fmt.Sprintf(" and %d more", len(names)-few)
	}
	return strings.Join(names, ", ")
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
