package rpc

import (
	"context"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"dyno.example/dyno/load/request"
	"dyno.example/internal/i18n"
	"dyno.example/internal/spelling"
)

// Services are what a schema describes.
type Services struct {
	from string // where it is from, for messages
	list []protoreflect.ServiceDescriptor
}

// Read reads a schema that is in files. ctx bounds the compilation.
func Read(ctx context.Context, schema *request.Schema) (*Services, error) {
	if err := schema.Check(); err != nil {
		return nil, err
	}
	if schema.Descriptors != "" {
		return readDescriptors(schema.Descriptors)
	}
	return compile(ctx, schema.Protos, schema.ImportDirs)
}

// add takes the services of a file.
func (s *Services) add(fd protoreflect.FileDescriptor) {
	for i := range fd.Services().Len() {
		s.list = append(s.list, fd.Services().Get(i))
	}
}

// Method finds a method by "package.Service/Method".
func (s *Services) Method(name string) (protoreflect.MethodDescriptor, error) {
	service, method, _ := strings.Cut(name, "/")
	i := slices.IndexFunc(s.list, func(sd protoreflect.ServiceDescriptor) bool { return string(sd.FullName()) == service })
	if i < 0 {
		var names []string
		for _, sd := range s.list {
			names = append(names, string(sd.FullName()))
		}
		return nil, i18n.Errorf("rpc.unknown-service", "there is no service %q in %s; %s", service, s.from, choices(service, names))
	}
	methods := s.list[i].Methods()
	if m := methods.ByName(protoreflect.Name(method)); m != nil {
		return m, nil
	}
	var names []string
	for i := range methods.Len() {
		names = append(names, string(methods.Get(i).Name()))
	}
	return nil, i18n.Errorf("rpc.unknown-method", "service %s has no method %q; %s", service, method, choices(method, names))
}

// choices says which name was probably meant, or which there are.
func choices(name string, names []string) i18n.Message {
	const most = 20
	slices.Sort(names)
	if len(names) == 0 {
		return i18n.New("rpc.has-none", "it has none")
	}
	list := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		list += ", …"
	}
	if near, ok := spelling.Nearest(name, names); ok {
		return i18n.New("rpc.did-you-mean", "did you mean %s? there are %s", near, list)
	}
	return i18n.New("rpc.there-are", "there are %s", list)
}
