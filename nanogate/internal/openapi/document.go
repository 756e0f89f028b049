// Package openapi describes the HTTP API of gRPC services, by the rules of their
// methods, as an OpenAPI 3.1 document.
package openapi

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"dyno.example/nanogate/internal/httprule"
	"dyno.example/nanogate/internal/transcode"
)

// Document describes an API. It is the same for the same API, byte for byte.
func Document(a *transcode.API) ([]byte, error) {
	d := &maker{api: a, schemas: map[string]schema{}, shapes: map[string]*shape{}, ids: map[string]int{}}
	var services []string
	version := "1"
	for _, m := range a.Methods {
		service := string(m.Desc.Parent().FullName())
		if n := len(services); n == 0 || services[n-1] != service {
			services = append(services, service)
		}
		for _, part := range strings.Split(string(m.Desc.ParentFile().Package()), ".") {
			if len(part) > 1 && part[0] == 'v' && part[1] >= '0' && part[1] <= '9' {
				version = part
			}
		}
		for _, b := range m.Bindings {
			d.bind(b)
		}
	}
	paths := map[string]map[string]any{}
	for _, s := range d.shapes {
		paths[s.path] = s.operations
	}
	d.schemas["Problem"] = problemSchema
	return json.Marshal(map[string]any{
		"openapi":    "3.1.0",
		"info":       map[string]any{"title": strings.Join(services, ", "), "version": version},
		"paths":      paths,
		"components": map[string]any{"schemas": d.schemas, "responses": map[string]any{"Problem": problemResponse}},
	})
}

// problemSchema is what errors look like (RFC 9457).
var problemSchema = schema{
	"type": "object", "required": []string{"type", "title", "status"},
	"properties": map[string]schema{
		"type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"}, "detail": {"type": "string"},
		"field":   {"type": "string", "description": "what of the request it is about"},
		"code":    {"type": "string", "description": "the status of the call over gRPC"},
		"details": {"type": "array", "items": schema{"type": "object"}},
	},
}

var problemResponse = map[string]any{
	"description": "What is wrong",
	"content":     map[string]any{"application/problem+json": map[string]any{"schema": schema{"$ref": "#/components/schemas/Problem"}}},
}

// maker makes a document.
type maker struct {
	api     *transcode.API
	schemas map[string]schema
	shapes  map[string]*shape // by the path with its parameters' names left out
	ids     map[string]int    // how often each name of an operation was given
}

// shape is the paths of one form. OpenAPI takes those that differ only in the names of
// their parameters for the same.
type shape struct {
	path       string
	names      []string // of the parameters
	operations map[string]any
}

