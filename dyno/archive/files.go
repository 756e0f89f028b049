package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"dyno.example/internal/i18n"
)

// Names of the files of a run's record that other packages read.
const (
	ManifestFile = "manifest.json"
	SumsFile     = "SHA256SUMS"
)

// Names of the other files of a run, and of those of a trial.
const (
	analysisFile   = "analysis.json"
	lockFile       = "writer.lock"
	trialsFolder   = "trials"
	servicesFolder = "services"
	trialFile      = "trial.json"
	windowsFile    = "windows.jsonl"
	histogramsFile = "histograms.hlog"
	slicesFile     = "slices.csv"
	evidenceFile   = "evidence.jsonl.gz"
	logFile        = "subject.log"
)

// hidden marks what is not, or not yet, part of a run: readers skip such names.
const hidden = "."

// file is what is written to; a test's may fail where a disk would.
type file interface {
	io.WriteCloser
	Sync() error
}

// creator opens a new or emptied file for writing.
type creator func(path string) (file, error)

func createFile(path string) (file, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
}

// write creates the file, fills it and sees it onto the disk.
func (create creator) write(path string, fill func(io.Writer) error) error {
	f, err := create(path)
	if err != nil {
		return err
	}
	if err := fill(f); err != nil {
		f.Close()
		return naming(path, err)
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return naming(path, err)
	}
	return naming(path, f.Close())
}

// naming adds the path to an error that lacks one.
func naming(path string, err error) error {
	var named *fs.PathError
	if err == nil || errors.As(err, &named) {
		return err
	}
	return i18n.Errorf("tune.writing", "writing %s: %w", path, err)
}

// replace gives the file new content at once: a reader, or a crash, sees the old
// or the new.
func (create creator) replace(path string, content []byte) error {
	folder, name := filepath.Split(path)
	temporary := filepath.Join(folder, hidden+name+".tmp")
	err := create.write(temporary, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	if err != nil {
		os.Remove(temporary) // the first error says what is wrong
		return err
	}
	return renameDurably(temporary, path)
}

// renameDurably renames and sees the new name onto the disk.
func renameDurably(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

// syncFolder sees the names in a folder onto the disk, where the file system
// can; some can't sync folders at all, and have nothing to sync then.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("syncing folder %s: %w", path, err)
	}
	return nil
}

// advice says what a user can do about an error of the disk; empty if nothing
// is known to help.
func advice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "; make room on that disk, or set DYNO_HOME to a folder on another"
	case errors.Is(err, syscall.EROFS), errors.Is(err, os.ErrPermission):
		return "; set DYNO_HOME to a folder that can be written"
	}
	return ""
}
