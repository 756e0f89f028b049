//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/subject"
	"dyno.example/dyno/subjects"
)

// lab is what all campaigns share: programs, files and settings.
type lab struct {
	rounds.Lab
	other    string // another build of this program; "" for none
	cache    string // of builds; kept
	catalog  *subject.Catalog
	builder  *subject.Builder
	programs map[string]program // servers that were built, by name
}

func (l *lab) prepare(context.Context) error {
	if err := rounds.Need("wrk", "taskset"); err != nil {
		return err
	}
	return errors.Join(l.openCache(), l.writeFiles())
}

func (l *lab) openCache() error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	l.cache = filepath.Join(cache, "dyno", "servers")
	if err := os.MkdirAll(l.cache, 0o755); err != nil {
		return err
	}
	files, err := subjects.FS()
	if err != nil {
		return err
	}
	l.builder = &subject.Builder{Dir: filepath.Join(l.cache, "subjects")}
	l.catalog, err = subject.NewCatalog(files)
	return err
}

// build makes the servers of arms and returns those arms whose servers could be
// made; the others are noted. Nano itself must be there.
func (l *lab) build(ctx context.Context, arms []arm, r *rounds.Record) (have []arm, err error) {
	for name, args := range map[string][]string{l.Dyno: {"--version"}, "wrk": {"-v"}} {
		r.Versions[filepath.Base(name)], _ = rounds.Version(ctx, name, args...) // wrk's status is 1
	}
	failed := make(map[string]bool)
	for _, a := range arms {
		if _, built := l.programs[a.Server]; !built && !failed[a.Server] {
			p, err := l.make(ctx, a.Server)
			if err != nil {
				if ctx.Err() != nil || a.Server == nanoName {
					return nil, fmt.Errorf("building %s: %w", a.Server, err)
				}
				failed[a.Server] = true
				r.Note(a.Server + ": " + rounds.Tail(err.Error()))
				fmt.Println("left out:", a.Server+":", err)
				continue
			}
			l.programs[a.Server] = p
		}
		if !failed[a.Server] {
			r.Versions[a.Server] = l.programs[a.Server].version
			have = append(have, a)
		}
	}
	return have, nil
}
