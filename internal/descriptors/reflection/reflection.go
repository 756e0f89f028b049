// Package reflection asks servers of gRPC what they offer. It stands beside the package for
// descriptors as it takes a client for gRPC, which who reads files needn't link.
package reflection

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Limits of what is read from a server's reflection service.
const (
	mostFiles   = 2000
	mostRequest = 5000 // questions
)

// The methods of server reflection
// (github.com/grpc/grpc/blob/master/doc/server-reflection.md). Their messages are the
// same in both versions.
var reflections = []string{
	"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
	"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
}

// ErrOff is a server without the reflection service.
var ErrOff = errors.New("the server doesn't tell what it offers: reflection is off there")

// Refusal is a server's refusal to describe something.
type Refusal struct {
	Code    codes.Code
	Message string
}

func (e *Refusal) Error() string {
	return fmt.Sprintf("the server's reflection says %v: %s", e.Code, e.Message)
}

// Files asks a server for the files that describe the services named, or all it has if
// none is, with what they import. If it doesn't know one of them, the files of all it
// has come along. Other errors are the status of the call.
func Files(ctx context.Context, conn grpc.ClientConnInterface, services []string) (*descriptorpb.FileDescriptorSet, error) {
	for _, method := range reflections {
		set, err := ask(ctx, conn, method, services)
		if said, ok := status.FromError(err); err != nil && ok && said.Code() == codes.Unimplemented {
			continue
		}
		return set, err
	}
	return nil, ErrOff
}

func ask(ctx context.Context, conn grpc.ClientConnInterface, method string, services []string) (*descriptorpb.FileDescriptorSet, error) {
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, method)
	if err != nil {
		return nil, err
	}
	a := &asker{stream: stream, files: make(map[string]*descriptorpb.FileDescriptorProto)}
	if len(services) == 0 {
		if err := a.askAll(); err != nil {
			return nil, err
		}
	}
	for _, name := range services {
		err := a.ask(&grpc_reflection_v1.ServerReflectionRequest{MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: name}})
		var unknown *Refusal
		if errors.As(err, &unknown) && unknown.Code == codes.NotFound {
			err = a.askAll()
		}
		if err != nil {
			return nil, err
		}
	}
	if err := a.imports(); err != nil {
		return nil, err
	}
	_ = stream.CloseSend() // the server is done with it anyway
	set := &descriptorpb.FileDescriptorSet{}
	for _, name := range slices.Sorted(maps.Keys(a.files)) {
		set.File = append(set.File, a.files[name])
	}
	return set, nil
}

// asker sends requests over one stream.
type asker struct {
	stream grpc.ClientStream
	files  map[string]*descriptorpb.FileDescriptorProto
	asked  int
}

// roundTrip sends one request and returns its response.
func (a *asker) roundTrip(q *grpc_reflection_v1.ServerReflectionRequest) (*grpc_reflection_v1.ServerReflectionResponse, error) {
	if a.asked++; a.asked > mostRequest {
		return nil, fmt.Errorf("the server has more than %d files", mostFiles)
	}
	if err := a.stream.SendMsg(q); err != nil {
		var end grpc_reflection_v1.ServerReflectionResponse
		if why := a.stream.RecvMsg(&end); why != nil {
			return nil, why // io.EOF says nothing, the status does
		}
		return nil, err
	}
	r := new(grpc_reflection_v1.ServerReflectionResponse)
	if err := a.stream.RecvMsg(r); err != nil {
		return nil, err
	}
	if e := r.GetErrorResponse(); e != nil {
		return nil, &Refusal{codes.Code(e.ErrorCode), e.ErrorMessage}
	}
	return r, nil
}

// ask requests a file and keeps all files in the response.
func (a *asker) ask(q *grpc_reflection_v1.ServerReflectionRequest) error {
	r, err := a.roundTrip(q)
	if err != nil {
		return err
	}
	for _, b := range r.GetFileDescriptorResponse().GetFileDescriptorProto() {
		file := new(descriptorpb.FileDescriptorProto)
		if err := proto.Unmarshal(b, file); err != nil {
			return fmt.Errorf("the server's reflection gave a file that is no descriptor: %w", err)
		}
		if a.files[file.GetName()] = file; len(a.files) > mostFiles {
			return fmt.Errorf("the server has more than %d files", mostFiles)
		}
	}
	return nil
}

// askAll requests all services: all are wanted, or one that was named isn't there, and
// the error is to list those that are.
func (a *asker) askAll() error {
	r, err := a.roundTrip(&grpc_reflection_v1.ServerReflectionRequest{MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_ListServices{}})
	if err != nil {
		return err
	}
	for _, service := range r.GetListServicesResponse().GetService() {
		err := a.ask(&grpc_reflection_v1.ServerReflectionRequest{MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: service.Name}})
		var unknown *Refusal
		if err != nil && !errors.As(err, &unknown) { // it may list what it can't describe
			return err
		}
	}
	return nil
}

// imports requests imported files until none is missing. Files of protobuf itself are
// known here if the server doesn't have them.
func (a *asker) imports() error {
	for {
		missing := ""
		for _, file := range a.files {
			for _, name := range file.Dependency {
				if a.files[name] == nil {
					missing = name
				}
			}
		}
		if missing == "" {
			return nil
		}
		err := a.ask(&grpc_reflection_v1.ServerReflectionRequest{MessageRequest: &grpc_reflection_v1.ServerReflectionRequest_FileByFilename{FileByFilename: missing}})
		if err == nil && a.files[missing] != nil {
			continue
		}
		own, found := protoregistry.GlobalFiles.FindFileByPath(missing)
		if found != nil {
			return fmt.Errorf("the server's reflection doesn't give %s, which is imported: %w", missing, err)
		}
		a.files[missing] = protodesc.ToFileDescriptorProto(own)
	}
}
