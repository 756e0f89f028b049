package rpc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/types/descriptorpb"

	"dyno.example/internal/descriptors"
)

// compile reads .proto files. Each is named as its imports would name it if it is
// below one of the folders, else its own folder is one more.
func compile(ctx context.Context, files, dirs []string) (*Services, error) {
	paths := append([]string(nil), dirs...)
	var names []string
	for _, file := range files {
		if info, err := os.Stat(file); err != nil {
			return nil, fmt.Errorf("the .proto file: %w", err)
		} else if info.IsDir() {
			return nil, fmt.Errorf("%s is a folder; name the .proto file in it that has the service", file)
		}
		name, ok := below(file, dirs)
		if !ok {
			name = filepath.Base(file)
			paths = append(paths, filepath.Dir(file))
		}
		names = append(names, name)
	}
	c := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: paths, Accessor: descriptors.Open}),
	}
	compiled, err := c.Compile(ctx, names...)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w; imports are looked for in %s: name the folder they start from with --import-path (import_path in a study)", err, strings.Join(paths, ", "))
		}
		return nil, fmt.Errorf("reading the .proto files: %w", err)
	}
	s := &Services{from: strings.Join(files, ", ")}
	for _, fd := range compiled {
		s.add(fd)
	}
	return s, nil
}

// below is a file's path from the first of the folders that it lies in.
func below(file string, dirs []string) (name string, ok bool) {
	for _, dir := range dirs {
		from, errFrom := filepath.Abs(dir)
		to, errTo := filepath.Abs(file)
		name, err := filepath.Rel(from, to)
		if errFrom == nil && errTo == nil && err == nil && filepath.IsLocal(name) {
			return filepath.ToSlash(name), true
		}
	}
	return "", false
}

// readDescriptors reads a file that protoc has written with --descriptor_set_out.
func readDescriptors(path string) (*Services, error) {
	set, err := descriptors.ReadFile(path)
	if errors.Is(err, descriptors.ErrNoSet) {
		return nil, fmt.Errorf("%w; or give the .proto file itself", err)
	}
	if err != nil {
		return nil, err
	}
	return fromSet(set, path)
}

// fromSet makes the services of descriptors that have all they import.
func fromSet(set *descriptorpb.FileDescriptorSet, from string) (*Services, error) {
	files, err := descriptors.Link(set, from)
	if err != nil {
		return nil, err
	}
	s := &Services{from: from}
	for _, file := range set.File {
		fd, err := files.FindFileByPath(file.GetName())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
		s.add(fd)
	}
	return s, nil
}
