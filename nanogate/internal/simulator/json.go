//go:build linux

package simulator

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Requests in JSON that the gateway makes calls over gRPC of: Say(route, token, text) gives
// (token, by, text). Both sides are compared byte by byte.

// json reports whether its requests are of that kind.
func (r *Route) json() bool { return r.Kind == "json" }

const sayPath = "/world.World/Say"

func textOf(id, by, n int) string { return hex.EncodeToString(content(id, by, n/2)) }

// askedJSON is the body of a request, and askedMessage what an endpoint gets of it.
func askedJSON(r *Request) []byte { return fmt.Appendf(nil, `{"text":%q}`, textOf(r.ID, 0, r.Body)) }

func askedMessage(r *Request) []byte {
	return message(said{3, textOf(r.ID, 0, r.Body)}, said{1, r.Route.Name}, said{2, strconv.Itoa(r.ID)}) // what the path gives comes last
}

// saidMessage is the content of a response, and saidJSON what its client gets of it.
func saidMessage(r *Request, by int) []byte {
	return message(said{1, strconv.Itoa(r.ID)}, said{2, strconv.Itoa(by)}, said{3, textOf(r.ID, by, r.Want)})
}

func saidJSON(r *Request, by int) []byte {
	b := fmt.Appendf(nil, `{"token":"%d","by":"%d"`, r.ID, by)
	if text := textOf(r.ID, by, r.Want); text != "" {
		b = fmt.Appendf(b, `,"text":%q`, text)
	}
	return append(b, "}\n"...)
}

// said is a field of a message.
type said struct {
	number protowire.Number
	text   string
}

// message is a message of gRPC with such fields, of which those that are empty are left out.
func message(fields ...said) []byte {
	b := make([]byte, 5)
	for _, f := range fields {
		if f.text != "" {
			b = protowire.AppendString(protowire.AppendTag(b, f.number, protowire.BytesType), f.text)
		}
	}
	n := len(b) - 5
	copy(b, []byte{0, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
	return b
}

// describe writes what protoc would of the service into a folder of its own, if there is a
// route that needs it. done removes it.
func (sc *Scenario) describe() (folder string, done func(), err error) {
	if !slices.ContainsFunc(sc.Routes, func(r *Route) bool { return r.json() || r.has("keys", "sticky") }) {
		return "/", func() {}, nil
	}
	b, err := proto.Marshal(descriptors())
	if err != nil {
		return "", nil, err
	}
	if folder, err = os.MkdirTemp("", "simulator-"); err != nil {
		return "", nil, err
	}
	if err = os.WriteFile(filepath.Join(folder, "api.pb"), b, 0o600); err == nil {
		err = secrets(folder)
	}
	return folder, func() { os.RemoveAll(folder) }, err
}

func descriptors() *descriptorpb.FileDescriptorSet {
	ofStrings := func(names ...string) *descriptorpb.DescriptorProto {
		m := &descriptorpb.DescriptorProto{Name: &names[0]}
		for i := range names[1:] {
			m.Field = append(m.Field, &descriptorpb.FieldDescriptorProto{Name: &names[i+1], JsonName: &names[i+1], Number: proto.Int32(int32(i + 1)),
				Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()})
		}
		return m
	}
	options := &descriptorpb.MethodOptions{}
	proto.SetExtension(options, annotations.E_Http, &annotations.HttpRule{Pattern: &annotations.HttpRule_Post{Post: "/{route}/{token}"}, Body: "*"})
	own := &descriptorpb.FileDescriptorProto{
		Name: proto.String("world.proto"), Package: proto.String("world"), Syntax: proto.String("proto3"), Dependency: []string{"google/api/annotations.proto"},
		MessageType: []*descriptorpb.DescriptorProto{ofStrings("Asked", "route", "token", "text"), ofStrings("Said", "token", "by", "text")},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: proto.String("World"), Method: []*descriptorpb.MethodDescriptorProto{{
			Name: proto.String("Say"), InputType: proto.String(".world.Asked"), OutputType: proto.String(".world.Said"), Options: options,
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
