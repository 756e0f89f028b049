package transcode

import (
	"fmt"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"dyno.example/nano/wire/http1"
	"dyno.example/nanogate/internal/httprule"
)

// add takes a method, if it has a rule.
func (a *API) add(md protoreflect.MethodDescriptor, wrong *problems) {
	rule, _ := proto.GetExtension(md.Options(), annotations.E_Http).(*annotations.HttpRule)
	if rule == nil {
		return
	}
	m := &Method{Desc: md, Path: "/" + string(md.Parent().FullName()) + "/" + string(md.Name())}
	problem := func(err error) {
		*wrong = append(*wrong, fmt.Errorf("%s: %s/%s: %w", md.ParentFile().Path(), md.Parent().FullName(), md.Name(), err))
	}
	bind := func(rule *annotations.HttpRule) {
		b, err := newBinding(m, rule)
		if err != nil {
			problem(err)
			return
		}
		if other, ok := a.table.Add(b.Verb, b.Template, b); !ok {
			problem(fmt.Errorf("%s is asked for like %s of %s/%s: requests couldn't be told apart", b, other, other.Method.Desc.Parent().FullName(), other.Method.Desc.Name()))
			return
		}
		m.Bindings = append(m.Bindings, b)
	}
	bind(rule)
	for _, more := range rule.GetAdditionalBindings() {
		if len(more.GetAdditionalBindings()) > 0 {
			problem(fmt.Errorf("additional_bindings in additional_bindings: they go one deep"))
		}
		bind(more)
	}
	if len(m.Bindings) > 0 {
		m.in, m.out = a.codec.Of(md.Input()), a.codec.Of(md.Output())
		a.Methods = append(a.Methods, m)
		a.paths[m.Path] = true
	}
}

// pattern is the method of HTTP and the path of a rule.
func pattern(rule *annotations.HttpRule) (verb, path string, err error) {
	switch p := rule.GetPattern().(type) {
	case *annotations.HttpRule_Get:
		return "GET", p.Get, nil
	case *annotations.HttpRule_Put:
		return "PUT", p.Put, nil
	case *annotations.HttpRule_Post:
		return "POST", p.Post, nil
	case *annotations.HttpRule_Delete:
		return "DELETE", p.Delete, nil
	case *annotations.HttpRule_Patch:
		return "PATCH", p.Patch, nil
	case *annotations.HttpRule_Custom:
		if kind := p.Custom.GetKind(); kind == httprule.AnyMethod || http1.ValidToken(kind) {
			return kind, p.Custom.GetPath(), nil
		}
		return "", "", fmt.Errorf("custom: %q is no method of HTTP", p.Custom.GetKind())
	}
	return "", "", errNoPattern
}

// newBinding holds a rule against the messages of its method.
func newBinding(m *Method, rule *annotations.HttpRule) (*Binding, error) {
	b := &Binding{Method: m}
	verb, path, err := pattern(rule)
	if err != nil {
		return nil, err
	}
	b.Verb = verb
	if b.Template, err = httprule.Parse(path); err != nil {
		return nil, err
	}
	in, out := m.Desc.Input(), m.Desc.Output()
	for i := range b.Template.Variables {
		v := &b.Template.Variables[i]
		path, err := fieldPath(in, v.Field, false)
		if err == nil {
			err = fitsPath(path[len(path)-1])
		}
		if err != nil {
			return nil, fmt.Errorf("%s: {%s}: %w", b, v.Name(), err)
		}
		b.fields = append(b.fields, path)
	}
	switch name := rule.GetBody(); name {
	case "":
	case "*":
		b.Whole = true
	default:
		if b.Body = in.Fields().ByName(protoreflect.Name(name)); b.Body == nil {
			return nil, fmt.Errorf("%s: body: %w", b, noField(in, name))
		}
		for i, path := range b.fields {
			if len(path) == 1 && path[0] == b.Body {
				return nil, fmt.Errorf("%s: the field %s is the body, and bound by the path too", b, b.Template.Variables[i].Name())
			}
		}
	}
	if (b.Whole || b.Body != nil) && verb == "GET" {
		return nil, fmt.Errorf("%s: a GET has no body, and this rule gives it one", b)
	}
	if name := rule.GetResponseBody(); name != "" {
		if b.Response = out.Fields().ByName(protoreflect.Name(name)); b.Response == nil {
			return nil, fmt.Errorf("%s: response_body: %w", b, noField(out, name))
		}
	}
	if b.Whole || b.Body != nil {
		b.request = httpBodyIn(in, b.Body)
	}
	b.response, b.mask = httpBodyIn(out, b.Response), b.maskOf()
	return b, nil
}

// fitsPath reports whether a path can bind a field: one value, no message ("Path
// variables must not refer to any repeated or mapped field").
func fitsPath(fd protoreflect.FieldDescriptor) error {
	switch {
	case fd.IsMap():
		return fmt.Errorf("%s is a map, and a path binds single values", fd.FullName())
	case fd.IsList():
		return fmt.Errorf("%s is repeated, and a path binds single values", fd.FullName())
	case fd.Message() != nil:
		return fmt.Errorf("%s is a message, and a path binds single values: name one of its fields", fd.FullName())
	}
	return nil
}
