// Package subjects holds the programs under test that ship inside dyno, as
// source: each has its own module and is built on the user's machine.
package subjects

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"dyno.example/dyno/subjects/internal/pack"
	"dyno.example/internal"
	"dyno.example/nano"
	"dyno.example/nano/grpc"
	"dyno.example/nano/jwt"
	"dyno.example/nanogate"
)

//go:generate go run ./internal/packer

//go:embed subjects.zip
var packed []byte

// nanoDir is where subjects of nano, the framework of this repository, find its module
// in the pack, and below it those of nano/grpc and nano/jwt. It is not in subjects.zip, which would have to be repacked with every
// change of nano.
const nanoDir = "nano"

// nanogateDir is where the subject go/nanogate finds the gateway's source, without the
// modules of nano that it needs.
const nanogateDir = "nanogate"

// internalDir is where nanogate finds what it shares with the lab.
const internalDir = "internal"

// FS returns the sources of all subjects, laid out as in this folder: a
// subject's manifest is NAME/subject.yaml, such as go/gin/subject.yaml. It is
// read-only and safe for concurrent use.
func FS() (fs.FS, error) {
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, fmt.Errorf("open the packed subjects: %w", err)
	}
	for dir, source := range map[string]fs.FS{
		nanoDir: nano.Source(), nanoDir + "/grpc": grpc.Source(), nanoDir + "/jwt": jwt.Source(), nanogateDir: nanogate.Source(), internalDir: internal.Source(),
	} {
		whole, err := pack.With(archive, dir, source)
		if err != nil {
			return nil, err
		}
		if archive, err = zip.NewReader(bytes.NewReader(whole), int64(len(whole))); err != nil {
			return nil, fmt.Errorf("add %s to the subjects: %w", dir, err)
		}
	}
	return archive, nil
}

// Names returns the names of all subjects, such as "go/gin", sorted.
func Names() ([]string, error) {
	fsys, err := FS()
	if err != nil {
		return nil, err
	}
	manifests, err := fs.Glob(fsys, "*/*/subject.yaml")
	if err != nil {
		return nil, fmt.Errorf("list the packed subjects: %w", err)
	}
	names := make([]string, 0, len(manifests))
	for _, manifest := range manifests {
		names = append(names, path.Dir(manifest))
	}
	slices.Sort(names)
	return names, nil
}
