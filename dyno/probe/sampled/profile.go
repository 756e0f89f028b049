// Package sampled is where processes spend their CPU time, by sampling all CPUs from the
// outside: the same sampler for every process, whatever it is written in, so that two
// versions of one program can be held against each other. Stacks are those of frame
// pointers, which Go and most programs built for it keep; of others the innermost function
// is right, and its callers may be missing; so is the caller of one that has no frame. Inlined functions are part of those that they
// were inlined into.
package sampled

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"dyno.example/dyno/probe/pprof"
)

// perSecond is how often a CPU is looked at: a prime number, so as not to go in step with
// timers.
const perSecond = 997

// Kernel is the function that all of the kernel's time has, below the one that called.
const Kernel = "[kernel]"

// unknown is what has no name: code made at run time, or a stripped program's.
const unknown = "[unknown]"

// Process is what one process was seen at.
type Process struct {
	PID     int
	Dir     string // working directory when it was first seen
	Samples int
	places  map[string]uint32 // of stacks: functions from the innermost out, with newlines between
	stacks  []seenStack
	moments []Moment // if they are kept
}

// seenStack is a stack, and how often it was seen.
type seenStack struct {
	functions string
	times     int
}

// Moment is one sample.
type Moment struct {
	At     int64 // CLOCK_MONOTONIC, ns
	Thread int32
	stack  uint32
}

// add counts a stack, from the innermost function out, and returns its place.
func (p *Process) add(functions []string) uint32 { return p.addStack(strings.Join(functions, "\n"), 1) }

func (p *Process) addStack(stack string, times int) uint32 {
	at, known := p.places[stack]
	if !known {
		if p.places == nil {
			p.places = map[string]uint32{}
		}
		at = uint32(len(p.stacks))
		p.places[stack], p.stacks = at, append(p.stacks, seenStack{functions: stack})
	}
	p.stacks[at].times += times
	p.Samples += times
	return at
}

// Profile is what processes were seen at, in one profile: of the samples that keep wants. It
// takes that their moments were kept.
func Profile(processes []*Process, keep func(Moment) bool) *pprof.Profile {
	const period = int64(time.Second) / perSecond
	p := &pprof.Profile{Types: []pprof.Type{pprof.Samples, pprof.CPU}, Period: period, PeriodOf: pprof.CPU}
	for _, one := range processes {
		times := make([]int64, len(one.stacks))
		for _, m := range one.moments {
			if keep(m) {
				times[m.stack]++
			}
		}
		for i, n := range times {
			if n > 0 {
				p.Samples = append(p.Samples, pprof.Sample{Stack: strings.Split(one.stacks[i].functions, "\n"), Values: []int64{n, n * period}})
			}
		}
	}
	return p
}

// Made is a process that was seen at each of these stacks so often: functions from the
// innermost out, with newlines between. It is for tests of what is done with samples.
func Made(stacks map[string]int) *Process {
	p := &Process{}
	for stack, times := range stacks {
		p.addStack(stack, times)
	}
	return p
}

// Function is how often one was seen.
type Function struct {
	Name  string
	Self  int // innermost
	Total int // anywhere in the stack
}

// Functions lists all that were seen, those that were innermost most often first.
func (p *Process) Functions() []Function {
	seen := map[string]*Function{}
	at := func(name string) *Function {
		if seen[name] == nil {
			seen[name] = &Function{Name: name}
		}
		return seen[name]
	}
	for _, s := range p.stacks {
		functions := strings.Split(s.functions, "\n")
		at(functions[0]).Self += s.times
		slices.Sort(functions) // one that calls itself counts once
		for _, name := range slices.Compact(functions) {
			at(name).Total += s.times
		}
	}
	list := make([]Function, 0, len(seen))
	for _, f := range seen {
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b Function) int {
		return cmp.Or(cmp.Compare(b.Self, a.Self), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// Callers are the functions that were seen above another, each with how often.
func (p *Process) Callers(of string) map[string]int {
	callers := map[string]int{}
	for _, s := range p.stacks {
		functions := strings.Split(s.functions, "\n")
		at := slices.Index(functions, of)
		if at < 0 {
			continue
		}
		above := slices.Clone(functions[at+1:])
		slices.Sort(above)
		for _, name := range slices.Compact(above) {
			if name != of {
				callers[name] += s.times
			}
		}
	}
	return callers
}
