package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// mostSchema bounds a descriptor set and each .proto file, in bytes.
const mostSchema = 64 << 20

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
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: paths, Accessor: open}),
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

// open opens a source, which must not be endless.
func open(path string) (io.ReadCloser, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > mostSchema {
		return nil, fmt.Errorf("%s is no file of at most %d MiB", path, mostSchema>>20)
	}
	return os.Open(path)
}

// readDescriptors reads a file that protoc has written with --descriptor_set_out.
func readDescriptors(path string) (*Services, error) {
	in, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("the descriptor set: %w", err)
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, mostSchema))
	if err != nil {
		return nil, fmt.Errorf("the descriptor set: %w", err)
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(b, &set); err != nil || len(set.File) == 0 {
		return nil, fmt.Errorf("%s is no FileDescriptorSet; make one with: protoc --include_imports --descriptor_set_out=%s FILE.proto, or give the .proto file itself", path, filepath.Base(path))
	}
	return fromSet(&set, path)
}

// fromSet makes the services of descriptors that have all they import.
func fromSet(set *descriptorpb.FileDescriptorSet, from string) (*Services, error) {
	files, err := protodesc.NewFiles(set)
	if err != nil {
		hint := ""
		if strings.Contains(err.Error(), "could not resolve import") {
			hint = "; a descriptor set needs its imports too: protoc --include_imports"
		}
		return nil, fmt.Errorf("%s: %s%s", from, strings.TrimLeft(strings.TrimPrefix(err.Error(), "proto:"), " \u00a0"), hint)
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
