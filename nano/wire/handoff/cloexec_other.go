//go:build !unix

package handoff

// closeOnExec: descriptors are handed over only on Unix.
func closeOnExec(int) {}
