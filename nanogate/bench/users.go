//go:build linux

package main

import (
	"context"
	_ "embed"
	"os"

	"github.com/bufbuild/protocompile"
	_ "google.golang.org/genproto/googleapis/api/annotations" // which the file imports
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"dyno.example/nano/wire/grpc"
)

// usersFile is what is called over gRPC: a method whose request and response are a user
// each.
//
//go:embed users.proto
var usersFile string

// Who asks with JSON sends all but the number, which stands in the path.
const (
	usersDescribed = "users.pb" // file in the lab's folder

	usersCall = "bench.Users/Update"
	usersPath = "/v1/users/7"
	userSent  = `{"name":"Ann Example","email":"ann@example.com","role":"WRITER","tags":["first","second"],"created":"2026-01-02T03:04:05Z","address":{"street":"Long Street","town":"Example","number":17}}`
	userGiven = `{"id":"7","name":"Ann Example","email":"ann@example.com","role":"WRITER","tags":["first","second"],"created":"2026-01-02T03:04:05Z","address":{"street":"Long Street","town":"Example","number":17}}`
)

// usersDescriptors compiles that file: it and what it imports, what they import first.
func usersDescriptors(ctx context.Context) (set *descriptorpb.FileDescriptorSet, user protoreflect.MessageDescriptor, err error) {
	known := protocompile.ResolverFunc(func(path string) (protocompile.SearchResult, error) {
		fd, err := protoregistry.GlobalFiles.FindFileByPath(path)
		return protocompile.SearchResult{Desc: fd}, err
	})
	source := &protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(map[string]string{"users.proto": usersFile})}
	compiled, err := (&protocompile.Compiler{Resolver: protocompile.CompositeResolver{source, known}}).Compile(ctx, "users.proto")
	if err != nil {
		return nil, nil, err
	}
	set = &descriptorpb.FileDescriptorSet{}
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
		set.File = append(set.File, protodesc.ToFileDescriptorProto(fd))
	}
	add(compiled[0])
	return set, compiled[0].Messages().ByName("User"), nil
}

// describeUsers writes that for the gateways and dyno, as protoc --include_imports does.
func (l *lab) describeUsers(ctx context.Context) error {
	set, _, err := usersDescriptors(ctx)
	if err != nil {
		return err
	}
	b, err := proto.Marshal(set)
	if err != nil {
		return err
	}
	return os.WriteFile(l.path(usersDescribed), b, 0o600)
}

// userMessage is the response as a message of gRPC, with its prefix.
func userMessage(ctx context.Context) ([]byte, error) {
	_, user, err := usersDescriptors(ctx)
	if err != nil {
		return nil, err
	}
	m := dynamicpb.NewMessage(user)
	if err := protojson.Unmarshal([]byte(userGiven), m); err != nil {
		return nil, err
	}
	b, err := proto.Marshal(m)
	return append(grpc.AppendPrefix(nil, len(b), false), b...), err
}
