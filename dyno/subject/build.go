package subject

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"dyno.example/internal/i18n"
)

// Builder makes subjects of a catalog into programs, each only once.
type Builder struct {
	// Dir is the cache, "~/.dyno/cache" by convention. Builds are in
	// Dir/builds/HASH. Several dyno processes may share it.
	Dir string
	// Progress, if set, gets every line a build prints and a line for every
	// wait, from one goroutine.
	Progress func(line string)

	free func(dir string) (bytes uint64, err error) // replaces the query of the disk in tests; else nil
}

// Artifact is a finished build. Its folders belong to the cache and must not
// be changed.
type Artifact struct {
	Manifest  Manifest
	Hash      string // key in the cache, hexadecimal SHA-256
	Out       string // output folder, $OUT
	Source    string // the subject's unpacked folder
	Log       string // file with what the build printed
	Toolchain []string
	Cached    bool // whether it had been built before
}

// Build checks what m needs and returns its output, from the cache if the same
// inputs, command, environment and tools have been built before. A build that
// fails is a [*BuildError]; a missing tool a [*NeedError]. When ctx ends, the
// build's whole process group is killed.
func (b *Builder) Build(ctx context.Context, c *Catalog, m Manifest) (*Artifact, error) {
	a, files, err := b.find(ctx, c, m, toolbox{})
	if err != nil || a.Cached {
		return a, err
	}
	return a, b.fill(ctx, c.fsys, files, a)
}

// Look returns for each of several subjects where its build is or would be, and whether
// it is there (Cached), or why it can't be built; see [Builder.Build] for the errors.
// It builds nothing, and runs the check of a tool that several need once.
func (b *Builder) Look(ctx context.Context, c *Catalog, subjects []Manifest) ([]*Artifact, []error) {
	artifacts, errs, tools := make([]*Artifact, len(subjects)), make([]error, len(subjects)), toolbox{}
	if builds := filepath.Join(b.Dir, "builds"); os.MkdirAll(builds, 0o755) == nil {
		tools.runAll(ctx, subjects, builds)
	}
	for i, m := range subjects {
		artifacts[i], _, errs[i] = b.find(ctx, c, m, tools)
	}
	return artifacts, errs
}

// find also returns the files that m is built from.
func (b *Builder) find(ctx context.Context, c *Catalog, m Manifest, tools toolbox) (*Artifact, []string, error) {
	builds := filepath.Join(b.Dir, "builds")
	if err := os.MkdirAll(builds, 0o755); err != nil {
		return nil, nil, i18n.Errorf("subject.make-build-cache", "make the build cache: %w", err)
	}
	// The cache's folder is neutral ground: a tool's version may depend on the folder
	// it is run in.
	toolchain, err := m.checkNeeds(ctx, builds, tools)
	if err != nil {
		return nil, nil, err
	}
	files, err := inputFiles(c.fsys, m.Build.Inputs)
	if err != nil {
		return nil, nil, err
	}
	key, err := buildKey(c.fsys, files, m, toolchain)
	if err != nil {
		return nil, nil, err
	}
	a := &Artifact{Manifest: m, Hash: key, Toolchain: toolchain}
	a.place(filepath.Join(builds, key))
	a.Cached = a.exists()
	return a, files, nil
}

// place sets the artifact's paths below root.
func (a *Artifact) place(root string) {
	a.Out = filepath.Join(root, "out")
	a.Source = filepath.Join(root, "src", filepath.FromSlash(a.Manifest.Name))
	a.Log = filepath.Join(root, "build.log")
}

func (a *Artifact) exists() bool {
	_, err := os.Stat(a.Out)
	return err == nil
}

// fill builds a under a lock, unless another process has done so meanwhile.
func (b *Builder) fill(ctx context.Context, fsys fs.FS, files []string, a *Artifact) error {
	root := filepath.Dir(a.Out)
	unlock, err := lockFile(ctx, root+".lock", func() {
		b.say("waiting for another dyno that is building " + a.Manifest.Name)
	})
	if err != nil {
		return i18n.Errorf("subject.lock-build-subject", "lock the build of subject %s: %w", a.Manifest.Name, err)
	}
	defer unlock()
	if a.exists() {
		a.Cached = true
		return nil
	}
	if err := b.room(&a.Manifest); err != nil {
		return err
	}
	return b.buildIn(ctx, fsys, files, a, root)
}

// buildIn builds in a folder of its own, which becomes root when all is well.
func (b *Builder) buildIn(ctx context.Context, fsys fs.FS, files []string, a *Artifact, root string) error {
	prefix := ".tmp-" + a.Hash[:16] + "-"
	removeAll(filepath.Dir(root), prefix) // of a dyno that was killed; the lock is ours
	temp, err := os.MkdirTemp(filepath.Dir(root), prefix)
	if err != nil {
		return i18n.Errorf("subject.build-subject", "build subject %s: %w", a.Manifest.Name, err)
	}
	defer os.RemoveAll(temp)
	draft := *a
	draft.place(temp)
	named := os.WriteFile(filepath.Join(temp, ownerFile), []byte(a.Manifest.Name), 0o644)
	if err := errors.Join(named, os.Chmod(temp, 0o755), os.Mkdir(draft.Out, 0o755)); err != nil {
		return i18n.Errorf("subject.build-subject", "build subject %s: %w", a.Manifest.Name, err)
	}
	if err := unpack(fsys, files, filepath.Join(temp, "src")); err != nil {
		return i18n.Errorf("subject.build-subject", "build subject %s: %w", a.Manifest.Name, err)
	}
	if err := b.run(ctx, &draft, root+".failed.log"); err != nil {
		return err
	}
	// In the cache it counts as complete ever after, also after a power failure.
	if err := errors.Join(syncBuild(temp), os.Rename(temp, root)); err != nil {
		return i18n.Errorf("subject.keep-build-subject", "keep the build of subject %s: %w", a.Manifest.Name, err)
	}
	return nil
}

// run executes the build command of draft. The log of a failure is kept as
// failed, for the draft will be removed.
func (b *Builder) run(ctx context.Context, draft *Artifact, failed string) error {
	m := draft.Manifest
	err := runBuild(ctx, buildRun{
		Subject:  m.Name,
		Command:  m.Build.Command,
		Dir:      draft.Source,
		Env:      environ(m.Env, map[string]string{"OUT": draft.Out}),
		Log:      draft.Log,
		Progress: b.say,
	})
	var failure *BuildError
	if errors.As(err, &failure) && os.Rename(draft.Log, failed) == nil {
		failure.Log = failed
	}
	return err
}

func (b *Builder) say(line string) {
	if b.Progress != nil {
		b.Progress(line)
	}
}

// removeAll removes the entries of dir that begin with prefix, as far as it
// can: what stays costs space only.
func removeAll(dir, prefix string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

// lockFile takes the exclusive lock of the file name, made if it isn't there.
// It calls waiting once if another process holds it. The file stays: removing
// it would let a third process lock a new one while a second waits for the old.
func lockFile(ctx context.Context, name string, waiting func()) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for told := false; ; told = true {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, &os.PathError{Op: "flock", Path: name, Err: err}
		}
		if !told {
			waiting()
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
