package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dyno/internal/clock"
)

// Monotonic returns CLOCK_MONOTONIC in nanoseconds, the clock of all windows.
// Where the system has none, it counts from the start of the program.
func Monotonic() int64 { return clock.Now() }

// Config says what a [Sampler] looks at.
type Config struct {
	// PID is the first process of the subject; 0 if it is none of ours, such as
	// a service that was up already.
	PID int
	// Runtime is where the subject's helper answers; nil if it has none. It stays
	// the caller's to close.
	Runtime *RuntimeListener
}

// Sampler takes snapshots of everything that can be seen of a subject. It
// belongs to one goroutine.
type Sampler struct {
	process *ProcessProbe
	machine *MachineProbe
	runtime *RuntimeListener
}

// New makes a sampler. Nothing is read before the first Snapshot.
func New(c Config) *Sampler {
	s := &Sampler{machine: NewMachine(c.PID), runtime: c.Runtime}
	if c.PID != 0 {
		s.process = NewProcess(c.PID)
	}
	return s
}

// Close releases the files that are kept open between snapshots.
func (s *Sampler) Close() {
	if s.process != nil {
		s.process.Close()
	}
	s.machine.Close()
}

// Snapshot is what all probes read at one instant. The pointers are nil for
// what could not be read, or was not asked for.
type Snapshot struct {
	Time    int64 // CLOCK_MONOTONIC at the reading of the process, ns
	Process *ProcessTotals
	Machine *MachineTotals
	Runtime *RuntimeTotals
	errs    []error
}

// Err says why a probe that was asked for gave nothing; nil if none failed. A
// subject that has ended is ErrEnded.
func (s Snapshot) Err() error { return errors.Join(s.errs...) }

// Snapshot reads all probes. It takes well under a millisecond, and up to
// [AnswerTime] when the subject's helper doesn't get to run.
func (s *Sampler) Snapshot() Snapshot {
	var finish func(context.Context) (RuntimeTotals, error)
	if s.runtime != nil {
		finish = s.runtime.ask() // it answers while the files are read
	}
	snap := Snapshot{Time: Monotonic()}
	if s.process != nil {
		t, err := s.process.Snapshot()
		snap.Process = kept(&snap, "process", t, err)
	}
	t, err := s.machine.Snapshot()
	snap.Machine = kept(&snap, "machine", t, err)
	if finish != nil {
		t, err := finish(context.Background())
		snap.Runtime = kept(&snap, "Go runtime", t, err)
	}
	return snap
}

// kept returns totals that were read, or nil with the error noted.
func kept[T any](snap *Snapshot, what string, totals T, err error) *T {
	if err != nil {
		snap.errs = append(snap.errs, fmt.Errorf("%s: %w", what, err))
		return nil
	}
	return &totals
}

// Between returns what happened between two snapshots of one sampler, a being
// the earlier. What either lacks is nil in the window.
func (s *Sampler) Between(a, b Snapshot) Window {
	w := Window{Start: a.Time, Length: time.Duration(b.Time - a.Time)}
	if a.Process != nil && b.Process != nil {
		p := b.Process.Since(*a.Process)
		w.Process = &p
		w.Missing = append(w.Missing, b.Process.missing...)
	}
	if a.Machine != nil && b.Machine != nil {
		m := b.Machine.Since(*a.Machine)
		w.Machine = &m
		w.Missing = append(w.Missing, b.Machine.missing...)
	}
	if a.Runtime != nil && b.Runtime != nil {
		if r, ok := b.Runtime.Since(*a.Runtime); ok {
			w.Runtime = &r
		} else {
			w.Missing = append(w.Missing, "Go runtime: not every helper answered in time")
		}
	}
	for _, err := range slices.Concat(b.errs, a.errs) {
		if why := err.Error(); !slices.Contains(w.Missing, why) {
			w.Missing = append(w.Missing, why)
		}
	}
	return w
}