// parameter is one of an operation's.
type parameter struct {
	Name        string `json:"name"`
	In          string `json:"in"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
	Schema      schema `json:"schema"`
}

// known are the methods that OpenAPI has.
var known = map[string]bool{"get": true, "put": true, "post": true, "delete": true, "options": true, "head": true, "patch": true, "trace": true}

// bind adds a binding.
func (d *maker) bind(b *transcode.Binding) {
	form, path, params := d.path(b)
	s := d.shapes[form]
	if s == nil {
		s = &shape{path: path, operations: map[string]any{}}
		for _, p := range params {
			s.names = append(s.names, p.Name)
		}
		d.shapes[form] = s
	}
	for i := range params {
		params[i].Name = s.names[i]
	}
	verb := strings.ToLower(b.Verb)
	switch {
	case b.Verb == httprule.AnyMethod:
		verb = "x-any-method"
	case !known[verb]:
		verb = "x-" + verb
	}
	s.operations[verb] = d.operation(b, params)
}

// path is a template as OpenAPI has it: each star is a parameter of its own. form is the
// same for paths that differ in the names of parameters only.
func (d *maker) path(b *transcode.Binding) (form, path string, params []parameter) {
	t := b.Template
	var forms, paths strings.Builder
	variable := -1
	for i, s := range t.Segments {
		for k := range t.Variables {
			if t.Variables[k].From == i {
				variable = k
			}
		}
		forms.WriteByte('/')
		paths.WriteByte('/')
		if s.Kind == httprule.Literal {
			forms.WriteString(escape(s.Text))
			paths.WriteString(escape(s.Text))
			continue
		}
		p := parameter{In: "path", Required: true, Schema: schema{"type": "string"}}
		if variable >= 0 && i < t.Variables[variable].To {
			d.describeVariable(b, variable, i, &p)
		} else {
			p.Name = "segment_" + strconv.Itoa(i+1)
		}
		if s.Kind == httprule.DoubleStar {
			p.Description = strings.TrimSpace(p.Description + " It may have slashes, and be empty.")
		}
		params = append(params, p)
		forms.WriteString("{}")
		paths.WriteString("{" + p.Name + "}")
	}
	if len(t.Segments) == 0 {
		forms.WriteByte('/')
		paths.WriteByte('/')
	}
	if t.Verb != "" {
		forms.WriteString(":" + escape(t.Verb))
		paths.WriteString(":" + escape(t.Verb))
	}
	return forms.String(), paths.String(), params
}

// describeVariable names the parameter for a segment of a variable.
func (d *maker) describeVariable(b *transcode.Binding, variable, segment int, p *parameter) {
	t, v := b.Template, &b.Template.Variables[variable]
	stars, at := 0, 0
	var whole []string
	for i := v.From; i < v.To; i++ {
		if t.Segments[i].Kind == httprule.Literal {
			whole = append(whole, t.Segments[i].Text)
			continue
		}
		if stars++; i == segment {
			at = stars
		}
		whole = append(whole, fmt.Sprintf("{%s_%d}", v.Name(), stars))
	}
	p.Name = v.Name()
	if stars > 1 {
		p.Name = fmt.Sprintf("%s_%d", v.Name(), at)
	}
	if v.To-v.From == 1 {
		path := b.Field(variable)
		p.Schema, p.Description = d.value(path[len(path)-1]), comment(path[len(path)-1])
		return
	}
	text := strings.Join(whole, "/")
	if stars == 1 {
		text = strings.Replace(text, v.Name()+"_1}", v.Name()+"}", 1)
	}
	p.Description = fmt.Sprintf("The field %s is %s.", v.Name(), text)
}

// escape writes a literal as a path of OpenAPI has it.
func escape(text string) string {
	const plain = "-._~!$&'()*+,;=@:"
	var out strings.Builder
	for _, c := range []byte(text) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(plain, c) >= 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

// operation describes one binding of a method.
func (d *maker) operation(b *transcode.Binding, params []parameter) map[string]any {
	md := b.Method.Desc
	id := string(md.Parent().Name()) + "_" + string(md.Name())
	if d.ids[id]++; d.ids[id] > 1 {
		id += "_" + strconv.Itoa(d.ids[id])
	}
	o := map[string]any{"operationId": id, "tags": []string{string(md.Parent().FullName())}}
	summary, text, _ := strings.Cut(comment(md), "\n")
	if summary != "" {
		o["summary"] = strings.TrimSuffix(summary, ".")
	}
	if text = strings.TrimSpace(text); text != "" {
		o["description"] = text
	}
	if options, ok := md.Options().(*descriptorpb.MethodOptions); ok && options.GetDeprecated() {
		o["deprecated"] = true
	}
	if params = append(params, d.query(b)...); len(params) > 0 {
		o["parameters"] = params
	}
	if b.RawRequest() {
		o["requestBody"] = map[string]any{"content": anything}
	} else if body, ok := d.body(b); ok {
		kind := "application/json"
		if md.IsStreamingClient() {
			kind = "application/x-ndjson"
		}
		o["requestBody"] = map[string]any{"content": content(body, kind)}
	}
	o["responses"] = map[string]any{
		"200":     map[string]any{"description": describeResponse(md), "content": d.response(b)},
		"default": schema{"$ref": "#/components/responses/Problem"},
	}
	return o
}

// anything is content of whatever type.
var anything = map[string]any{"*/*": map[string]any{}}

// response is the content of a binding's response.
func (d *maker) response(b *transcode.Binding) map[string]any {
	if b.RawResponse() {
		return anything
	}
	md := b.Method.Desc
	response := d.message(md.Output())
	if b.Response != nil {
		response = d.field(b.Response)
	}
	kinds := []string{"application/json"}
	if md.IsStreamingServer() {
		kinds = []string{"application/x-ndjson", "text/event-stream"}
		if a := d.api.Rules; a.Stream != 0 {
			kinds = kinds[a.Stream-1:][:1]
		}
	}
	return content(response, kinds...)
}

func describeResponse(md protoreflect.MethodDescriptor) string {
	if md.IsStreamingServer() {
		return "A stream of " + string(md.Output().Name()) + ", each of this schema"
	}
	return string(md.Output().Name())
}

func content(s schema, kinds ...string) map[string]any {
	c := map[string]any{}
	for _, kind := range kinds {
		c[kind] = map[string]any{"schema": s}
	}
	return c
}

// body is the schema of a binding's body, if it has one.
func (d *maker) body(b *transcode.Binding) (s schema, ok bool) {
	switch {
	case b.Whole:
		return d.message(b.Method.Desc.Input()), true
	case b.Body != nil:
		return d.field(b.Body), true
	}
	return nil, false
}
