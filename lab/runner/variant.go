package runner

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dyno/lab/study"
	"dyno/lab/subject"
)

// flagsOf are the flags that a subject is built with, each once, in the order of
// the plan.
func (r *Runner) flagsOf(subject string) (all []string) {
	for i := range r.Plan.Cells {
		c := &r.Plan.Cells[i]
		if c.Subject == subject && !slices.Contains(all, c.BuildFlags) {
			all = append(all, c.BuildFlags)
		}
	}
	return all
}

// built notes a build for the archive.
func (c *contender) built(flags, hash string) {
	if c.archived.BuildHash == "" {
		c.archived.BuildHash = hash
	}
	if flags == "" {
		return
	}
	if c.archived.Builds == nil {
		c.archived.Builds = make(map[string]string)
	}
	c.archived.Builds[flags] = hash
}

// ownBuild is a program of the user's with a level of its build. What it makes
// goes to a folder of its own, if its commands use one.
func (r *Runner) ownBuild(s study.Subject, flags string) (subject.Own, error) {
	dir := s.Dir
	if !filepath.IsAbs(dir) && !strings.HasPrefix(r.Study.Path, "builtin:") {
		dir = filepath.Join(filepath.Dir(r.Study.Path), dir)
	}
	own := subject.Own{Name: s.Name, Build: s.Build, Run: s.Run, Dir: dir, Env: s.Env, Ready: s.Ready, Poll: s.Poll, Flags: flags}
	if r.CacheDir == "" || !strings.Contains(s.Build, "OUT") {
		return own, nil
	}
	place, err := filepath.Abs(dir)
	if err != nil {
		return own, err
	}
	key := sha256.Sum256([]byte(strings.Join([]string{place, s.Name, s.Build, flags}, "\x00")))
	if own.Out, err = filepath.Abs(filepath.Join(r.CacheDir, "own", fmt.Sprintf("%x", key[:12]))); err != nil {
		return own, err
	}
	if err := os.MkdirAll(own.Out, 0o755); err != nil {
		return own, fmt.Errorf("making the folder for its build: %w", err)
	}
	return own, nil
}

// maxVariants bounds how often a subject is started to be checked.
const maxVariants = 16

// variants are the first cells of a subject that start it as another program or
// with another command line.
func (r *Runner) variants(subject string) (cells []*study.Cell) {
	type variant struct {
		flags, args string
		secure      bool
	}
	seen := make(map[variant]bool)
	for i := range r.Plan.Cells {
		c := &r.Plan.Cells[i]
		v := variant{c.BuildFlags, c.Args, c.TLS != ""}
		if c.Subject != subject || seen[v] || len(seen) == maxVariants {
			continue
		}
		seen[v] = true
		cells = append(cells, c)
	}
	return cells
}
