package cli

import "unsafe"

// overwrite puts asterisks in place of a part of an argument. arg is as the runtime made
// it of the process' arguments: it lies where the kernel has put them, and where it reads
// them for /proc/PID/cmdline. Nothing else may hold on to it.
func overwrite(arg string, p span) {
	b := unsafe.Slice(unsafe.StringData(arg), len(arg))[p.at:p.end]
	for i := range b {
		b[i] = '*'
	}
}
