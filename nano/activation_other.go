//go:build !unix

package nano

// closeOnExec: descriptors are handed over only on Unix.
func closeOnExec(int) {}
