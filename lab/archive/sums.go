package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sums is the SHA-256 of each file of a run, by its path within the run's
// folder, with slashes.
type sums map[string]string

// sum computes the sums of the files in the folder, taking the manifest as
// given. The analysis is left out: it follows from the rest.
func sum(dir string, manifest []byte) (sums, error) {
	s := sums{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || !sealed(filepath.ToSlash(name), entry) {
			return err
		}
		s[filepath.ToSlash(name)], err = sumFile(path)
		return err
	})
	digest := sha256.Sum256(manifest)
	s[manifestFile] = hex.EncodeToString(digest[:])
	return s, err
}

// sealed reports whether a file is of those that have a sum: the trials' files.
// The manifest has one too, but may yet have to be written.
func sealed(name string, entry fs.DirEntry) bool {
	return !entry.IsDir() && strings.HasPrefix(name, trialsFolder+"/") && !strings.Contains(name, "/"+hidden)
}

func sumFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// bytes is the content of SHA256SUMS, as "sha256sum --check" reads it.
func (s sums) bytes() []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%s  %s\n", s[name], name)
	}
	return b.Bytes()
}

// readSums reads what bytes wrote.
func readSums(path string) (sums, error) {
	content, err := readBounded(path)
	if err != nil {
		return nil, err
	}
	s := sums{}
	err = readLines(bytes.NewReader(content), path, func(line []byte) error {
		digest, name, ok := strings.Cut(string(line), "  ")
		if _, err := hex.DecodeString(digest); err != nil || !ok || len(digest) != 2*sha256.Size || name == "" {
			return fmt.Errorf("%q is not a sum, two spaces and a file", line)
		}
		s[name] = digest
		return nil
	})
	return s, err
}

// Verify checks the files of a finished run against its sums and names, as
// [*Damage], each that was changed, added or removed since. A run that is still
// being written, or whose writer died, has no sums and nothing to check.
func Verify(run *Run) error {
	if run.Dir == "" || run.Manifest.Finished.IsZero() {
		return nil
	}
	return verify(run.Dir)
}

func verify(dir string) error {
	want, err := readSums(filepath.Join(dir, sumsFile))
	if err != nil {
		return err
	}
	manifest, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return err
	}
	have, err := sum(dir, manifest)
	if err != nil {
		return err
	}
	return compare(dir, want, have)
}

func compare(dir string, want, have sums) error {
	all := maps.Clone(want)
	maps.Copy(all, have)
	var damages []error
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var err error
		switch {
		case have[name] == "":
			err = errors.New("was removed since the run ended")
		case want[name] == "":
			err = errors.New("was added since the run ended")
		case have[name] != want[name]:
			err = errors.New("was changed since the run ended: its SHA-256 is not that in " + sumsFile)
		default:
			continue
		}
		damages = append(damages, &Damage{File: filepath.Join(dir, filepath.FromSlash(name)), Err: err})
	}
	return errors.Join(damages...)
}
