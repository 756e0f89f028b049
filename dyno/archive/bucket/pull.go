package bucket

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"dyno.example/dyno/archive"
)

// Pull copies a run into the store and returns its folder. The run is in the
// store only when all of it is there and as its address says; one that is there
// already is left as it is. Files that are not as they were written are
// [*archive.Damage]. Observe may be nil.
func (b *Bucket) Pull(ctx context.Context, name archive.Name, store archive.Store, observe func(Progress)) (string, error) {
	sums, err := b.sums(ctx, name)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("run %s in %s is not complete", name.ID, b)
	}
	if err != nil {
		return "", err
	}
	return store.Adopt(name, sums, func(dir string) error {
		files := sums.Names()
		t := &transfer{total: len(files), observe: observe}
		return each(ctx, len(files), func(ctx context.Context, i int) error {
			if err := b.download(ctx, name, files[i], sums[files[i]], filepath.Join(dir, filepath.FromSlash(files[i]))); err != nil {
				return err
			}
			t.count(files[i])
			return nil
		})
	})
}

// download copies a file of a run to the path.
func (b *Bucket) download(ctx context.Context, name archive.Name, file, want, path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	damage, err := b.fetch(ctx, name, file, want, f)
	if err == nil && damage != nil {
		err = damage
	}
	return errors.Join(err, f.Close())
}

// fetch copies a file of a run into w. The damage, if there is any, is that the
// file is missing or has another SHA-256 than the one wanted.
func (b *Bucket) fetch(ctx context.Context, name archive.Name, file, want string, w io.Writer) (*archive.Damage, error) {
	path := b.path(name, file)
	h := sha256.New()
	err := b.objects.get(ctx, key(name, file), io.MultiWriter(w, h), maxFile)
	switch have := hex.EncodeToString(h.Sum(nil)); {
	case errors.Is(err, os.ErrNotExist):
		return &archive.Damage{File: path, Err: errRemoved}, nil
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", path, err)
	case have != want:
		return &archive.Damage{File: path, Err: archive.Mismatch(have, want)}, nil
	}
	return nil, nil
}

// Verify reads all of a run and holds it to its address. What is wrong with its
// files is in the result; an error is that they could not be read.
func (b *Bucket) Verify(ctx context.Context, name archive.Name) (*archive.Verification, error) {
	v := &archive.Verification{Name: name, Dir: strings.TrimSuffix(b.path(name, ""), "/")}
	sums, err := b.sums(ctx, name)
	var damage *archive.Damage
	if errors.As(err, &damage) {
		v.Damages = []*archive.Damage{damage}
		return v, nil
	}
	if err != nil {
		return nil, err
	}
	files := sums.Names()
	v.Files = len(files)
	damages := make([]*archive.Damage, len(files))
	err = each(ctx, len(files), func(ctx context.Context, i int) (err error) {
		damages[i], err = b.fetch(ctx, name, files[i], sums[files[i]], io.Discard)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, d := range damages {
		if d != nil {
			v.Damages = append(v.Damages, d)
		}
	}
	return v, b.others(ctx, v, sums)
}

// others notes the objects in a run's folder that its sums don't have.
func (b *Bucket) others(ctx context.Context, v *archive.Verification, sums archive.Sums) error {
	prefix := v.Name.String() + "/"
	return b.objects.list(ctx, prefix, false, func(key string, _ int64) {
		switch file := strings.TrimPrefix(key, prefix); {
		case sums[file] != "" || file == archive.SumsFile:
		case archive.Recorded(file):
			v.Damages = append(v.Damages, &archive.Damage{File: b.path(v.Name, file), Err: errors.New("was added since the run was pushed")})
		default:
			v.Beside = append(v.Beside, file)
		}
	})
}
