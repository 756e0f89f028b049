// Package goroutines looks from outside at what the goroutines of a Go process wait for, and
// whether it collects garbage. The kernel sees threads only; that a goroutine waits for a mutex
// is in the process's memory, where its runtime keeps it. It is read as a debugger would, but
// the process isn't stopped, and nothing in it is changed.
//
// Where things are is in the program's symbols and DWARF. Of a program without them, such as one
// linked with -s, nothing is known.
package goroutines
