package nano

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Bounds of the small files that one tree keeps in memory.
const (
	keptFileSize = smallFile
	keptBytes    = 16 << 20
	// keptAge is how long ago a file must have changed when it is read: what is written
	// twice within the grain of the file system's clock has the same time both times.
	keptAge = 2 * time.Second
)

// keptFiles keeps the small files of a directory in memory. A file is asked for its
// time and size at each request, as it would be to be opened; only opening, reading
// and closing it are saved, which cost several times the rest of a response. What is
// sent is therefore never older than the file. It is safe for concurrent use.
type keptFiles struct {
	fs.FS
	dir string        // the same directory, by its path
	age time.Duration // keptAge

	mu    sync.RWMutex
	files map[string]*keptFile
	bytes int
}

// keptFile is the content of a file at a time.
type keptFile struct {
	info fs.FileInfo
	body []byte
}

func newKeptFiles(fsys fs.FS, dir string) *keptFiles {
	return &keptFiles{FS: fsys, dir: dir, age: keptAge, files: make(map[string]*keptFile)}
}

// Open opens a file, from memory if it is there and has not changed.
func (k *keptFiles) Open(name string) (fs.File, error) {
	k.mu.RLock()
	kept := k.files[name]
	k.mu.RUnlock()
	if kept != nil {
		// The path may lead out of the directory by now, by a symbolic link: then it is
		// another file, and the directory itself decides about it.
		info, err := os.Stat(k.dir + string(filepath.Separator) + filepath.FromSlash(name))
		if err == nil && kept.is(info) {
			return kept.open(), nil
		}
		k.forget(name, kept)
	}
	f, err := k.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return k.keep(name, f), nil
}

// is reports whether what is there now is the file as it was read. The time of its
// last change counts, not that of its content alone: releases are made with times
// that never change, and copied with them.
func (kept *keptFile) is(now fs.FileInfo) bool {
	was := kept.info
	return now.Size() == was.Size() && now.ModTime().Equal(was.ModTime()) && now.Mode() == was.Mode() &&
		changed(now).Equal(changed(was)) && os.SameFile(now, was)
}

// keep returns a file with the content of f, which it closes, if that is worth
// keeping; else f.
func (k *keptFiles) keep(name string, f fs.File) fs.File {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > keptFileSize || time.Since(info.ModTime()) < k.age || time.Since(changed(info)) < k.age {
		return f
	}
	seeker, ok := f.(io.Seeker)
	if !ok {
		return f
	}
	body := make([]byte, info.Size())
	if _, err = io.ReadFull(f, body); err == nil {
		var after fs.FileInfo
		kept := &keptFile{info, body}
		if after, err = f.Stat(); err == nil && kept.is(after) {
			f.Close()
			k.add(name, kept)
			return kept.open()
		}
	}
	if _, err := seeker.Seek(0, io.SeekStart); err != nil {
		return f // whoever reads it meets the same error
	}
	return f
}

// add keeps a file, and makes room for it.
func (k *keptFiles) add(name string, kept *keptFile) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if old := k.files[name]; old != nil {
		k.bytes -= old.cost(name)
	}
	k.files[name] = kept
	k.bytes += kept.cost(name)
	for other, file := range k.files { // in no order: any of them may go
		if k.bytes <= keptBytes {
			break
		}
		if other != name {
			delete(k.files, other)
			k.bytes -= file.cost(other)
		}
	}
}

// forget drops a file that has changed or gone.
func (k *keptFiles) forget(name string, kept *keptFile) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.files[name] == kept {
		delete(k.files, name)
		k.bytes -= kept.cost(name)
	}
}

// cost is about what it takes to keep a file, in bytes.
func (kept *keptFile) cost(name string) int { return len(name) + len(kept.body) + 512 }

// open returns the content as an open file.
func (kept *keptFile) open() fs.File {
	f := &openKept{info: kept.info}
	f.Reset(kept.body)
	return f
}

// openKept is a kept file, being read. It has no descriptor.
type openKept struct {
	bytes.Reader
	info fs.FileInfo
}

func (f *openKept) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openKept) Close() error               { return nil }
