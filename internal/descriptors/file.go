// Package descriptors reads what gRPC services are described by: a file that protoc has
// written. Package reflection below it asks a server for the same.
package descriptors

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	// What belongs to protobuf itself is known though a set doesn't have it.
	_ "google.golang.org/protobuf/types/known/anypb"
	_ "google.golang.org/protobuf/types/known/durationpb"
	_ "google.golang.org/protobuf/types/known/emptypb"
	_ "google.golang.org/protobuf/types/known/fieldmaskpb"
	_ "google.golang.org/protobuf/types/known/structpb"
	_ "google.golang.org/protobuf/types/known/timestamppb"
	_ "google.golang.org/protobuf/types/known/wrapperspb"
)

// MostBytes bounds a descriptor set.
const MostBytes = 64 << 20

// ReadFile reads a file that protoc has written with --descriptor_set_out.
func ReadFile(path string) (*descriptorpb.FileDescriptorSet, error) {
	in, err := Open(path)
	if err != nil {
		return nil, fmt.Errorf("the descriptor set: %w", err)
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, MostBytes))
	if err != nil {
		return nil, fmt.Errorf("the descriptor set: %w", err)
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(b, &set); err != nil || len(set.File) == 0 {
		return nil, fmt.Errorf("%s %w; make one with: protoc --include_imports --descriptor_set_out=%s FILE.proto", path, ErrNoSet, filepath.Base(path))
	}
	return &set, nil
}

// ErrNoSet is a file that is something else.
var ErrNoSet = errors.New("is no FileDescriptorSet")

// Open opens a file, which must not be endless.
func Open(path string) (io.ReadCloser, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > MostBytes {
		return nil, fmt.Errorf("%s is no file of at most %d MiB", path, MostBytes>>20)
	}
	return os.Open(path)
}

// Link makes descriptors of a set that has all it imports; what belongs to protobuf
// itself, and its annotations for HTTP, are known here. from says in messages where the
// set comes from.
func Link(set *descriptorpb.FileDescriptorSet, from string) (*protoregistry.Files, error) {
	files, err := protodesc.NewFiles(completed(set))
	if err != nil {
		hint := ""
		if strings.Contains(err.Error(), "could not resolve import") {
			hint = "; a descriptor set needs its imports too: protoc --include_imports"
		}
		return nil, fmt.Errorf("%s: %s%s", from, Plain(err), hint)
	}
	return files, nil
}

// Plain is what an error of the protobuf library says, without the library's name.
func Plain(err error) string {
	return strings.TrimLeft(strings.TrimPrefix(err.Error(), "proto:"), " \u00a0")
}

// completed adds the files that a set imports and doesn't have, and that are known here.
func completed(set *descriptorpb.FileDescriptorSet) *descriptorpb.FileDescriptorSet {
	all := slices.Clone(set.File)
	has := make(map[string]bool, len(all))
	for _, file := range all {
		has[file.GetName()] = true
	}
	for i := 0; i < len(all); i++ {
		for _, name := range all[i].GetDependency() {
			if has[name] {
				continue
			}
			if file, err := protoregistry.GlobalFiles.FindFileByPath(name); err == nil {
				has[name] = true
				all = append(all, protodesc.ToFileDescriptorProto(file))
			}
		}
	}
	return &descriptorpb.FileDescriptorSet{File: all}
}
