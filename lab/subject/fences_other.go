//go:build !linux

package subject

import "syscall"

// fence is a thing of Linux; here there are none.
type fence struct{}

func (*child) removeFences()        {}
func (*child) outOfMemory() int     { return 0 }
func (*child) fencePaths() []string { return nil }
func (*child) statusOf(status syscall.WaitStatus, _ *Limits) string {
	return describe(status)
}
