package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dyno.example/dyno/archive"
	"dyno.example/dyno/archive/bucket"
	"dyno.example/dyno/cmd/dyno/internal/cli"
	"dyno.example/dyno/internal/shell"
	"dyno.example/internal/i18n"
)

// Library is where a command finds archived runs: a folder of this machine, or
// a bucket.
type Library struct {
	Store  archive.Store  // where runs are written, and, without a bucket, read from
	Bucket *bucket.Bucket // nil if the archive is a folder
	copies string         // folder of the copies through which a bucket's runs are read
}

// Location is the archive that --archive or DYNO_ARCHIVE names, or the folder
// runs in DYNO_HOME.
func Location(g *cli.Global) (archive.Location, error) {
	for _, source := range []struct{ name, value string }{{"--archive", g.Archive}, {"DYNO_ARCHIVE", os.Getenv("DYNO_ARCHIVE")}} {
		if source.value == "" {
			continue
		}
		l, err := archive.ParseLocation(source.value)
		if err != nil {
			return archive.Location{}, cli.UsageError(fmt.Errorf("%s: %w", source.name, err))
		}
		return l, nil
	}
	store, err := archive.DefaultStore()
	return archive.Location{Dir: store.Dir}, err
}

// Folder is where runs of this machine are written: the archive, or the folder
// runs in DYNO_HOME if that is a bucket.
func Folder(g *cli.Global) (archive.Store, error) {
	l, err := Location(g)
	if err != nil || !l.IsBucket() {
		return archive.Store{Dir: l.Dir}, err
	}
	return archive.DefaultStore()
}

// Open opens the archive.
func Open(ctx context.Context, g *cli.Global) (*Library, error) {
	l, err := Location(g)
	if err != nil {
		return nil, err
	}
	return At(ctx, l)
}

// OpenFor opens the archive of a run that is given by its URL, or else the one
// that the flags name, and returns what names the run there.
func OpenFor(ctx context.Context, g *cli.Global, ref string) (*Library, string, error) {
	l, inside, ok, err := archive.ParseRun(ref)
	if err != nil {
		return nil, "", cli.UsageError(i18n.Errorf("library.runs-url", "the run's URL: %w", err))
	}
	if !ok {
		lib, err := Open(ctx, g)
		return lib, ref, err
	}
	lib, err := At(ctx, l)
	return lib, inside, err
}

// At opens the archive at a place.
func At(ctx context.Context, l archive.Location) (*Library, error) {
	if !l.IsBucket() {
		return &Library{Store: archive.Store{Dir: l.Dir}}, nil
	}
	store, err := archive.DefaultStore()
	if err != nil {
		return nil, err
	}
	dir, err := cli.Home()
	if err != nil {
		return nil, err
	}
	b, err := bucket.Open(ctx, l)
	return &Library{Store: store, Bucket: b, copies: filepath.Join(dir, "copies")}, err
}

// String is the archive's place, as users write it.
func (l *Library) String() string {
	if l.Bucket != nil {
		return l.Bucket.String()
	}
	return l.Store.Dir
}

// List returns the runs, newest first.
func (l *Library) List(ctx context.Context) ([]archive.Entry, error) {
	if l.Bucket != nil {
		return l.Bucket.List(ctx)
	}
	return l.Store.List()
}

// open reads a run. Of a bucket, it reads the run this machine has, if that has
// the same address, or else a copy, which is kept.
func (l *Library) open(ctx context.Context, ref string) (*archive.Run, error) {
	if l.Bucket == nil || isPath(ref) {
		return l.Store.Open(ref)
	}
	name, err := l.Bucket.Find(ctx, ref)
	if err != nil {
		return nil, err
	}
	copies := archive.Store{Dir: filepath.Join(l.copies, string(name.Address))}
	for _, store := range []archive.Store{l.Store, copies} {
		if run, err := store.Open(name.ID); err == nil && run.Address == name.Address {
			return run, nil
		}
	}
	if err := os.RemoveAll(copies.Dir); err != nil { // a damaged copy, if there is one
		return nil, err
	}
	if _, err := l.Bucket.Pull(ctx, name, copies, nil); err != nil {
		return nil, err
	}
	return copies.Open(name.ID)
}

// isPath reports whether ref is the path of a folder rather than a run's name.
func isPath(ref string) bool { return strings.ContainsRune(ref, filepath.Separator) }

// Verify holds a run to its sums where it lies.
func (l *Library) Verify(ctx context.Context, ref string) (*archive.Verification, error) {
	if l.Bucket == nil || isPath(ref) {
		return l.Store.Verify(ref)
	}
	name, err := l.Bucket.Find(ctx, ref)
	if err != nil {
		return nil, err
	}
	return l.Bucket.Verify(ctx, name)
}

// Lawful reads all of a run that is whole, which holds it to the laws of records:
// what it breaks, and whether it was read.
func (l *Library) Lawful(ctx context.Context, ref string) (broken error, read bool) {
	if l.Bucket != nil && !isPath(ref) {
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

// Remove deletes the run that ref means.
func (l *Library) Remove(ctx context.Context, ref string) error {
	if l.Bucket != nil {
		return l.Bucket.Remove(ctx, ref)
	}
	return l.Store.Remove(ref)
}

// Reachable opens the archive for a run that is to be measured, and finds out
// before it whether a bucket is there.
func Reachable(ctx context.Context, g *cli.Global) (*Library, error) {
	lib, err := Open(ctx, g)
	if err == nil && lib.Bucket != nil {
		err = lib.Bucket.Reach(ctx)
	}
	return lib, err
}

// Keep pushes a run that has just ended on this machine, if the archive is a
// bucket. One that was interrupted is left to the user: they are in a hurry.
func (l *Library) Keep(ctx context.Context, global *cli.Global, run *archive.Run) error {
	if l.Bucket == nil {
		return nil
	}
	if ctx.Err() != nil {
		global.Err().Print(i18n.New("library.push-interrupted", "not pushed, as the run was interrupted; to do so: %s", l.pushCommand(run.Manifest.ID)))
		return nil
	}
	r, err := l.Store.Record(run.Manifest.ID)
	if err != nil {
		return err
	}
	return Send(ctx, global, r, l, global.Err())
}

// pushCommand is what pushes a run to the bucket.
func (l *Library) pushCommand(id string) string {
	return shell.Join([]string{"dyno", "push", id, l.Bucket.String()})
}

// push copies a run into the archive and returns how many files it took; none
// if the run is there.
func (l *Library) push(ctx context.Context, r *archive.Record, observe func(bucket.Progress)) (int, error) {
	if l.Bucket == nil {
		_, err := l.Store.Copy(r)
		return len(r.Sums) + 1, err
	}
	sent, err := l.Bucket.Push(ctx, r, observe)
	if err != nil && !errors.Is(err, context.Canceled) {
		err = i18n.Errorf("library.push-later", "%w; to go on, when it is back: %s", err, l.pushCommand(r.ID))
	}
	return sent, err
}

// Pull copies a run from the archive into a folder's and returns its folder.
func (l *Library) Pull(ctx context.Context, ref string, to archive.Store, observe func(bucket.Progress)) (string, error) {
	if l.Bucket == nil {
		r, err := l.Store.Record(ref)
		if err != nil {
			return "", err
		}
		return to.Copy(r)
	}
	name, err := l.Bucket.Find(ctx, ref)
	if err != nil {
		return "", err
	}
	return l.Bucket.Pull(ctx, name, to, observe)
}
