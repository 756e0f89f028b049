// Package transcode carries HTTP with JSON to gRPC and back, by the rules that methods
// have in their descriptors (google.api.http, see google/api/http.proto): no code is
// generated. It does no I/O: an [API] is made of descriptors, and a [Call] is one
// request, whose pieces are put in on one side and come out on the other.
//
// JSON is protobuf's own mapping (protobuf.dev/programming-guides/json).
package transcode

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"dyno.example/internal/spelling"
	"dyno.example/nanogate/internal/config"
	"dyno.example/nanogate/internal/httprule"
	"dyno.example/nanogate/internal/transcode/jsonpb"
)

// API is the methods of services that can be called by HTTP. It is immutable.
type API struct {
	Methods []*Method // that have rules
	Rules   *config.GRPCJSON

	paths map[string]bool // of the methods
	table httprule.Table[*Binding]
	types types
	codec *jsonpb.Types
	in    protojson.UnmarshalOptions
	out   protojson.MarshalOptions
}

// Method is a method of gRPC.
type Method struct {
	Desc     protoreflect.MethodDescriptor
	Path     string // as gRPC has it: "/package.Service/Method"
	Bindings []*Binding

	in, out *jsonpb.Message
}

// Binding is one way to call a method.
type Binding struct {
	Method   *Method
	Verb     string // the method of HTTP, or [httprule.AnyMethod]
	Template *httprule.Template
	Whole    bool                         // the body is the message, but for what the path has
	Body     protoreflect.FieldDescriptor // the field that is the body; nil: none is
	Response protoreflect.FieldDescriptor // the field that is the response; nil: all of the message

	fields   [][]protoreflect.FieldDescriptor // of the template's variables
	request  *httpBody                        // the body is that as it is; nil: it is JSON
	response *httpBody                        // so is the response
	mask     protoreflect.FieldDescriptor     // that says which fields the body has; nil: none does
}

// String is its HTTP method and path, such as "GET /v1/users/{id}".
func (b *Binding) String() string { return b.Verb + " " + b.Template.Text }

// Field is the way to the field that a variable of the template binds.
func (b *Binding) Field(variable int) []protoreflect.FieldDescriptor { return b.fields[variable] }

// Exposes reports whether a call over gRPC with that path is of one of its methods.
func (a *API) Exposes(path []byte) bool { return a.paths[string(path)] }

// mostNesting bounds how deep messages may be nested.
const mostNesting = 100

// Compile makes the API of descriptors. from says in messages where they come from. What
// doesn't fit is an error that names file, method and rule.
func Compile(files *protoregistry.Files, rules *config.GRPCJSON, from string) (*API, error) {
	a := &API{Rules: rules, types: newTypes(files), paths: map[string]bool{}}
	a.in = protojson.UnmarshalOptions{AllowPartial: true, DiscardUnknown: rules.IgnoreUnknown, Resolver: a.types, RecursionLimit: mostNesting}
	a.out = protojson.MarshalOptions{UseProtoNames: rules.PreserveNames, UseEnumNumbers: rules.EnumNumbers, EmitDefaultValues: rules.Defaults, AllowPartial: true, Resolver: a.types}
	a.codec = jsonpb.NewTypes(jsonpb.Options{UseProtoNames: rules.PreserveNames, UseEnumNumbers: rules.EnumNumbers, EmitDefaultValues: rules.Defaults, MostNesting: mostNesting})
	services, err := servicesOf(files, rules.Services, from)
	if err != nil {
		return nil, err
	}
	var wrong problems
	for _, s := range services {
		for i := range s.Methods().Len() {
			a.add(s.Methods().Get(i), &wrong)
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	if len(a.Methods) == 0 {
		return nil, fmt.Errorf("%s: no method of %s has a rule for HTTP (option (google.api.http) in its .proto file)", from, namesOf(services))
	}
	return a, nil
}

// problems are all that is wrong with an API.
type problems []error

// mostReported bounds how many of them are reported.
const mostReported = 8

func (p problems) Error() string {
	var all []string
	for i, err := range p {
		if i == mostReported {
			all = append(all, fmt.Sprintf("and %d more", len(p)-i))
			break
		}
		all = append(all, err.Error())
	}
	return strings.Join(all, "; ")
}

// servicesOf finds services by their names; without names all there are.
func servicesOf(files *protoregistry.Files, names []string, from string) ([]protoreflect.ServiceDescriptor, error) {
	var all []protoreflect.ServiceDescriptor
	files.RangeFiles(func(fd protoreflect.FileDescriptor) bool {
		for i := range fd.Services().Len() {
			all = append(all, fd.Services().Get(i))
		}
		return true
	})
	slices.SortFunc(all, func(a, b protoreflect.ServiceDescriptor) int { return cmp.Compare(a.FullName(), b.FullName()) })
	if len(names) == 0 {
		if len(all) == 0 {
			return nil, fmt.Errorf("%s: there is no service in it", from)
		}
		return all, nil
	}
	var found []protoreflect.ServiceDescriptor
	for _, name := range names {
		i := slices.IndexFunc(all, func(s protoreflect.ServiceDescriptor) bool { return string(s.FullName()) == name })
		if i < 0 {
			return nil, fmt.Errorf("%s: there is no service %q, %s", from, name, choices(name, all))
		}
		found = append(found, all[i])
	}
	return found, nil
}

// choices says which service was probably meant, or which there are.
func choices(name string, all []protoreflect.ServiceDescriptor) string {
	var names []string
	for _, s := range all {
		names = append(names, string(s.FullName()))
	}
	if near, ok := spelling.Nearest(name, names); ok {
		return "did you mean " + near + "?"
	}
	return "there are " + namesOf(all)
}

func namesOf(services []protoreflect.ServiceDescriptor) string {
	const most = 10
	var names []string
	for i, s := range services {
		if i == most {
			names = append(names, "…")
			break
		}
		names = append(names, string(s.FullName()))
	}
	if len(names) == 0 {
		return "no services"
	}
	return strings.Join(names, ", ")
}

var errNoPattern = errors.New("the rule has no path: it needs one of get, put, post, delete, patch and custom")
