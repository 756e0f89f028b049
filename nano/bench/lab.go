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
	self        string // this program: two of the servers, and a generator
	other       string // another build of it; "" for none
	dyno        string // built from this source
	cache       string // of builds; kept
	dir         string // temporary
	certificate string // PEM file with certificate and key
	catalog     *subject.Catalog
	builder     *subject.Builder
	programs    map[string]program // servers that were built, by name
}

// open builds dyno and makes what campaigns need; to plan, they need nothing.
func (l *lab) open(ctx context.Context) (done func(), err error) {
	if l.Options.Plan {
		return func() {}, nil
	}
	if l.dir, err = os.MkdirTemp("", "servers-"); err != nil {
		return nil, err
	}
	l.Watch = rounds.NewWatch()
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
	if err := rounds.Need("wrk", "taskset"); err != nil {
		return err
	}
	if l.self, err = os.Executable(); err != nil {
		return err
	}
	if err := l.openCache(); err != nil {
		return err
	}
	l.dyno = filepath.Join(l.dir, "dyno")
	if err := rounds.Build(ctx, l.dyno, "dyno/cmd/dyno"); err != nil {
		return err
	}
	l.certificate = filepath.Join(l.dir, "certificate.pem")
	return errors.Join(rounds.WriteCertificate(l.certificate), l.writeFiles())
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
	for name, args := range map[string][]string{l.dyno: {"--version"}, "wrk": {"-v"}} {
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
