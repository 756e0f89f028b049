package openapi

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dyno.example/nano"
)

// builder makes a document, route by route.
type builder struct {
	config   Config
	document *Document
	schemas  *schemas
	paths    map[string]template    // by shape: OpenAPI knows one name for a parameter
	filled   map[string]*nano.Route // by "method path"
	ids      map[string]*nano.Route
}

func newBuilder(config Config, d *Document) *builder {
	return &builder{
		config: config, document: d, schemas: newSchemas(), paths: map[string]template{},
		filled: map[string]*nano.Route{}, ids: map[string]*nano.Route{},
	}
}

// add describes a route: each of its templates, of which a pattern with optional
// parameters has several.
func (b *builder) add(r *nano.Route) error {
	said, described := operationOf(r)
	for i, path := range r.Templates() {
		if i > 0 {
			said = said.without(templateOf(path).names, i)
		}
		if err := b.addPath(r, said, described, templateOf(path)); err != nil {
			return err
		}
	}
	return nil
}

// without is the operation for a path that lacks i optional parameters.
func (o Operation) without(names []string, i int) Operation {
	o.Params = slices.DeleteFunc(slices.Clone(o.Params), func(p Param) bool { return p.In == Path && !slices.Contains(names, p.Name) })
	if o.ID != "" {
		o.ID += "-without-" + strconv.Itoa(i)
	}
	return o
}

// addPath describes one template of a route.
func (b *builder) addPath(r *nano.Route, said Operation, described bool, own template) error {
	if said.Hidden || own.unnamed && !described {
		return nil
	}
	shared, ok := b.paths[own.shape]
	if !ok {
		shared, b.paths[own.shape] = own, own
	}
	for _, method := range methodsOf(r, described) {
		if other := b.filled[method+" "+shared.path]; other != nil {
			if other.Host() != r.Host() {
				continue // the host's own goes first
			}
			return fmt.Errorf("OpenAPI can't tell it from %s; hide one of them", other)
		}
		b.filled[method+" "+shared.path] = r
		if err := b.fill(r, said, method, own, shared); err != nil {
			return err
		}
	}
	return nil
}

// fill puts a route's operation in its place.
func (b *builder) fill(r *nano.Route, said Operation, method string, own, shared template) error {
	op, err := b.operation(said, own, shared)
	if err != nil {
		return err
	}
	op.ID = said.ID
	if op.ID == "" && r.Name() != r.String() && own.path == templateOf(r.Templates()[0]).path {
		op.ID = r.Name()
	}
	if op.ID != "" && r.Method() == "" {
		op.ID += "-" + method
	}
	if other := b.ids[op.ID]; op.ID != "" && other != nil {
		return fmt.Errorf("the ID %s is that of %s", op.ID, other)
	}
	b.ids[op.ID] = r
	if b.document.Paths[shared.path] == nil {
		b.document.Paths[shared.path] = pathItem{}
	}
	b.document.Paths[shared.path][method] = op
	return nil
}

func (b *builder) operation(said Operation, own, shared template) (*operation, error) {
	op := &operation{Summary: said.Summary, Description: said.Description, Tags: unique(said.Tags), Deprecated: said.Deprecated}
	var err error
	params, hasBody := boundParams(said.Body, own.names)
	if op.Parameters, err = b.parameters(merged(params, said.Params), own, shared); err != nil {
		return nil, err
	}
	if said.Body != nil && hasBody {
		content, err := b.content(said.BodyType, said.Body)
		if err != nil {
			return nil, fmt.Errorf("its body: %w", err)
		}
		op.Body = &requestBody{Content: content, Required: true}
	}
	if op.Responses, err = b.responses(said.Responses); err != nil {
		return nil, err
	}
	for _, name := range said.Security {
		if _, ok := b.config.Security[name]; !ok {
			return nil, fmt.Errorf("its security scheme %s is not in Config.Security", name)
		}
	}
	if len(said.Security) > 0 {
		need := map[string][]string{}
		for _, name := range said.Security {
			need[name] = []string{}
		}
		op.Security = []map[string][]string{need}
	}
	return op, nil
}

