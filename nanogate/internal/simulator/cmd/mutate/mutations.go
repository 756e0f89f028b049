//go:build linux

package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// mutation is a mistake that is put into the gateway, or into nano's loops.
type mutation struct {
	Part, Name, What string
	Changes          []change
}

// nano is the part whose mistakes are nano's, which has a simulator of its own.
const nano = "nano"

// simulator is the program that is to find it.
func (m *mutation) simulator() string {
	if m.Part == nano {
		return "./nano/internal/simulator/cmd/simulate"
	}
	return "./nanogate/internal/simulator/cmd/simulate"
}

// change is a part of it: lines that take the place of others.
type change struct{ File, Old, New string }

// Files are those that it changes.
func (m *mutation) Files() (list []string) {
	for _, c := range m.Changes {
		if !slices.Contains(list, c.File) {
			list = append(list, c.File)
		}
	}
	return list
}

//go:embed mutations.txt
var text string

// mutations reads them. A part begins with "# part", a mutation in it with "= name: what is
// wrong", a change with "@ file" and has the lines that go with "-" and those that come with
// "+" in front, the last of which may be the start of a line.
func mutations() (list []*mutation, err error) {
	part, folder := "", "nanogate/internal/proxy/"
	var m *mutation
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		rest := line[min(1, len(line)):]
		switch {
		case line == "":
		case strings.HasPrefix(line, "# "):
			if part = strings.TrimSpace(rest); part == nano {
				folder = "nano/internal/engine/"
			}
		case strings.HasPrefix(line, "= "):
			name, what, ok := strings.Cut(strings.TrimSpace(rest), ": ")
			if !ok {
				return nil, fmt.Errorf("mutations.txt:%d: it doesn't say what is wrong", n+1)
			}
			m = &mutation{Part: part, Name: name, What: what}
			list = append(list, m)
		case m == nil:
			return nil, fmt.Errorf("mutations.txt:%d: it is of no mutation", n+1)
		case strings.HasPrefix(line, "@ "):
			m.Changes = append(m.Changes, change{File: folder + strings.TrimSpace(rest)})
		case len(m.Changes) == 0:
			return nil, fmt.Errorf("mutations.txt:%d: it is of no file", n+1)
		case line[0] == '-':
			m.Changes[len(m.Changes)-1].Old += rest + "\n"
		case line[0] == '+':
			m.Changes[len(m.Changes)-1].New += rest + "\n"
		default:
			return nil, fmt.Errorf("mutations.txt:%d: a line begins with #, =, @, - or +", n+1)
		}
	}
	for _, m := range list {
		for i := range m.Changes {
			c := &m.Changes[i]
			c.Old, c.New = strings.TrimSuffix(c.Old, "\n"), strings.TrimSuffix(c.New, "\n")
		}
	}
	return list, nil
}
