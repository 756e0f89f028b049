package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"dyno/lab/archive"
	"dyno/lab/subject"
	"dyno/subjects"
)

// home is where dyno keeps what it makes: DYNO_HOME, or .dyno in the user's
// home folder.
func home() (string, error) {
	if dir := os.Getenv("DYNO_HOME"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("finding the home folder (set DYNO_HOME to choose another): %w", err)
	}
	return filepath.Join(dir, ".dyno"), nil
}

// catalog returns the subjects that ship with dyno.
func catalog() (*subject.Catalog, error) {
	files, err := subjects.FS()
	if err != nil {
		return nil, err
	}
	return subject.NewCatalog(files)
}

// openRun opens an archived run by ID, beginning of an ID or address, path, URL
// or "latest".
func openRun(ctx context.Context, global *globalFlags, ref string) (*archive.Run, error) {
	lib, ref, err := global.libraryOf(ctx, ref)
	if err != nil {
		return nil, err
	}
	return lib.open(ctx, ref)
}
