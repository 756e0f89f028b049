// Package bucket keeps copies of archived runs in a bucket of an object store
// that speaks S3. A run lies there as it does on disk, in a folder named after
// its ID and its address; it is part of the archive once its SHA256SUMS, which
// is written last, is there. What is read is held to the address.
//
// Credentials come from the environment and the AWS configuration files only.
// They are in no error, and nothing of them is stored.
package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"dyno.example/dyno/archive"
)

// Bounds of what is read, so that a hostile bucket can't take all memory or disk.
const (
	maxDocument = 64 << 20 // bytes of SHA256SUMS and the manifest
	maxFile     = 4 << 30  // bytes of any file; S3 itself takes 5 GiB in one request
)

// Bucket is an archive of runs in an object store. It is safe for concurrent use.
type Bucket struct {
	location archive.Location
	objects  *objects
}

// Open finds credentials for the bucket. Nothing is sent to it yet.
func Open(ctx context.Context, l archive.Location) (*Bucket, error) {
	o, err := openObjects(ctx, l)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", l, err)
	}
	return &Bucket{location: l, objects: o}, nil
}

// String is the bucket's URL, without credentials.
func (b *Bucket) String() string { return b.location.String() }

// Reach lists the runs, so that a bucket that doesn't exist, or isn't open to these
// credentials, is found out before something is to be written to it.
func (b *Bucket) Reach(ctx context.Context) error {
	_, err := b.names(ctx)
	return err
}

// names returns the runs that have a folder, also those that are not complete,
// oldest first.
func (b *Bucket) names(ctx context.Context) ([]archive.Name, error) {
	var names []archive.Name
	err := b.objects.list(ctx, "", true, func(key string, _ int64) {
		folder, ok := strings.CutSuffix(key, "/")
		if name, err := archive.ParseName(folder); ok && err == nil {
			names = append(names, name)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w", b, err)
	}
	slices.SortFunc(names, func(a, c archive.Name) int { return strings.Compare(a.String(), c.String()) })
	return names, nil
}

// Find returns the run that ref means, as [archive.Match] has it. Runs that are
// not complete are not there.
func (b *Bucket) Find(ctx context.Context, ref string) (archive.Name, error) {
	names, err := b.names(ctx)
	if err != nil {
		return archive.Name{}, err
	}
	for {
		found := archive.Match(names, ref)
		partial, err := b.partial(ctx, found)
		if err != nil {
			return archive.Name{}, err
		}
		if len(partial) == 0 {
			return archive.Pick(found, names, ref, b.String())
		}
		names = slices.DeleteFunc(names, func(n archive.Name) bool { return slices.Contains(partial, n) })
	}
}

// partial returns those of the runs that are not complete.
func (b *Bucket) partial(ctx context.Context, names []archive.Name) ([]archive.Name, error) {
	missing := make([]bool, len(names))
	err := each(ctx, len(names), func(ctx context.Context, i int) error {
		_, err := b.content(ctx, names[i], archive.SumsFile)
		missing[i] = errors.Is(err, os.ErrNotExist)
		if missing[i] {
			return nil
		}
		return err
	})
	var partial []archive.Name
	for i, name := range names {
		if missing[i] {
			partial = append(partial, name)
		}
	}
	return partial, err
}

// List returns the runs that are complete, newest first; as in
// [archive.Store.List], one that can't be read is listed with the reason.
func (b *Bucket) List(ctx context.Context) ([]archive.Entry, error) {
	names, err := b.names(ctx)
	if err != nil {
		return nil, err
	}
	slices.Reverse(names)
	entries := make([]archive.Entry, len(names))
	err = each(ctx, len(names), func(ctx context.Context, i int) error {
		entries[i] = archive.Entry{ID: names[i].ID, Address: names[i].Address}
		err := b.read(ctx, names[i], &entries[i])
		if damage := (*archive.Damage)(nil); err == errPartial || errors.As(err, &damage) {
			entries[i].Err, err = err, nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(entries, func(e archive.Entry) bool { return e.Err == errPartial }), nil
}

var errRemoved = errors.New("was removed since the run was pushed")

// errPartial marks a run whose upload did not come to its end.
var errPartial = errors.New("not complete")

// read fills the entry from the run's sums and manifest.
func (b *Bucket) read(ctx context.Context, name archive.Name, e *archive.Entry) error {
	sums, err := b.sums(ctx, name)
	if errors.Is(err, os.ErrNotExist) {
		return errPartial
	}
	if err != nil {
		return err
	}
	e.Trials = sums.Trials()
	path := b.path(name, archive.ManifestFile)
	document, err := b.content(ctx, name, archive.ManifestFile)
	if errors.Is(err, os.ErrNotExist) {
		return &archive.Damage{File: path, Err: errRemoved}
	}
	if err != nil {
		return err
	}
	if have := digest(document); have != sums[archive.ManifestFile] {
		return &archive.Damage{File: path, Err: archive.Mismatch(have, sums[archive.ManifestFile])}
	}
	e.Manifest, err = archive.ParseManifest(document, path)
	return err
}

// sums reads those of a run and holds them to its address. If it is not
// complete, the error is [os.ErrNotExist].
func (b *Bucket) sums(ctx context.Context, name archive.Name) (archive.Sums, error) {
	path := b.path(name, archive.SumsFile)
	content, err := b.content(ctx, name, archive.SumsFile)
	if err != nil {
		return nil, err
	}
	if have := archive.Address(digest(content)); have != name.Address {
		return nil, &archive.Damage{File: path, Err: fmt.Errorf("was changed: its SHA-256 is %s, not the run's address", string(have))}
	}
	return archive.ParseSums(content, path)
}

// content reads a small object of a run.
func (b *Bucket) content(ctx context.Context, name archive.Name, file string) ([]byte, error) {
	var content bytes.Buffer
	if err := b.objects.get(ctx, key(name, file), &content, maxDocument); err != nil {
		return nil, fmt.Errorf("reading %s: %w", b.path(name, file), err)
	}
	return content.Bytes(), nil
}

// key is where a file of a run is, under the archive's prefix.
func key(name archive.Name, file string) string { return name.String() + "/" + file }

// path is what errors call a file of a run.
func (b *Bucket) path(name archive.Name, file string) string {
	return "s3://" + b.location.Bucket + "/" + b.objects.prefix + key(name, file)
}

// Remove deletes the run that ref means, the sums first: nothing is left that
// could be taken for a run if removing is interrupted.
func (b *Bucket) Remove(ctx context.Context, ref string) error {
	name, err := b.Find(ctx, ref)
	if err != nil {
		return err
	}
	if err := b.remove(ctx, name); err != nil {
		return fmt.Errorf("removing run %s from %s: %w", name.ID, b, err)
	}
	return nil
}

func (b *Bucket) remove(ctx context.Context, name archive.Name) error {
	if err := b.objects.remove(ctx, key(name, archive.SumsFile)); err != nil {
		return err
	}
	var keys []string
	if err := b.objects.list(ctx, name.String()+"/", false, func(key string, _ int64) { keys = append(keys, key) }); err != nil {
		return err
	}
	return each(ctx, len(keys), func(ctx context.Context, i int) error { return b.objects.remove(ctx, keys[i]) })
}
