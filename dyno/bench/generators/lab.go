//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"dyno.example/dyno/bench/rounds"
)

// lab is what all campaigns share: programs, files and settings.
type lab struct {
	rounds.Lab
	options     options
	self        string // this program, which is also the servers
	dyno        string // built from this source
	dynoHelp    string // what dyno load --help prints: which flags it has
	dir         string // temporary
	peers       string // folder of installed peers
	certificate string // PEM file with certificate and key
}

// open builds dyno and makes what campaigns need.
func (l *lab) open(ctx context.Context) (done func(), err error) {
	if l.options.connections < 1 {
		return nil, errors.New("-connections must be at least 1")
	}
	if l.dir, err = os.MkdirTemp("", "generators-"); err != nil {
		return nil, err
	}
	l.Options, l.Watch = l.options.Options, rounds.NewWatch()
	if err := l.prepare(ctx); err != nil {
		l.close()
		return nil, err
	}
	return l.close, nil
}

func (l *lab) close() {
	l.Watch.Close()
	os.RemoveAll(l.dir)
}

func (l *lab) prepare(ctx context.Context) (err error) {
	if l.self, err = os.Executable(); err != nil {
		return err
	}
	if l.peers, err = peersFolder(); err != nil {
		return err
	}
	if l.dyno = l.options.dyno; l.dyno == "" {
		l.dyno = filepath.Join(l.dir, "dyno")
		if err := rounds.Build(ctx, l.dyno, "dyno/cmd/dyno"); err != nil {
			return err
		}
	}
	help, err := exec.CommandContext(ctx, l.dyno, "load", "--help").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s load --help: %w\n%s", l.dyno, err, help)
	}
	l.dynoHelp = string(help)
	l.certificate = filepath.Join(l.dir, "certificate.pem")
	return rounds.WriteCertificate(l.certificate)
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
	return dynoTool(name, l.dyno, append(always, flags...)...)
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
