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
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Sums is the SHA-256, as lower-case hexadecimal digits, of each file of a run's
// record, by its path within the run's folder, with slashes. The record is the
// manifest and the trials' files; what follows from them has no sum.
type Sums map[string]string

// sum computes the sums of the files in the folder, taking the manifest as
// given. The analysis is left out: it follows from the rest.
func sum(dir string, manifest []byte) (Sums, error) {
	s := Sums{}
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
	s[ManifestFile] = hex.EncodeToString(digest[:])
	return s, err
}

// sealed reports whether a file is of those that have a sum: the trials' files, and the services'.
// The manifest has one too, but may yet have to be written.
func sealed(name string, entry fs.DirEntry) bool {
	return !entry.IsDir() && inRecord(name)
}

func sumFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for a writer
		return "", &Damage{File: path, Err: errors.New("is no regular file")}
	}
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

// Bytes is the content of SHA256SUMS, as "sha256sum --check" reads it: for each
// file its digits, two spaces, its name and a newline, in the order of the
// names' bytes. No other form is read.
func (s Sums) Bytes() []byte {
	var b bytes.Buffer
	for _, name := range s.Names() {
		fmt.Fprintf(&b, "%s  %s\n", s[name], name)
	}
	return b.Bytes()
}

// Names are the files, in the order of their bytes.
func (s Sums) Names() []string { return slices.Sorted(maps.Keys(s)) }

// Address is that of the run with these sums.
func (s Sums) Address() Address { return addressOf(s.Bytes()) }

// Trials is how many trials the run has.
func (s Sums) Trials() int {
	n := 0
	for name := range s {
		if strings.HasPrefix(name, trialsFolder+"/") && path.Base(name) == trialFile {
			n++
		}
	}
	return n
}

// readSums reads the sums in the folder of a run.
func readSums(dir string) (Sums, error) {
	path := filepath.Join(dir, SumsFile)
	content, err := readBounded(path)
	if err != nil {
		return nil, err
	}
	return ParseSums(content, path)
}

// ParseSums reads what [Sums.Bytes] wrote, and nothing else: a name that leads
// out of a run's folder or into none of its record, one that comes twice or out
// of order, or a run without a manifest is refused. Errors are [*Damage] of the
// file at path.
func ParseSums(content []byte, path string) (Sums, error) {
	s, last := Sums{}, ""
	err := readLines(bytes.NewReader(content), path, func(line []byte) error {
		digest, name, ok := strings.Cut(string(line), "  ")
		switch {
		case !ok || len(digest) != 2*sha256.Size || !isHex(digest) || name == "":
			return fmt.Errorf("%q is not a sum, two spaces and a file", line)
		case !Recorded(name):
			return fmt.Errorf("%q is not a file of a run's record", name)
		case name <= last:
			return fmt.Errorf("%q comes after %q: files must be in order", name, last)
		}
		s[name], last = digest, name
		return nil
	})
	if err == nil && s[ManifestFile] == "" {
		err = &Damage{File: path, Err: errors.New("has no sum of " + ManifestFile)}
	}
	return s, err
}

// inRecord reports whether a name is in one of the record's folders, and not hidden.
func inRecord(name string) bool {
	return (strings.HasPrefix(name, trialsFolder+"/") || strings.HasPrefix(name, servicesFolder+"/")) && !strings.Contains(name, "/"+hidden)
}

// Recorded reports whether a name is of those that a run's record may have.
func Recorded(name string) bool {
	if name == ManifestFile {
		return true
	}
	return inRecord(name) && !strings.ContainsAny(name, "\\\x00\r") && path.Clean(name) == name && filepath.IsLocal(filepath.FromSlash(name))
}
