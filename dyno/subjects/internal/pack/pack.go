// Package pack makes one file of the subjects' sources, so that they can ship
// inside the binary: go:embed leaves out every folder that holds a go.mod.
package pack

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// kinds are the file names and extensions that are sources of a subject. A
// subject in another language adds its own here.
var kinds = []string{
	".go", "go.mod", "go.sum", ".yaml", "README.md", ".proto",
	".sh", ".cfg", // of gateways that are installed
	".rs", "Cargo.toml", "Cargo.lock", ".js", "package.json", "package-lock.json",
	".c", ".h", ".cpp", ".hpp", ".py", "requirements.txt", ".php", ".ini", ".rb", ".ru", ".pl", ".lua",
	".conf", ".sh", ".java", "pom.xml", ".kt", ".scala", ".ts", ".erl", ".ex", ".hs", ".ml", ".cr", ".clj",
	".R", ".lisp", ".rkt", ".sql", ".csv",
}

// Sources lists the files of fsys, the folder of the subjects, that are
// packed: the sources below each language's folder, and next to those folders
// what subjects share (routes, README). Names are sorted. Tests are left out,
// because they can't change what is built, and so is everything that begins
// with a dot.
//
// A file of an unknown kind, or a link, is an error and not just left out: a subject
// that builds in a checkout must also build from the pack.
func Sources(fsys fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case entry.IsDir():
			if name == "internal" || entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		case isLeftOut(name):
			return nil
		case !entry.Type().IsRegular():
			return fmt.Errorf("%s is no regular file: only those are packed", name)
		case !isSource(name):
			return fmt.Errorf("%s is of no kind that is packed (%s): remove it, or add its kind to dyno/subjects/internal/pack",
				name, strings.Join(kinds, ", "))
		}
		names = append(names, name)
		return nil
	})
	slices.Sort(names)
	return names, err
}

// isLeftOut holds for files that belong to a checkout only: tests, and the Go
// package around the pack, which lies beside the languages' folders.
func isLeftOut(name string) bool {
	base := path.Base(name)
	beside := base == name
	return strings.HasPrefix(base, ".") || strings.HasSuffix(base, "_test.go") ||
		beside && (strings.HasSuffix(base, ".go") || strings.HasSuffix(base, ".zip"))
}

func isSource(name string) bool {
	base := path.Base(name)
	return slices.ContainsFunc(kinds, func(kind string) bool {
		return base == kind || kind[0] == '.' && path.Ext(base) == kind
	})
}

// Pack returns the [Sources] of fsys as a zip archive. The same sources give
// the same bytes, whenever and with whatever version of Go: entries are sorted
// and have no times, and nothing is compressed, because compressors change.
func Pack(fsys fs.FS) ([]byte, error) {
	names, err := Sources(fsys)
	if err != nil {
		return nil, fmt.Errorf("pack the subjects: %w", err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	if err := addAll(w, fsys, names, ""); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("pack the subjects: %w", err)
	}
	return out.Bytes(), nil
}

// With returns an archive like packed that has the files of fsys too, in the
// folder dir, but for tests.
func With(packed *zip.Reader, dir string, fsys fs.FS) ([]byte, error) {
	names, err := files(fsys)
	if err != nil {
		return nil, fmt.Errorf("add %s to the subjects: %w", dir, err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, file := range packed.File {
		if err := w.Copy(file); err != nil {
			return nil, fmt.Errorf("copy %s: %w", file.Name, err)
		}
	}
	if err := addAll(w, fsys, names, dir); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("add %s to the subjects: %w", dir, err)
	}
	return out.Bytes(), nil
}

func files(fsys fs.FS) (names []string, err error) {
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "testdata" {
			return fs.SkipDir
		}
		if err == nil && !entry.IsDir() && !strings.HasSuffix(name, "_test.go") {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// addAll adds the named files of fsys, in the folder dir.
func addAll(w *zip.Writer, fsys fs.FS, names []string, dir string) error {
	for _, name := range names {
		if err := add(w, fsys, name, path.Join(dir, name)); err != nil {
			return fmt.Errorf("pack %s: %w", name, err)
		}
	}
	return nil
}

func add(w *zip.Writer, fsys fs.FS, name, as string) error {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	entry, err := w.CreateHeader(&zip.FileHeader{Name: as, Method: zip.Store})
	if err != nil {
		return err
	}
	_, err = entry.Write(data)
	return err
}
