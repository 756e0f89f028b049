package nano

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"mime"
	"reflect"
	"slices"
	"strings"
)

// Bind reads a request into a value of type T: fields of a struct come from
// where their tags say, and the others from a JSON body.
//
//	type search struct {
//		Shop  string   `path:"shop"`
//		Words []string `query:"q" validate:"min=1"`
//		Page  int      `query:"page" default:"1"`
//		Trace string   `header:"X-Trace"`
//		Theme string   `cookie:"theme"`
//	}
//
// The tags are path, query, header, cookie, form (urlencoded or multipart) and
// json. A field can be a string, bool, number, [time.Duration], an
// [encoding.TextUnmarshaler], a pointer to one of these (nil if absent) or a
// slice of them (all values); a form field also an [*Upload] or []*Upload. What is absent
// gets the value of its default tag, or stays zero. Strings are copies: what Bind
// returns may be kept. A type that isn't a struct is read from JSON as a whole.
//
// A field with a tag of another source is never set from JSON unless it has a
// json tag too. JSON with a name twice in one object, or anything after the
// value, is refused, as are unknown fields with [Config].StrictJSON; as
// encoding/json has it, names match fields without regard to case. A type that
// wants a body needs one: a request without it is refused, except for GET and HEAD and
// an urlencoded form without fields; so is JSON null, unless T is a pointer, an
// interface or unmarshals itself. [BindOptional] takes both.
//
// What can't be read is a [Problem] of status 400 whose member "errors" lists
// [FieldErrors]; what [Config].Validator refuses is one of 422; a body of another media
// type 415. The plan for a type is made at the first request and kept with the app:
// binding needs no registration, and apps share no state. A type whose tags are wrong
// is an error that isn't a Problem, so the response is a 500, unless [Binds] has found
// it at registration. Wrong are also the tags uri, param and binding of other
// frameworks without their counterparts here, and validate tags in an app without
// Config.Validator.
func Bind[T any](c Ctx) (T, error) {
	var v T
	err := c.bind(reflect.ValueOf(&v).Elem(), &v, false)
	return v, err
}

// BindOptional is [Bind] for requests whose body may be missing, empty or null:
// then what it would have set stays zero.
func BindOptional[T any](c Ctx) (T, error) {
	var v T
	err := c.bind(reflect.ValueOf(&v).Elem(), &v, true)
	return v, err
}

// Binds says that a route's handler binds a T, by [Bind] or [BindOptional]. Then a type
// whose tags make no sense, or have rules that [Config].Validator doesn't know, is found
// at the registration, which panics, not at the first request. For that the validator is
// called with a zero T. A path tag that names no parameter of the pattern is found when
// the app begins to serve, by a panic too: until then it may be mounted below a pattern
// that has it. An openapi.Operation that describes the route takes T from here.
func Binds[T any]() Option {
	return optionFunc(func(r *Route) { r.binds = append(r.binds, reflect.TypeFor[T]()) })
}

// checkBinding says what is wrong with a type that requests are to be bound to.
func (a *App) checkBinding(t reflect.Type) error {
	if _, err := a.planOf(t); err != nil {
		return err
	}
	v := reflect.New(t)
	for at := v.Elem(); at.Kind() == reflect.Pointer; at = at.Elem() {
		at.Set(reflect.New(at.Type().Elem()))
	}
	var invalid *Problem // as a zero value may be
	if err := a.validate(v.Interface()); err != nil && !errors.As(err, &invalid) {
		return fmt.Errorf("nano: binding %s: %w", t, err)
	}
	return nil
}

// checkParams fails if a path tag of the type that a route binds names none of its
// parameters: the field would stay zero at every request. A field that may be set
// otherwise, by a default or from JSON, is let through: several routes may share its
// type.
func (a *App) checkParams(r *Route) error {
	for _, t := range r.binds {
		p, err := a.planOf(t)
		if err != nil {
			return err
		}
		for i := range p.fields {
			f := &p.fields[i]
			if f.in != inPath || f.hasOne || f.keepJSON || slices.Contains(r.parsed.Params, f.name) {
				continue
			}
			has := "which has none"
			if len(r.parsed.Params) > 0 {
				has = "which has " + strings.Join(r.parsed.Params, ", ")
			}
			return fmt.Errorf("binding %s: the tag path:%q names no parameter of the pattern, %s", t, f.name, has)
		}
	}
	return nil
}

// FieldError is what is wrong with one field of a request.
type FieldError struct {
	In     string `json:"in"` // path, query, header, cookie, form or body
	Name   string `json:"name"`
	Detail string `json:"detail"`
}

// FieldErrors is all that is wrong with a request. [Config].Validator returns it
// to have it listed for the client.
type FieldErrors []FieldError

func (e FieldErrors) Error() string {
	var b strings.Builder
	for i, f := range e {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(f.In)
		if f.Name != "" { // else it is the whole body
			b.WriteString(" " + f.Name)
		}
		b.WriteString(": " + f.Detail)
	}
	return b.String()
}

// problem makes a response of the errors.
func (e FieldErrors) problem(status int, detail string) *Problem {
	p := NewProblem(status, detail).Because(e)
	p.More = map[string]any{"errors": e}
	return p
}