// parameters returns those of the path in its order, then the others as given.
func (b *builder) parameters(said []Param, own, shared template) ([]parameter, error) {
	var all []parameter
	for i, name := range own.names {
		p := Param{Name: name, In: Path}
		if at := slices.IndexFunc(said, func(s Param) bool { return s.In == Path && s.Name == name }); at >= 0 {
			p = said[at]
		}
		p.Name, p.Required = shared.names[i], true
		if own.open && i == len(own.names)-1 && p.Description == "" {
			p.Description = "May hold slashes."
		}
		more, err := b.parameter(p)
		if err != nil {
			return nil, err
		}
		all = append(all, more)
	}
	for _, p := range said {
		if p.In == Path {
			if !slices.Contains(own.names, p.Name) {
				return nil, fmt.Errorf("its path has no parameter %s", p.Name)
			}
			continue
		}
		more, err := b.parameter(p)
		if err != nil {
			return nil, err
		}
		all = append(all, more)
	}
	return all, nil
}

func (b *builder) parameter(p Param) (parameter, error) {
	if p.Name == "" {
		return parameter{}, fmt.Errorf("a parameter has no name")
	}
	var of any = ""
	if p.Type != nil {
		of = p.Type
	}
	s, err := b.schemas.of(of, p.Validate)
	if err != nil {
		return parameter{}, fmt.Errorf("its parameter %s: %w", p.Name, err)
	}
	return parameter{Name: p.Name, In: cmp.Or(p.In, Query), Description: p.Description, Required: p.Required, Schema: s}, nil
}

// responses returns the responses a route lists, and what errors look like.
func (b *builder) responses(said Responses) (map[string]response, error) {
	all := map[string]response{}
	for status, a := range said {
		key := strconv.Itoa(status)
		if status == 0 {
			key = "default"
		} else if status < 100 || status > 599 {
			return nil, fmt.Errorf("%d is not the status of a response", status)
		}
		more, err := b.response(a, statusText(status))
		if err != nil {
			return nil, fmt.Errorf("its response %s: %w", key, err)
		}
		all[key] = more
	}
	if _, given := said[0]; given {
		return all, nil
	}
	errors := Response{Description: "An error", Body: nano.Problem{}, BodyType: "application/problem+json"}
	if b.config.Errors != nil {
		errors = *b.config.Errors
	}
	more, err := b.response(errors, "An error")
	all["default"] = more
	return all, err
}

func (b *builder) response(a Response, otherwise string) (response, error) {
	r := response{Description: cmp.Or(a.Description, otherwise)}
	if a.Body == nil {
		return r, nil
	}
	var err error
	r.Content, err = b.content(a.BodyType, a.Body)
	return r, err
}

func (b *builder) content(mediaTypeName string, body any) (map[string]mediaType, error) {
	s, err := b.schemas.of(body, "")
	if err != nil {
		return nil, err
	}
	return map[string]mediaType{cmp.Or(mediaTypeName, "application/json"): {Schema: s}}, nil
}

// template is a pattern's path as OpenAPI writes it.
type template struct {
	path    string
	shape   string   // the same without the names
	names   []string // of the path's parameters
	open    bool     // ends in a rest
	unnamed bool     // that the pattern has no name for
}

func templateOf(pattern string) template {
	var t template
	for segment := range strings.SplitSeq(pattern[1:], "/") {
		t.path += "/"
		t.shape += "/"
		name := ""
		switch {
		case segment == "{$}":
			return t
		case segment == "":
			name, t.open, t.unnamed = "rest", true, true
		case strings.HasSuffix(segment, "...}"):
			name, t.open = segment[1:len(segment)-len("...}")], true
		default:
			t.add(segment)
			continue
		}
		t.add("{" + name + "}")
	}
	return t
}

// add adds a segment, with the parameters in it.
func (t *template) add(segment string) {
	t.path += segment
	for {
		before, rest, ok := strings.Cut(segment, "{")
		t.shape += before
		if !ok {
			return
		}
		name, after, _ := strings.Cut(rest, "}")
		t.names = append(t.names, name)
		t.shape += "{}"
		segment = after
	}
}

// unique returns the words without those that came before.
func unique(words []string) (once []string) {
	for _, w := range words {
		if !slices.Contains(once, w) {
			once = append(once, w)
		}
	}
	return once
}
