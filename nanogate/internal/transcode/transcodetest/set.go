// Package transcodetest makes descriptors of .proto files for tests.
package transcodetest

import (
	"testing"

	"github.com/bufbuild/protocompile"
	_ "google.golang.org/genproto/googleapis/api/annotations" // which the files import
	_ "google.golang.org/genproto/googleapis/api/httpbody"    // so is this
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Set compiles files, given by their names, to what protoc --include_imports writes.
func Set(t testing.TB, files map[string]string) *descriptorpb.FileDescriptorSet {
	t.Helper()
	known := protocompile.ResolverFunc(func(path string) (protocompile.SearchResult, error) {
		fd, err := protoregistry.GlobalFiles.FindFileByPath(path)
		return protocompile.SearchResult{Desc: fd}, err
	})
	c := protocompile.Compiler{Resolver: protocompile.CompositeResolver{
		&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(files)}, known,
	}, SourceInfoMode: protocompile.SourceInfoStandard}
	var names []string
	for name := range files {
		names = append(names, name)
	}
	compiled, err := c.Compile(t.Context(), names...)
	if err != nil {
		t.Fatal(err)
	}
	set := &descriptorpb.FileDescriptorSet{}
	seen := map[string]bool{}
	var add func(fd protoreflect.FileDescriptor)
	add = func(fd protoreflect.FileDescriptor) {
		if seen[fd.Path()] {
			return
		}
		seen[fd.Path()] = true
		for i := range fd.Imports().Len() {
			add(fd.Imports().Get(i).FileDescriptor)
		}
		file := protodesc.ToFileDescriptorProto(fd)
		set.File = append(set.File, file)
	}
	for _, fd := range compiled {
		add(fd)
	}
	b, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	read := &descriptorpb.FileDescriptorSet{} // options are typed now, as they are when a file is read
	if err := proto.Unmarshal(b, read); err != nil {
		t.Fatal(err)
	}
	return read
}
