package runner

import (
	"fmt"
	"maps"
	"slices"

	"dyno/lab/machine/tune"
	"dyno/lab/study"
)

// tuner changes settings of this machine; its journal is where dyno machine
// restore finds it.
func (r *Runner) tuner() *tune.Tuner {
	root := r.root
	if root == "" {
		root = "/"
	}
	return &tune.Tuner{Root: root, Home: r.StateDir}
}

// assign gives the machine the settings that a cell's levels ask for. It returns
// nil if they ask for none.
func (r *Runner) assign(cell *study.Cell) (*tune.Assignment, error) {
	if len(cell.Kernel) == 0 {
		return nil, nil
	}
	return r.tuner().Assign(cell.Kernel)
}

// placeOf is where the study has a factor, as the beginning of a message; empty if
// that isn't known.
func (r *Runner) placeOf(factor string) string {
	for _, f := range r.Study.Factors {
		if f.Name == factor && f.Place != "" {
			return f.Place + ": "
		}
	}
	return ""
}

// checkSettings sets each level of each setting once and puts it back, so that
// what this machine does not have, or does not let be set, is known before
// anything is measured.
func (r *Runner) checkSettings() error {
	seen := make(map[[2]string]bool)
	for i := range r.Plan.Cells {
		kernel := r.Plan.Cells[i].Kernel
		for _, name := range slices.Sorted(maps.Keys(kernel)) {
			level := [2]string{name, kernel[name]}
			if seen[level] {
				continue
			}
			seen[level] = true
			set, err := r.tuner().Assign(map[string]string{name: kernel[name]})
			if err == nil {
				err = set.Undo()
			}
			if err != nil {
				return fmt.Errorf("%sfactor kernel.%s: %w", r.placeOf("kernel."+name), name, err)
			}
		}
	}
	return nil
}
