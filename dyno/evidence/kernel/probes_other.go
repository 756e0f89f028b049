//go:build !linux

package kernel

import (
	"errors"

	"dyno.example/dyno/evidence"
)

// Probes are the programs; there are none here.
type Probes struct{}

// Open says that nothing can be seen of the kernel here.
func Open(int) (*Probes, error) { return nil, errors.New("the kernel is asked on Linux only") }

// Attach makes the programs run.
func (*Probes) Attach() error { return nil }

// Detach makes them not run until they are attached again.
func (*Probes) Detach() error { return nil }

// Attached reports whether they run.
func (*Probes) Attached() bool { return false }

// Pause has them note nothing for some time.
func (*Probes) Pause(int64) error { return nil }

// Resume has them note again what happens.
func (*Probes) Resume() error { return nil }

// Watch follows the threads of a process.
func (*Probes) Watch(int) error { return nil }

// Trace leaves out connections as evidence.LeftOut says.
func (*Probes) Trace(uint32) error { return nil }

// Count has the kernel count how often and how long the programs run.
func (*Probes) Count(bool) error { return nil }

// Programs says of each program whether it is attached and what it took.
func (*Probes) Programs() []evidence.Probe { return nil }

// Clocked reports that it isn't seen when a CPU stands still.
func (*Probes) Clocked() bool { return false }

// Missing is what can't be known.
func (*Probes) Missing() []evidence.Missing { return nil }

// Events is how many were written in all.
func (*Probes) Events() uint64 { return 0 }

// Slice appends the events between two instants.
func (*Probes) Slice(_, _, _ int64, into []evidence.Event) ([]evidence.Event, bool) {
	return into, false
}

// Close removes all from the kernel.
func (*Probes) Close() {}

// FaultCost is what a page fault costs; it isn't known here.
func FaultCost() int64 { return 0 }
