//go:build linux

package main

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"dyno.example/dyno/bench/rounds"
)

// lab is what all campaigns share: programs, files and settings.
type lab struct {
	rounds.Lab
	options  options
	dynoHelp string // what dyno load --help prints: which flags it has
	peers    string // folder of installed peers
}

// prepare finds out what dyno can do, and where peers are.
func (l *lab) prepare(ctx context.Context) (err error) {
	if l.peers, err = peersFolder(); err != nil {
		return err
	}
	help, err := exec.CommandContext(ctx, l.Dyno, "load", "--help").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s load --help: %w\n%s", l.Dyno, err, help)
	}
	l.dynoHelp = string(help)
	return nil
}

// dynoHas reports whether the dyno under test knows a flag, such as "--pacing".
func (l *lab) dynoHas(flag string) bool {
	for field := range strings.FieldsSeq(l.dynoHelp) {
		if field == flag {
			return true
		}
	}
	return false
}

// dynoTool is the dyno under test on the generators' CPU.
func (l *lab) dynoTool(name string, flags ...string) tool {
	always := []string{"--cpus", strconv.Itoa(l.options.GeneratorCPU)}
	if l.dynoHas("--no-calibration") {
		// Its second of work before the load is no part of what a request costs.
		always = append(always, "--no-calibration")
	}
	return dynoTool(name, l.Dyno, append(always, flags...)...)
}

// choose returns the arms whose tools are here and can do the job, and notes
// what is left out.
func (l *lab) choose(arms []arm, r *rounds.Record) (have []arm) {
	for _, a := range arms {
		_, can := a.Tool.command(a.Job)
		if _, here := a.Tool.locate(l.peers); !here {
			r.Note(a.Tool.Name + ": not installed")
		} else if !can {
			r.Note(a.Tool.Name + ": can't do this kind of load")
		} else {
			have = append(have, a)
		}
	}
	return have
}
