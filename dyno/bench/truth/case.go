//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// Case is one thing that is made so, and what is then asked of the lab.
type Case struct {
	Name     string // group/name
	Injected string // what is known to be true, in words
	// Examine makes it so, asks, and tells what was said. An error means that
	// the case could not be examined.
	Examine func(ctx context.Context, l *lab, e *Examined) error
}

func (c *Case) group() string {
	group, _, _ := strings.Cut(c.Name, "/")
	return group
}

// allCases are the cases of all groups, in the order of groups.
func allCases() (cases []Case) {
	for _, group := range [][]Case{stopCases(), stallCases(), faultCases(), failingCases(), misleadingCases(), figureCases(), machineCases(), idleCases(), studyCases(), gateCases(), verdictCases(), explainCases(), costCases()} {
		cases = append(cases, group...)
	}
	return cases
}

// groups are the names of the groups.
func groups() (names []string) {
	for _, c := range allCases() {
		if g := c.group(); len(names) == 0 || names[len(names)-1] != g {
			names = append(names, g)
		}
	}
	return names
}

// Truth is what a statement, or all of a case's, is worth.
type Truth string

// The worst of a case's statements is the case's.
const (
	True   Truth = "true"
	Silent Truth = "silent" // nothing was said, or that nothing can be said
	False  Truth = "false"
	Failed Truth = "failed" // the case could not be examined
)

// Statement is one thing the lab said, or should have.
type Statement struct {
	About string `json:"about"`           // what it is about, such as "p99 of the responses"
	Said  string `json:"said"`            // by the lab
	So    string `json:"so"`              // what is true
	Truth Truth  `json:"truth"`           // of what was said
	Heard string `json:"heard,omitempty"` // more of what was said, where it helps to see why
}

// Examined is a case with what came of it.
type Examined struct {
	Name       string      `json:"case"`
	Injected   string      `json:"injected"`
	Started    time.Time   `json:"started"`
	Seconds    float64     `json:"seconds"`
	Commands   []string    `json:"commands"`
	Statements []Statement `json:"statements"`
	Notes      []string    `json:"notes,omitempty"` // on each run
	Failed     string      `json:"failed,omitempty"`
	Right      string      `json:"right_first,omitempty"` // of a cause that was to be explained: how often it came first
	Truth      Truth       `json:"truth"`
}

// say notes a statement that is true or false.
func (e *Examined) say(about string, isTrue bool, said, so string) {
	truth := False
	if isTrue {
		truth = True
	}
	e.Statements = append(e.Statements, Statement{About: about, Said: said, So: so, Truth: truth})
}

// silent notes that nothing was said about something.
func (e *Examined) silent(about, said, so string) {
	e.Statements = append(e.Statements, Statement{About: about, Said: said, So: so, Truth: Silent})
}

// heard adds to the last statement what else was said, if it is not true.
func (e *Examined) heard(text string) {
	if n := len(e.Statements); n > 0 && e.Statements[n-1].Truth == False {
		e.Statements[n-1].Heard = text
	}
}

// judge sets the case's truth: the worst of its statements, where one that is
// true outweighs silence about others.
func (e *Examined) judge() {
	e.Truth = Silent
	for _, s := range e.Statements {
		switch {
		case s.Truth == False:
			e.Truth = False
		case s.Truth == True && e.Truth == Silent:
			e.Truth = True
		}
	}
	if e.Failed != "" {
		e.Truth = Failed
	}
}

func (l *lab) examine(ctx context.Context, c Case) Examined {
	e := Examined{Name: c.Name, Injected: c.Injected, Started: time.Now().UTC()}
	if err := c.Examine(ctx, l, &e); err != nil {
		e.Failed = err.Error()
	}
	e.Seconds = float64(time.Since(e.Started).Milliseconds()) / 1e3
	e.judge()
	return e
}

func (e *Examined) print(w io.Writer) {
	fmt.Fprintf(w, "%-7s %-36s %5.1f s  %s\n", e.Truth, e.Name, e.Seconds, e.Injected)
	if e.Failed != "" {
		fmt.Fprintf(w, "        could not be examined: %s\n", e.Failed)
	}
	for _, s := range e.Statements {
		if s.Truth == False {
			fmt.Fprintf(w, "        %s: said %s; true is %s\n", s.About, s.Said, s.So)
			if s.Heard != "" {
				fmt.Fprintf(w, "          %s\n", strings.ReplaceAll(s.Heard, "\n", "\n          "))
			}
		}
	}
}
