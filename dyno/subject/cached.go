package subject

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// ownerFile is in the folder of a build and holds its subject's name.
const ownerFile = "subject"

// Size returns the bytes that the build's output takes.
func (a *Artifact) Size() uint64 { return folderSize(a.Out) }

// folderSize adds up the files below dir, as far as they can be read.
func folderSize(dir string) (bytes uint64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			bytes += uint64(info.Size())
		}
		return nil
	})
	return bytes
}

// Clean removes builds from the cache: those of the subjects that are named, or, if
// none are, all, and the logs of builds that failed. It skips what another dyno is
// building. It returns how many builds it removed, and their bytes. A build whose
// subject runs must not be removed.
func (b *Builder) Clean(names ...string) (builds int, bytes uint64, err error) {
	root := filepath.Join(b.Dir, "builds")
	entries, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, fmt.Errorf("clean the build cache: %w", err)
	}
	var errs []error
	for _, entry := range entries {
		path := filepath.Join(root, entry.Name())
		switch {
		case entry.IsDir():
			if strings.HasPrefix(entry.Name(), ".") || len(names) > 0 && !slices.Contains(names, owner(path)) {
				continue
			}
			size := folderSize(path)
			removed, err := removeBuild(path)
			errs = append(errs, err)
			if removed {
				builds, bytes = builds+1, bytes+size
			}
		case len(names) == 0 && strings.HasSuffix(entry.Name(), ".failed.log"):
			errs = append(errs, os.Remove(path))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return builds, bytes, fmt.Errorf("clean the build cache: %w", err)
	}
	return builds, bytes, nil
}

// owner is the name of the subject that was built in a folder.
func owner(build string) string {
	name, _ := os.ReadFile(filepath.Join(build, ownerFile)) // builds of older versions have none
	return string(name)
}

// removeBuild removes a build unless a process uses it.
func removeBuild(path string) (removed bool, err error) {
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return false, err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return false, nil
	}
	// Under another name first: half a build must not be taken for a complete one.
	doomed := filepath.Join(filepath.Dir(path), ".doomed-"+filepath.Base(path))
	if err := os.Rename(path, doomed); err != nil {
		return false, err
	}
	return true, os.RemoveAll(doomed)
}
