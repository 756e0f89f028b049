package subject

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// influences are the environment variables of dyno itself that change what a
// build makes, and so belong to its key.
var influences = []string{
	"CC", "CFLAGS", "CGO_ENABLED", "CXX", "CXXFLAGS", "GOAMD64", "GOARM64", "GODEBUG",
	"GOEXPERIMENT", "GOFLAGS", "GOTOOLCHAIN", "LDFLAGS", "RUSTFLAGS",
}

// inputFiles lists the regular files below the recipe's inputs, sorted, each
// once. Names that begin with a dot are left out.
func inputFiles(fsys fs.FS, inputs []string) ([]string, error) {
	var files []string
	for _, input := range inputs {
		err := fs.WalkDir(fsys, input, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case name != input && strings.HasPrefix(entry.Name(), "."):
				if entry.IsDir() {
					return fs.SkipDir
				}
			case entry.Type().IsRegular():
				files = append(files, name)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("list the build's input %s: %w", input, err)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// buildKey is the name of a build in the cache: SHA-256 over everything that
// decides its output. toolchain is what the checks of the needs printed.
func buildKey(fsys fs.FS, files []string, m Manifest, toolchain []string) (string, error) {
	h := sha256.New()
	hashStrings(h, "dyno build 1", m.Name, m.Build.Command)
	hashStrings(h, toolchain...)
	for _, name := range slices.Sorted(maps.Keys(m.Env)) {
		hashStrings(h, name, m.Env[name])
	}
	for _, name := range influences {
		hashStrings(h, name, os.Getenv(name))
	}
	for _, name := range files {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return "", fmt.Errorf("read the build's input: %w", err)
		}
		hashStrings(h, name, string(data))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hashStrings adds strings with their lengths, so that no two lists give the
// same bytes, and the list's length before them.
func hashStrings(h hash.Hash, list ...string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(list)))
	h.Write(n[:])
	for _, s := range list {
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
}

// unpack writes files of fsys below dir, under their own names.
func unpack(fsys fs.FS, files []string, dir string) error {
	for _, name := range files {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return fmt.Errorf("unpack sources: %w", err)
		}
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(path.Dir(name))), 0o755); err != nil {
			return fmt.Errorf("unpack sources: %w", err)
		}
		if err := os.WriteFile(target, data, sourceMode(data)); err != nil {
			return fmt.Errorf("unpack sources: %w", err)
		}
	}
	return nil
}

// sourceMode makes scripts executable: an embedded file system forgets modes.
func sourceMode(data []byte) fs.FileMode {
	if bytes.HasPrefix(data, []byte("#!")) {
		return 0o755
	}
	return 0o644
}
