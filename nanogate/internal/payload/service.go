package payload

import (
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Describe is what protoc would write of a service with one method, Say(route, token, text),
// which returns (token, by, text): requests to POST /{route}/{token} are calls of it, with
// their text in JSON.
func Describe(pkg, service string) *descriptorpb.FileDescriptorSet {
	options := &descriptorpb.MethodOptions{}
	proto.SetExtension(options, annotations.E_Http, &annotations.HttpRule{Pattern: &annotations.HttpRule_Post{Post: "/{route}/{token}"}, Body: "*"})
	own := &descriptorpb.FileDescriptorProto{
		Name: proto.String(pkg + ".proto"), Package: &pkg, Syntax: proto.String("proto3"), Dependency: []string{"google/api/annotations.proto"},
		MessageType: []*descriptorpb.DescriptorProto{ofStrings("Asked", "route", "token", "text"), ofStrings("Said", "token", "by", "text")},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: &service, Method: []*descriptorpb.MethodDescriptorProto{{
			Name: proto.String("Say"), InputType: proto.String("." + pkg + ".Asked"), OutputType: proto.String("." + pkg + ".Said"), Options: options,
		}}}},
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
		set.File = append(set.File, protodesc.ToFileDescriptorProto(fd))
	}
	add(annotations.File_google_api_annotations_proto)
	set.File = append(set.File, own)
	return set
}

// ofStrings is a message whose fields, numbered from 1, are strings.
func ofStrings(name string, fields ...string) *descriptorpb.DescriptorProto {
	m := &descriptorpb.DescriptorProto{Name: &name}
	for i := range fields {
		m.Field = append(m.Field, &descriptorpb.FieldDescriptorProto{Name: &fields[i], JsonName: &fields[i], Number: proto.Int32(int32(i + 1)),
			Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()})
	}
	return m
}
