package runner

import (
	"cmp"
	"maps"
	"slices"

	"dyno.example/dyno/machine/tune"
	"dyno.example/dyno/study"
	"dyno.example/internal/i18n"
)

// newTuner changes settings of this machine; its journal is where dyno machine
// restore finds it.
func newTuner(r *Runner) *tune.Tuner {
	return &tune.Tuner{Root: cmp.Or(r.root, "/"), Home: r.StateDir}
}

// assign gives the machine the settings of a cell's levels. It returns nil if they have
// none.
func assign(t *tune.Tuner, cell *study.Cell) (*tune.Assignment, error) {
	if len(cell.Kernel) == 0 {
		return nil, nil
	}
	return t.Assign(cell.Kernel)
}

// checkSettings sets each level of each setting once and restores it, so that a setting
// that this machine lacks, or refuses to change, is known before anything is measured.
func checkSettings(t *tune.Tuner, s *study.Study, cells []study.Cell) error {
	seen := make(map[[2]string]bool)
	for i := range cells {
		kernel := cells[i].Kernel
		for _, name := range slices.Sorted(maps.Keys(kernel)) {
			level := [2]string{name, kernel[name]}
			if seen[level] {
				continue
			}
			seen[level] = true
			set, err := t.Assign(map[string]string{name: kernel[name]})
			if err == nil {
				err = set.Undo()
			}
			if err != nil {
				return i18n.Errorf("runner.factor-kernel", "%sfactor kernel.%s: %w", placeOf(s, "kernel."+name), name, err)
			}
		}
	}
	return nil
}

// placeOf is where the study has a factor, as the beginning of a message; empty if
// that isn't known.
func placeOf(s *study.Study, factor string) string {
	for _, f := range s.Factors {
		if f.Name == factor && f.Place != "" {
			return f.Place + ": "
		}
	}
	return ""
}
