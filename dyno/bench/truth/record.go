//go:build linux

package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/machine"
	"dyno.example/internal/build"
)

// Record is what is archived: every case with every statement.
type Record struct {
	Version  int                 `json:"version"`
	Command  []string            `json:"command"`
	Revision string              `json:"revision"` // the commit, of which "-dirty" differs; "unknown" without version control
	Started  time.Time           `json:"started"`
	Finished time.Time           `json:"finished"`
	Machine  machine.Fingerprint `json:"machine"`
	Cases    []Examined          `json:"cases"`
}

func newRecord(args []string) *Record {
	return &Record{
		Version: 1, Command: append([]string{"go", "run", "./dyno/bench/truth"}, repeatable(args)...), Revision: cmp.Or(build.Read().Revision, "unknown"),
		Started: time.Now().UTC(), Machine: machine.Read(),
	}
}

func (r *Record) count(truth Truth) (n int) {
	for i := range r.Cases {
		if r.Cases[i].Truth == truth {
			n++
		}
	}
	return n
}

// summary is one line.
func (r *Record) summary() string {
	statements, silent := 0, 0
	for i := range r.Cases {
		for _, s := range r.Cases[i].Statements {
			statements++
			if s.Truth == Silent {
				silent++
			}
		}
	}
	return fmt.Sprintf("%d cases, %d statements: %d cases true, %d silent, %d with a false statement, %d could not be examined (%d statements were silence)",
		len(r.Cases), statements, r.count(True), r.count(Silent), r.count(False), r.count(Failed), silent)
}

// repeatable are the arguments that whoever repeats a campaign gives: a record's folder is one of
// the machine that it was made on.
func repeatable(args []string) (list []string) {
	for i := 0; i < len(args); i++ {
		switch name, _, whole := strings.Cut(strings.TrimLeft(args[i], "-"), "="); {
		case name != "out" || !strings.HasPrefix(args[i], "-"):
			list = append(list, args[i])
		case !whole:
			i++
		}
	}
	return list
}

// save writes NAME.json with everything and NAME.md with a line a case.
func (r *Record) save(folder, name string) error {
	return rounds.WriteDocument(folder, name, r, r.markdown(name))
}

func (r *Record) markdown(name string) string {
	var b strings.Builder
	m := &r.Machine
	fmt.Fprintf(&b, "# Truth: %s\n\n`%s`, source %s, on %s with %d CPUs, kernel %s, %s\n\n%s\n\n", name, strings.Join(r.Command, " "), r.Revision, m.CPUModel, m.CPUs, m.Kernel, r.Started.Format(time.DateOnly), r.summary())
	fmt.Fprint(&b, "| case | injected | what was said | |\n|---|---|---|---|\n")
	for i := range r.Cases {
		e := &r.Cases[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", e.Name, cellText(e.Injected), cellText(e.firsts()+e.digest()), e.Truth)
	}
	return b.String()
}

// firsts says how often a cause that was injected came first.
func (e *Examined) firsts() string {
	if e.Right == "" {
		return ""
	}
	return "right in " + e.Right + ". "
}

// digest is what was said, in short: everything that is false, or else the first
// few statements.
func (e *Examined) digest() string {
	if e.Failed != "" {
		return e.Failed
	}
	var parts []string
	for _, s := range e.Statements {
		if e.Truth == False && s.Truth != False {
			continue
		}
		parts = append(parts, s.About+": "+s.Said)
	}
	if len(parts) > 4 {
		parts = append(parts[:4], fmt.Sprintf("and %d more", len(parts)-4))
	}
	return strings.Join(parts, "; ")
}

func cellText(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s)
}
