//go:build !linux

package collect

import "dyno.example/nano/wire/clock"

// yielding does nothing here, where there is nothing to look at in the kernel.
func yielding() {}

// spent stands for the thread's CPU time.
func spent() int64 { return clock.Now() }
