// Package state keeps on disk what others said last, such as which instances there are, so
// that a gateway which starts while they are away begins with what was known.
package state

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Dir is the directory with what is kept. A nil Dir keeps nothing. Several processes may
// use one: the last to write a file is believed.
type Dir struct {
	path  string
	after time.Duration // from a change until it is on disk, see [DelayedSaver]
	most  int           // bytes of a file

	mu    sync.Mutex
	swept map[string]bool // kinds of which what is too old was removed
}

// Open returns the directory of that path, which is made when something is saved; "" is
// none.
func Open(path string) *Dir {
	if path == "" {
		return nil
	}
	return &Dir{path: path, after: time.Second, most: mostFile, swept: map[string]bool{}}
}

// File is one file: of what stands under keys, for one kind of user. A nil File holds
// nothing.
type File struct {
	dir  *Dir
	kind string // lower-case letters and dashes
	path string
}

// File returns the file of what stands under keys. It opens nothing.
func (d *Dir) File(kind string, keys ...string) *File {
	if d == nil {
		return nil
	}
	sum := sha256.Sum256([]byte(strings.Join(keys, "\x00")))
	return &File{d, kind, filepath.Join(d.path, kind+"-"+hex.EncodeToString(sum[:12])+".json")}
}

// Name is the file's path.
func (f *File) Name() string { return f.path }

// mostFile bounds a file, in bytes: ten thousand instances take some two million.
const mostFile = 64 << 20

// Load reads the file into a value; there is false if there is no file.
func (f *File) Load(into any) (there bool, err error) {
	if f == nil {
		return false, nil
	}
	opened, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer opened.Close()
	b, err := io.ReadAll(io.LimitReader(opened, int64(f.dir.most)+1))
	switch {
	case err != nil:
		return false, err
	case len(b) > f.dir.most:
		return false, fmt.Errorf("%s: expected at most %d bytes", f.path, f.dir.most)
	}
	if err := json.Unmarshal(b, into); err != nil {
		return false, fmt.Errorf("%s: %w", f.path, err)
	}
	return true, nil
}

// temporary is the name pattern of incomplete files.
const temporary = ".new-*"

// Save writes the file atomically: after a crash it has its old or its new content. Only
// its owner may read it.
func (f *File) Save(v any) error {
	if f == nil {
		return nil
	}
	b, err := json.MarshalIndent(v, "", "\t")
	switch {
	case err != nil:
		return err
	case len(b) > f.dir.most:
		return fmt.Errorf("%s: expected at most %d bytes, got %d", f.path, f.dir.most, len(b))
	}
	if err := os.MkdirAll(f.dir.path, 0o700); err != nil {
		return err
	}
	made, err := os.CreateTemp(f.dir.path, temporary) // 0600
	if err != nil {
		return err
	}
	_, err = made.Write(b)
	if err == nil {
		err = made.Sync()
	}
	err = errors.Join(err, made.Close())
	if err == nil {
		err = os.Rename(made.Name(), f.path)
	}
	if err != nil {
		_ = os.Remove(made.Name())
		return err
	}
	dir, err := os.Open(f.dir.path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync() // or the name may be lost
}

// How long files are kept that haven't been written since.
const (
	oldest       = 90 * 24 * time.Hour
	oldestOrphan = time.Hour // of those that were incomplete when a gateway crashed
)

// sweep removes, once, the files of a kind that are too old, so that their number is
// bounded by what was used of late. It is for kinds whose files are written now and then
// though nothing has changed.
func (d *Dir) sweep(kind string, now time.Time) {
	d.mu.Lock()
	done := d.swept[kind]
	d.swept[kind] = true
	d.mu.Unlock()
	if done {
		return
	}
	for pattern, age := range map[string]time.Duration{kind + "-" + strings.Repeat("[0-9a-f]", 24) + ".json": oldest, temporary: oldestOrphan} {
		found, _ := filepath.Glob(filepath.Join(d.path, pattern))
		for _, path := range found {
			if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()) > age {
				_ = os.Remove(path) // another gateway may have been faster
			}
		}
	}
}
