package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dyno/internal/shell"
	"dyno/lab/archive"
	"dyno/lab/archive/bucket"
)

// library is where a command finds archived runs: a folder of this machine, or
// a bucket.
type library struct {
	store  archive.Store  // where runs are written, and, without a bucket, read from
	bucket *bucket.Bucket // nil if the archive is a folder
	copies string         // folder of the copies through which a bucket's runs are read
}

// location is the archive that --archive or DYNO_ARCHIVE names, or the folder
// runs in DYNO_HOME.
func location(g *globalFlags) (archive.Location, error) {
	for _, source := range []struct{ name, value string }{{"--archive", g.archive}, {"DYNO_ARCHIVE", os.Getenv("DYNO_ARCHIVE")}} {
		if source.value == "" {
			continue
		}
		l, err := archive.ParseLocation(source.value)
		if err != nil {
			return archive.Location{}, usageError(fmt.Errorf("%s: %w", source.name, err))
		}
		return l, nil
	}
	store, err := archive.DefaultStore()
	return archive.Location{Dir: store.Dir}, err
}

// folderOf is where runs of this machine are written: the archive, or the folder
// runs in DYNO_HOME if that is a bucket.
func folderOf(g *globalFlags) (archive.Store, error) {
	l, err := location(g)
	if err != nil || !l.IsBucket() {
		return archive.Store{Dir: l.Dir}, err
	}
	return archive.DefaultStore()
}

// libraryOf opens the archive.
func libraryOf(ctx context.Context, g *globalFlags) (*library, error) {
	l, err := location(g)
	if err != nil {
		return nil, err
	}
	return openLibrary(ctx, l)
}

// libraryOfRun opens the archive of a run that is given by its URL, or else the one
// that the flags name, and returns what names the run there.
func libraryOfRun(ctx context.Context, g *globalFlags, ref string) (*library, string, error) {
	l, inside, ok, err := archive.ParseRun(ref)
	if err != nil {
		return nil, "", usageError(fmt.Errorf("the run's URL: %w", err))
	}
	if !ok {
		lib, err := libraryOf(ctx, g)
		return lib, ref, err
	}
	lib, err := openLibrary(ctx, l)
	return lib, inside, err
}

func openLibrary(ctx context.Context, l archive.Location) (*library, error) {
	if !l.IsBucket() {
		return &library{store: archive.Store{Dir: l.Dir}}, nil
	}
	store, err := archive.DefaultStore()
	if err != nil {
		return nil, err
	}
	dir, err := home()
	if err != nil {
		return nil, err
	}
	b, err := bucket.Open(ctx, l)
	return &library{store: store, bucket: b, copies: filepath.Join(dir, "copies")}, err
}

// String is the archive's place, as users write it.
func (l *library) String() string {
	if l.bucket != nil {
		return l.bucket.String()
	}
	return l.store.Dir
}

func (l *library) list(ctx context.Context) ([]archive.Entry, error) {
	if l.bucket != nil {
		return l.bucket.List(ctx)
	}
	return l.store.List()
}

// open reads a run. Of a bucket, it reads the run this machine has, if that has
// the same address, or else a copy, which is kept.
func (l *library) open(ctx context.Context, ref string) (*archive.Run, error) {
	if l.bucket == nil || isPath(ref) {
		return l.store.Open(ref)
	}
	name, err := l.bucket.Find(ctx, ref)
	if err != nil {
		return nil, err
	}
	copies := archive.Store{Dir: filepath.Join(l.copies, string(name.Address))}
	for _, store := range []archive.Store{l.store, copies} {
		if run, err := store.Open(name.ID); err == nil && run.Address == name.Address {
			return run, nil
		}
	}
	if err := os.RemoveAll(copies.Dir); err != nil { // a damaged copy, if there is one
		return nil, err
	}
	if _, err := l.bucket.Pull(ctx, name, copies, nil); err != nil {
		return nil, err
	}
	return copies.Open(name.ID)
}

// isPath reports whether ref is the path of a folder rather than a run's name.
func isPath(ref string) bool { return strings.ContainsRune(ref, filepath.Separator) }

// verify holds a run to its sums where it lies.
func (l *library) verify(ctx context.Context, ref string) (*archive.Verification, error) {
	if l.bucket == nil || isPath(ref) {
		return l.store.Verify(ref)
	}
	name, err := l.bucket.Find(ctx, ref)
	if err != nil {
		return nil, err
	}
	return l.bucket.Verify(ctx, name)
}

// lawful reads all of a run that is whole, which holds it to the laws of records:
// what it breaks, and whether it was read.
func (l *library) lawful(ctx context.Context, ref string) (broken error, read bool) {
	if l.bucket != nil && !isPath(ref) {
		return nil, false
	}
	run, err := l.open(ctx, ref)
	if err != nil {
		return err, true
	}
	for i := range run.Trials {
		for _, err := range run.Windows(i) {
			if err != nil {
				return err, true
			}
		}
	}
	return nil, true
}

func (l *library) remove(ctx context.Context, ref string) error {
	if l.bucket != nil {
		return l.bucket.Remove(ctx, ref)
	}
	return l.store.Remove(ref)
}

// reachable opens the archive for a run that is to be measured, and finds out
// before it whether a bucket is there.
func reachable(ctx context.Context, g *globalFlags) (*library, error) {
	lib, err := libraryOf(ctx, g)
	if err == nil && lib.bucket != nil {
		err = lib.bucket.Reach(ctx)
	}
	return lib, err
}

// keep pushes a run that has just ended on this machine, if the archive is a
// bucket. One that was interrupted is left to the user: they are in a hurry.
func (l *library) keep(ctx context.Context, global *globalFlags, run *archive.Run) error {
	if l.bucket == nil {
		return nil
	}
	if ctx.Err() != nil {
		fmt.Fprintf(os.Stderr, "not pushed, as the run was interrupted; to do so: %s\n", l.pushCommand(run.Manifest.ID))
		return nil
	}
	r, err := l.store.Record(run.Manifest.ID)
	if err != nil {
		return err
	}
	return send(ctx, global, r, l, os.Stderr)
}

// pushCommand is what pushes a run to the bucket.
func (l *library) pushCommand(id string) string {
	return shell.Join([]string{"dyno", "push", id, l.bucket.String()})
}

// push copies a run into the archive and returns how many files it took; none
// if the run is there.
func (l *library) push(ctx context.Context, r *archive.Record, observe func(bucket.Progress)) (int, error) {
	if l.bucket == nil {
		_, err := l.store.Copy(r)
		return len(r.Sums) + 1, err
	}
	sent, err := l.bucket.Push(ctx, r, observe)
	if err != nil && !errors.Is(err, context.Canceled) {
		err = fmt.Errorf("%w; to go on, when it is back: %s", err, l.pushCommand(r.ID))
	}
	return sent, err
}

// pull copies a run from the archive into a folder's and returns its folder.
func (l *library) pull(ctx context.Context, ref string, to archive.Store, observe func(bucket.Progress)) (string, error) {
	if l.bucket == nil {
		r, err := l.store.Record(ref)
		if err != nil {
			return "", err
		}
		return to.Copy(r)
	}
	name, err := l.bucket.Find(ctx, ref)
	if err != nil {
		return "", err
	}
	return l.bucket.Pull(ctx, name, to, observe)
}
