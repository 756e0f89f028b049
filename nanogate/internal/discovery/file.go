package discovery

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/upstream"
)

// File is a configuration in a file, which is read when somebody says so.
type File struct {
	path  string
	log   *slog.Logger
	again chan struct{}

	mu     sync.Mutex
	status upstream.SourceStatus
}

// NewFile makes what follows a file. log is of what goes wrong later; nil: [slog.Default].
func NewFile(path string, log *slog.Logger) *File {
	return &File{path: path, log: cmp.Or(log, slog.Default()), again: make(chan struct{}, 1), status: upstream.SourceStatus{From: "file " + path, Since: time.Now()}}
}

// Again has the file be read again. It doesn't wait for that.
func (f *File) Again() {
	select {
	case f.again <- struct{}{}:
	default: // it is about to be
	}
}

// Follow implements [Configuration]. A file that can't be served at first is an error.
func (f *File) Follow(ctx context.Context, apply func(Document) error) error {
	if err := f.read(apply); err != nil {
		return err
	}
	return f.FollowServed(ctx, apply)
}

// FollowServed is [File.Follow] for a file that is served already: it isn't read before somebody
// says so.
func (f *File) FollowServed(ctx context.Context, apply func(Document) error) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-f.again:
		}
		if err := f.read(apply); err != nil && ctx.Err() == nil {
			f.log.Error("configuration file rejected; keeping the previous configuration", "file", f.path, "error", err)
		}
	}
}

// read tells what stands in the file.
func (f *File) read(apply func(Document) error) error {
	text, err := config.Read(f.path)
	if err == nil {
		err = apply(Document{Name: f.path, Dir: filepath.Dir(f.path), Text: text, By: "file"})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if live := err == nil; f.status.Live != live {
		f.status.Live, f.status.Since = live, time.Now()
	}
	if f.status.Err = ""; err != nil {
		f.status.Err = err.Error()
	}
	return err
}

// Status implements [Configuration].
func (f *File) Status() upstream.SourceStatus {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}
