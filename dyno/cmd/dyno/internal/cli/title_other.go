//go:build !linux

package cli

// overwrite does nothing: what others see of arguments can't be changed here.
func overwrite(string, span) {}
