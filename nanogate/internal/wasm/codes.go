package wasm

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/tetratelabs/wazero"
)

// Codes keeps the code that modules are compiled to on disk, so that a start needn't compile
// them again: each in a folder of its own in Dir, by the module's SHA-256. It is optional:
// what can't be read or written there is compiled. nil keeps nothing.
//
// Anyone who can write there decides what this process executes, so a folder that others can
// write is refused.
type Codes struct {
	Dir  string
	Most int64 // bytes of all of it; what was used longest ago goes; 0: 256 MiB

	mu sync.Mutex
}

const mostCodes = 256 << 20

// folder is where a module's code is kept.
func (c *Codes) folder(sum [sha256.Size]byte) string {
	return filepath.Join(c.Dir, hex.EncodeToString(sum[:]))
}

// open readies the folder of a module. The runtime's own cache in it is used for that module
// only: one for all would keep code in memory of modules that are gone.
func (c *Codes) open(sum [sha256.Size]byte) (wazero.CompilationCache, error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, err
	}
	info, err := os.Stat(c.Dir)
	if err != nil {
		return nil, err
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	if mode := info.Mode().Perm(); mode&0o022 != 0 || known && int(owner.Uid) != os.Geteuid() {
		return nil, fmt.Errorf("%s can be written by others (%v): what is in it is executed, so nobody but this user may write to it (chown, chmod go-w)", c.Dir, mode)
	}
	return wazero.NewCompilationCacheWithDir(c.folder(sum))
}

// forget removes what is kept of a module.
func (c *Codes) forget(sum [sha256.Size]byte) { _ = os.RemoveAll(c.folder(sum)) }

// used notes that a module is in use, and removes what there is no room for any more.
func (c *Codes) used(sum [sha256.Size]byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if err := os.Chtimes(c.folder(sum), now, now); err != nil {
		return err
	}
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		return err
	}
	type kept struct {
		path string
		used time.Time
		size int64
	}
	var all []kept
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || len(e.Name()) != 2*sha256.Size || strings.Trim(e.Name(), "0123456789abcdef") != "" {
			continue // it isn't ours, or has just gone
		}
		one := kept{filepath.Join(c.Dir, e.Name()), info.ModTime(), sizeOf(filepath.Join(c.Dir, e.Name()))}
		all, total = append(all, one), total+one.size
	}
	slices.SortFunc(all, func(a, b kept) int { return a.used.Compare(b.used) })
	most := c.Most
	if most == 0 {
		most = mostCodes
	}
	var failed error
	for _, one := range all {
		if total <= most || one.path == c.folder(sum) {
			continue
		}
		failed = errors.Join(failed, os.RemoveAll(one.path))
		total -= one.size
	}
	return failed
}

// sizeOf is how many bytes the files in a folder have.
func sizeOf(folder string) (n int64) {
	_ = filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil // what can't be looked at has just gone
	})
	return n
}
