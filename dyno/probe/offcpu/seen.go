package offcpu

import (
	"strings"

	"dyno.example/dyno/evidence"
	"dyno.example/dyno/probe/pprof"
)

// OffCPU is the value of a profile that it is about.
var OffCPU = pprof.Type{Name: "off-cpu", Unit: "nanoseconds"}

// waits is how often.
var waits = pprof.Type{Name: "waits", Unit: "count"}

// Stretch is a time in which a thread was off the CPU.
type Stretch struct {
	From, To int64 // CLOCK_MONOTONIC, ns
	Thread   int32
	stack    uint32
}

// Seen is what was seen of some processes.
type Seen struct {
	// Lost is how many stretches of time are missing.
	Lost uint64

	stretches []Stretch
	stacks    []string // functions from the innermost out, with newlines between
	places    map[string]uint32
}

// place is that of a stack: functions from the innermost out.
func (s *Seen) place(functions []string) uint32 {
	stack := strings.Join(functions, "\n")
	at, known := s.places[stack]
	if !known {
		if s.places == nil {
			s.places = map[string]uint32{}
		}
		at = uint32(len(s.stacks))
		s.places[stack], s.stacks = at, append(s.stacks, stack)
	}
	return at
}

// add notes a stretch.
func (s *Seen) add(one Stretch) {
	if len(s.stretches) == mostStretches {
		s.Lost++
		return
	}
	s.stretches = append(s.stretches, one)
}

// mostStretches are kept, of 24 bytes each.
const mostStretches = 4 << 20

// Profile is that of the parts of all stretches that are wanted: of says how many ns of one are.
func (s *Seen) Profile(of func(Stretch) int64) *pprof.Profile {
	times, took := make([]int64, len(s.stacks)), make([]int64, len(s.stacks))
	for _, one := range s.stretches {
		if ns := of(one); ns > 0 {
			times[one.stack]++
			took[one.stack] += ns
		}
	}
	p := &pprof.Profile{Types: []pprof.Type{waits, OffCPU}}
	for i, n := range times {
		if n > 0 {
			p.Samples = append(p.Samples, pprof.Sample{Stack: strings.Split(s.stacks[i], "\n"), Values: []int64{n, took[i]}})
		}
	}
	return p
}

// States of a task in the kernel.
const (
	preempted   = 1 << 30
	uninterrupt = 0x02
	halted      = 0x04 | 0x08 | 0x8000
)

// couldRun stands at the tip of a stack while the thread, which had waited there, could run and had no
// CPU yet.
const couldRun = "[runnable]"

// why is what stands at the tip of a stack: the system call in which the thread left the CPU, or
// what else had it do so.
func why(state uint32, call int16) string {
	switch {
	case state == preempted:
		return "[preempted]"
	case state&halted != 0:
		return "[stopped]"
	case call >= 0:
		return "[" + evidence.CallName(call) + "]"
	case state&uninterrupt != 0:
		return "[page fault]"
	}
	return "[kernel]"
}
