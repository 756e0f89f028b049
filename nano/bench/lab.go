//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"dyno.example/dyno/bench/rounds"
	"dyno.example/dyno/subject"
	"dyno.example/dyno/subjects"
)

// lab is what all campaigns share: programs, files and settings.
type lab struct {
	options     rounds.Options
	self        string // this program: two of the servers, and the generator for HTTP/2
	other       string // another build of it; "" for none
	dyno        string // built from this source
	cache       string // of builds; kept
	dir         string // temporary
	certificate string // PEM file with certificate and key
	catalog     *subject.Catalog
	builder     *subject.Builder
	programs    map[string]program // servers that were built, by name
	watch       *rounds.Watch
}

// openLab builds dyno and makes what campaigns need.
func openLab(ctx context.Context, o rounds.Options, other string) (*lab, error) {
	dir, err := os.MkdirTemp("", "servers-")
	if err != nil {
		return nil, err
	}
	l := &lab{options: o, other: other, dir: dir, programs: make(map[string]program), watch: rounds.NewWatch()}
	if err := l.prepare(ctx); err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

func (l *lab) close() {
	l.watch.Close()
	os.RemoveAll(l.dir)
}

func (l *lab) prepare(ctx context.Context) (err error) {
	for _, name := range []string{"wrk", "taskset"} {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%s is missing; on Debian: apt-get install wrk util-linux", name)
		}
	}
	if l.self, err = os.Executable(); err != nil {
		return err
	}
	if err := l.openCache(); err != nil {
		return err
	}
	l.dyno = filepath.Join(l.dir, "dyno")
	if err := execute(ctx, "", "go", "build", "-o", l.dyno, "./dyno/cmd/dyno"); err != nil {
		return fmt.Errorf("building dyno (run this from the repository's root): %w", err)
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

// versions are those of the generators.
func (l *lab) versions() map[string]string {
	dyno, _ := exec.Command(l.dyno, "version").Output()
	wrk, _ := exec.Command("wrk", "-v").CombinedOutput() // ends with status 1
	return map[string]string{"dyno": firstLine(dyno), "wrk": firstLine(wrk)}
}

func firstLine(text []byte) string {
	first, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return first
}

// printed is the first line that a command prints.
func printed(ctx context.Context, name string, args ...string) (string, error) {
	text, err := exec.CommandContext(ctx, name, args...).Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s is not installed", name)
	}
	return firstLine(text), err
}

// execute runs a command and keeps what it prints for the error.
func execute(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if dir != "" {
		cmd.Env = append(os.Environ(), "GOWORK=off") // a peer's module is not in the workspace
	}
	output, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%s is not installed", name)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, rounds.Tail(string(output)))
	}
	return nil
}
