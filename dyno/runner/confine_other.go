//go:build !linux

package runner

// confine does nothing: this system has no CPU affinity for processes.
func confine([]int) (undo func(), err error) { return func() {}, nil }
