package contract

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// reflected finds methods by a service's own reflection (grpc.reflection.v1).
type reflected struct {
	conn  *grpc.ClientConn
	known map[string]protoreflect.ServiceDescriptor
}

// find describes "package.Service/Method".
func (r *reflected) find(ctx context.Context, method string) (protoreflect.MethodDescriptor, error) {
	service, name, _ := strings.Cut(method, "/")
	if r.known[service] == nil {
		s, err := r.ask(ctx, service)
		if err != nil {
			return nil, fmt.Errorf("server reflection: %w", err)
		}
		if r.known == nil {
			r.known = make(map[string]protoreflect.ServiceDescriptor)
		}
		r.known[service] = s
	}
	if m := r.known[service].Methods().ByName(protoreflect.Name(name)); m != nil {
		return m, nil
	}
	return nil, errors.New("the service has no such method")
}

// ask asks for the files that describe a service. The answer has those that the first
// one imports, too.
func (r *reflected) ask(ctx context.Context, service string) (protoreflect.ServiceDescriptor, error) {
	stream, err := grpc_reflection_v1.NewServerReflectionClient(r.conn).ServerReflectionInfo(ctx)
	if err != nil {
		return nil, err
	}
	request := &grpc_reflection_v1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: service}
	if err := stream.Send(&grpc_reflection_v1.ServerReflectionRequest{MessageRequest: request}); err != nil {
		return nil, err
	}
	got, err := stream.Recv()
	if err != nil {
		return nil, err
	}
	if err := stream.CloseSend(); err != nil {
		return nil, err
	}
	if e := got.GetErrorResponse(); e != nil {
		return nil, errors.New(e.ErrorMessage)
	}
	var set descriptorpb.FileDescriptorSet
	for _, raw := range got.GetFileDescriptorResponse().GetFileDescriptorProto() {
		file := new(descriptorpb.FileDescriptorProto)
		if err := proto.Unmarshal(raw, file); err != nil {
			return nil, err
		}
		set.File = append(set.File, file)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, err
	}
	return serviceIn(files, service)
}

func serviceIn(files *protoregistry.Files, name string) (protoreflect.ServiceDescriptor, error) {
	d, err := files.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return nil, err
	}
	s, ok := d.(protoreflect.ServiceDescriptor)
	if !ok {
		return nil, fmt.Errorf("%s is not a service", name)
	}
	return s, nil
}