// bind fills v, which ptr points to.
func (c Ctx) bind(v reflect.Value, ptr any, optional bool) error {
	x := c.live()
	p, err := x.app.planOf(v.Type())
	if err != nil {
		return err
	}
	form, err := c.bindBody(p, v, ptr, optional)
	if err != nil {
		return err
	}
	var wrong FieldErrors
	for i := range p.fields {
		f := &p.fields[i]
		if err := f.fill(c, v, form); err != nil {
			wrong = append(wrong, FieldError{f.in.String(), f.name, err.Error()})
		}
	}
	if wrong != nil {
		return wrong.problem(400, "the request can't be read")
	}
	return x.app.validate(ptr)
}

// validate calls the app's validator.
func (a *App) validate(v any) error {
	if a.config.Validator == nil {
		return nil
	}
	err := a.config.Validator(v)
	var wrong FieldErrors
	if errors.As(err, &wrong) {
		return wrong.problem(422, "the request is not valid")
	}
	return err
}

// bindBody reads the body if the type wants one.
func (c Ctx) bindBody(p *plan, v reflect.Value, ptr any, optional bool) (*Form, error) {
	x := c.live()
	if !p.json && !p.form {
		return nil, nil
	}
	kind := mediaType(x.field("Content-Type"))
	has := x.hasBody()
	if has && kind == "" && x.Req.Chunked { // may turn out to be empty
		text, err := c.Body()
		if err != nil {
			return nil, err
		}
		has = len(text) > 0
	}
	if !has {
		method := string(x.Req.Method.Of(x.Buf))
		if optional || method == "GET" || method == "HEAD" || p.form && kind == formType {
			return nil, nil
		}
		return nil, FieldErrors{{"body", "", "is missing"}}.problem(400, "the request has no body")
	}
	switch {
	case p.form && (kind == formType || kind == multipartType):
		return c.Form()
	case p.json && isJSON(kind):
		err := c.bindJSON(v, ptr, optional)
		p.clear(v)
		return nil, err
	case p.json && x.app.config.Decoders[kind] != nil:
		err := c.decodeBody(x.app.config.Decoders[kind], ptr)
		p.clear(v)
		return nil, err
	}
	return nil, NewProblem(415, fmt.Sprintf("the server doesn't read a body of type %q here, but %s",
		clip(cmp.Or(kind, "none")), strings.Join(x.app.readable(p), ", ")))
}

// readable returns the media types of the bodies that a type is read from.
func (a *App) readable(p *plan) []string {
	var all []string
	if p.json {
		all = append(append(all, "application/json"), slices.Sorted(maps.Keys(a.config.Decoders))...)
	}
	if p.form {
		all = append(all, formType, multipartType)
	}
	return all
}

// hasBody reports whether the request came with content, or says that it did.
func (x *liveRequest) hasBody() bool {
	return x.Req.Chunked || x.Req.ContentLength > 0 || len(x.Body.Whole) > 0
}

const (
	formType      = "application/x-www-form-urlencoded"
	multipartType = "multipart/form-data"
)

// mediaType returns the media type in lower case, without parameters.
func mediaType(value []byte) string {
	switch string(value) {
	case "application/json":
		return "application/json"
	case formType:
		return formType
	}
	kind, _, err := mime.ParseMediaType(string(value))
	if err != nil {
		return ""
	}
	return kind
}

// isJSON: RFC 8259, and the suffix of RFC 6839 3.1.
func isJSON(kind string) bool { return kind == "application/json" || strings.HasSuffix(kind, "+json") }

// JSONCodec takes the place of encoding/json. Its functions may be called by several
// goroutines at a time. A nil function leaves encoding/json in its place.
type JSONCodec struct {
	// Marshal encodes v. The bytes are sent, and not changed.
	Marshal func(v any) ([]byte, error)
	// Unmarshal decodes text, which it must not keep, into what v points to. It decides
	// whether duplicate or unknown names are refused. Its errors
	// are those of a [Decoder]; what [DecodeJSON] says of the same text may be one.
	Unmarshal func(text []byte, v any) error
	// UnmarshalStrict takes its place in apps with [Config].StrictJSON, if it is set.
	UnmarshalStrict func(text []byte, v any) error
}

// Decoder decodes a body, which it must not keep, into what into points to. Its error is
// sent to the client as what is wrong with the body; [FieldErrors] are listed, and a
// [Problem] is sent as it is.
type Decoder func(body []byte, into any) error

// DecodeXML is the [Decoder] of encoding/xml.
func DecodeXML(body []byte, into any) error { return xml.Unmarshal(body, into) }

// maxReason bounds, in bytes, how much of a decoder's error is sent: its text may quote
// the body.
const maxReason = 100

// decodeBody reads the body with a decoder of the app's.
func (c Ctx) decodeBody(decode Decoder, ptr any) error {
	body, err := c.Body()
	if err != nil {
		return err
	}
	return undecodable(decode(body, ptr))
}

// undecodable is what is sent to the client for a decoder's error; nil if there is
// none.
func undecodable(err error) error {
	var told *Problem
	if err == nil || errors.As(err, &told) {
		return err
	}
	var wrong FieldErrors
	if errors.As(err, &wrong) {
		return wrong.problem(400, "the request can't be read")
	}
	reason := strings.ToValidUTF8(err.Error(), "?")
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "") + "…"
	}
	return FieldErrors{{"body", "", "can't be read: " + reason}}.problem(400, "the request can't be read").Because(err)
}
