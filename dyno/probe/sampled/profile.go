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
)

// Kernel is the function that all of the kernel's time has, below the one that called.
const Kernel = "[kernel]"

// unknown is what has no name: code made at run time, or a stripped program's.
const unknown = "[unknown]"

// Process is what one process was seen at.
type Process struct {
	PID     int
	Dir     string // working directory when it was first seen
	Samples int
	stacks  map[string]int // functions from the innermost out, with newlines between
}

// add counts a stack, from the innermost function out.
func (p *Process) add(functions []string) { p.addStack(strings.Join(functions, "\n"), 1) }

func (p *Process) addStack(stack string, times int) {
	if p.stacks == nil {
		p.stacks = map[string]int{}
	}
	p.stacks[stack] += times
	p.Samples += times
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
	for stack, times := range p.stacks {
		functions := strings.Split(stack, "\n")
		at(functions[0]).Self += times
		slices.Sort(functions) // one that calls itself counts once
		for _, name := range slices.Compact(functions) {
			at(name).Total += times
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
	for stack, times := range p.stacks {
		functions := strings.Split(stack, "\n")
		at := slices.Index(functions, of)
		if at < 0 {
			continue
		}
		above := slices.Clone(functions[at+1:])
		slices.Sort(above)
		for _, name := range slices.Compact(above) {
			if name != of {
				callers[name] += times
			}
		}
	}
	return callers
}
