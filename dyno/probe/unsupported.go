//go:build !linux

package probe

import (
	"errors"
	"fmt"
	"runtime"
	"time"
)

// ProcessProbe reads a process tree; only on Linux.
type ProcessProbe struct{}

// NewProcess makes a probe that can't read anything here.
func NewProcess(pid int) *ProcessProbe { return &ProcessProbe{} }

// Snapshot returns an error: it needs Linux.
func (*ProcessProbe) Snapshot() (ProcessTotals, error) {
	return ProcessTotals{}, unsupported("a process")
}

// Last returns an error: it needs Linux.
func (p *ProcessProbe) Last() (ProcessTotals, error) { return p.Snapshot() }

// Clocks reads the CPU time of processes; only on Linux.
type Clocks struct{}

// Clocks are none here.
func (*ProcessProbe) Clocks() *Clocks { return &Clocks{} }

// Read returns nothing.
func (*Clocks) Read() time.Duration { return 0 }

// WatchPSS does nothing.
func (*ProcessProbe) WatchPSS() {}

// Close does nothing.
func (*ProcessProbe) Close() {}

// MachineProbe reads the machine; only on Linux.
type MachineProbe struct{}

// NewMachine makes a probe that can't read anything here.
func NewMachine(pid int, cpus ...int) *MachineProbe { return &MachineProbe{} }

// WatchPrograms does nothing.
func (*MachineProbe) WatchPrograms(helpers []int, measured ...int) {}

// Snapshot returns an error: it needs Linux.
func (*MachineProbe) Snapshot() (MachineTotals, error) {
	return MachineTotals{}, unsupported("the machine")
}

// Close does nothing.
func (*MachineProbe) Close() {}

func unsupported(what string) error {
	return fmt.Errorf("what %s does can be read on Linux only, not on %s: %w", what, runtime.GOOS, errors.ErrUnsupported)
}

// ProgramsProbe reads all processes of the machine; only on Linux.
type ProgramsProbe struct{}

// NewPrograms makes a probe that can't read anything here.
func NewPrograms(roots ...int) *ProgramsProbe { return &ProgramsProbe{} }

// Snapshot returns an error: it needs Linux.
func (*ProgramsProbe) Snapshot() (ProgramTotals, error) {
	return ProgramTotals{}, unsupported("other programs")
}

// Missing says that nothing can be seen.
func (*ProgramsProbe) Missing() error { return unsupported("other programs") }

// Close does nothing.
func (*ProgramsProbe) Close() {}
