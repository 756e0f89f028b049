package probe

import (
	"cmp"
	"slices"
	"time"
)

// Program is a process other than those that are measured, and what it used.
type Program struct {
	PID  int           `json:"pid"`
	Name string        `json:"name"`         // that the kernel knows it by, up to 15 bytes; never its arguments, which may hold secrets
	CPU  time.Duration `json:"cpu"`          // user + system, ns
	On   []int         `json:"on,omitempty"` // CPUs that it was seen on at the end
}

// Programs are the processes other than those that are measured, over one window.
// One that began and ended within it is not seen.
type Programs struct {
	CPU time.Duration `json:"cpu"`           // of all, ns
	Top []Program     `json:"top,omitempty"` // those that used most, at least 2 % of a CPU
}

// programsShown is how many are named, and programsShare what each has used at
// least, of a CPU's time: what is below explains nothing.
const (
	programsShown = 12
	programsShare = 0.02
)

// programTotal is one process as it was seen last.
type programTotal struct {
	Program         // with its CPU time since it began
	measured   bool // belongs to what is measured, or measures
	classified bool // measured is known
}

// ProgramTotals are all processes by their numbers.
type ProgramTotals struct {
	time int64 // CLOCK_MONOTONIC, ns
	by   map[int]programTotal
}

// Since returns what was used between a and t.
func (t ProgramTotals) Since(a ProgramTotals) Programs {
	var p Programs
	least := time.Duration(programsShare * float64(t.time-a.time))
	for pid, now := range t.by {
		if now.measured {
			continue
		}
		used := now.CPU
		if before, known := a.by[pid]; known && before.CPU <= now.CPU {
			used -= before.CPU
		} // else it is a new one
		p.CPU += used
		if used >= least && used > 0 && now.Name != "" {
			one := now.Program
			one.CPU = used
			p.Top = append(p.Top, one)
		}
	}
	slices.SortFunc(p.Top, func(a, b Program) int { return cmp.Or(cmp.Compare(b.CPU, a.CPU), cmp.Compare(a.PID, b.PID)) })
	p.Top = p.Top[:min(len(p.Top), programsShown)]
	return p
}
