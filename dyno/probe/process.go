package probe

import (
	"errors"
	"time"
)

// ErrEnded says that no process of the tree is alive.
var ErrEnded = errors.New("the process has ended")

// ProcessTotals is what a process tree has used since it began, and what it
// holds now. Times and counts never go backwards from one to the next.
type ProcessTotals struct {
	used      usage
	throttled time.Duration
	rss       uint64
	pss       uint64 // 0 if it was not read
	processes int
	threads   int
	openFiles int
	ended     []string // that were there at the first snapshot, in the order in which that was seen
	begun     int      // since the first snapshot
	missing   []string
}

// Missing is what could not be read, as in a [Window].
func (t *ProcessTotals) Missing() []string { return t.missing }

// usage is what threads and processes use up.
type usage struct {
	cpu                      time.Duration
	userTicks, sysTicks      uint64
	voluntary, involuntary   uint64
	faultsMinor, faultsMajor uint64
	runQueue                 time.Duration
}

func (u *usage) add(o usage) {
	u.cpu += o.cpu
	u.userTicks += o.userTicks
	u.sysTicks += o.sysTicks
	u.voluntary += o.voluntary
	u.involuntary += o.involuntary
	u.faultsMinor += o.faultsMinor
	u.faultsMajor += o.faultsMajor
	u.runQueue += o.runQueue
}

// atLeast returns the larger of each figure.
func (u usage) atLeast(o usage) usage {
	return usage{
		cpu:         max(u.cpu, o.cpu),
		userTicks:   max(u.userTicks, o.userTicks),
		sysTicks:    max(u.sysTicks, o.sysTicks),
		voluntary:   max(u.voluntary, o.voluntary),
		involuntary: max(u.involuntary, o.involuntary),
		faultsMinor: max(u.faultsMinor, o.faultsMinor),
		faultsMajor: max(u.faultsMajor, o.faultsMajor),
		runQueue:    max(u.runQueue, o.runQueue),
	}
}

// Since returns what was used between a and t, and what is held at t.
func (t ProcessTotals) Since(a ProcessTotals) Process {
	p := Process{
		CPU:           max(0, t.used.cpu-a.used.cpu),
		RSS:           t.rss,
		PSS:           t.pss,
		Processes:     t.processes,
		Threads:       t.threads,
		OpenFiles:     t.openFiles,
		Begun:         max(0, t.begun-a.begun),
		SwitchesVol:   grown(a.used.voluntary, t.used.voluntary),
		SwitchesInvol: grown(a.used.involuntary, t.used.involuntary),
		FaultsMinor:   grown(a.used.faultsMinor, t.used.faultsMinor),
		FaultsMajor:   grown(a.used.faultsMajor, t.used.faultsMajor),
		RunQueue:      max(0, t.used.runQueue-a.used.runQueue),
		Throttled:     max(0, t.throttled-a.throttled),
	}
	if len(t.ended) > len(a.ended) {
		p.Ended = t.ended[len(a.ended):]
	}
	user, system := grown(a.used.userTicks, t.used.userTicks), grown(a.used.sysTicks, t.used.sysTicks)
	if user+system == 0 { // less than a tick: take the proportion it has had so far
		user, system = t.used.userTicks, t.used.sysTicks
	}
	p.CPUUser, p.CPUSys = split(p.CPU, user, system)
	return p
}

// split divides cpu in the proportion of the ticks.
func split(cpu time.Duration, user, system uint64) (u, s time.Duration) {
	if user+system == 0 {
		return cpu, 0
	}
	u = time.Duration(float64(cpu) * (float64(user) / float64(user+system)))
	return u, cpu - u
}

// grown is b − a, but not below zero.
func grown(a, b uint64) uint64 {
	if b < a {
		return 0
	}
	return b - a
}
